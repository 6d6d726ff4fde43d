/** Loads an optional package; where it is missing, the error says what to install. */

import { ToolSieveError } from "../errors.js";

/** An optional package, and what of it is supported. */
export interface OptionalPackage {
  readonly name: string;
  /** Supported versions, for people: `6.41 or later`. */
  readonly versions: string;
  /** What to install: a major version, so that npm takes a supported one. */
  readonly major: number;
}

/**
 * Loads what an owner needs of optional packages.
 *
 * @param load imports them; a literal `import("…")`, so that bundlers see it.
 * @throws {ToolSieveError} that names owner, packages, versions and the command that installs them.
 */
export async function loadPackage<T>(
  owner: string,
  packages: readonly OptionalPackage[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const needs = packages.map(({ name, versions }) => `\`${name}\` (${versions})`).join(" and ");
    const specifiers = packages.map(({ name, major }) => `${name}@${major}`).join(" ");
    throw new ToolSieveError(`${owner} needs ${needs}: run \`npm install ${specifiers}\`.`, {
      cause,
    });
  }
}
