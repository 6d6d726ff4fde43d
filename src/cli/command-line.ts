/** What commands have in common: strict arguments, files that are text, and one way to fail. */

import { readFile } from "node:fs/promises";
import { parseArgs, type ArgsDef } from "citty";
import { readErrorCode } from "../core/error-code.js";
import { InvalidOptionsError, ToolSieveError } from "../errors.js";
import { paint, printable } from "./terminal.js";

/** Exit code for a command line or a file that cannot be used. */
export const usageError = 2;

/** Refuses options that a command does not have: a misspelt one must not be ignored. */
export function refuseUnknown(rawArgs: readonly string[], definition: ArgsDef): void {
  const parsed = parseArgs([...rawArgs], definition);
  const camel = (name: string): string =>
    name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const known = new Set(["_", ...Object.keys(definition).flatMap((name) => [name, camel(name)])]);
  const unknown = Object.keys(parsed).find((name) => !known.has(name) && !known.has(camel(name)));
  if (unknown !== undefined) {
    throw new InvalidOptionsError(`There is no option \`--${unknown}\`; see --help.`);
  }
}

/** An option that must be there. */
export function required(value: string | undefined, name: string, expectation: string): string {
  if (value !== undefined && value.trim() !== "") return value;
  throw new InvalidOptionsError(`Expected \`${name}\` to be ${expectation}, got none.`);
}

/** A whole number from a command line. */
export function integerArgument(value: string, name: string, minimum: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum) return number;
  throw new InvalidOptionsError(
    `Expected \`--${name}\` to be an integer from ${minimum}, got \`${JSON.stringify(value.slice(0, 60))}\`.`,
  );
}

/** The system's code of a failed file operation: `ENOENT`. */
export function errorCode(error: unknown): string {
  return readErrorCode(error) ?? "unknown error";
}

/**
 * Reads a text file and parses it; a failure names the file.
 *
 * @throws {ToolSieveError}
 */
export async function readTextFile<T>(path: string, parse: (text: string) => T): Promise<T> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ToolSieveError(`Cannot read ${path}: ${errorCode(cause)}.`, { cause });
  }
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    if (ToolSieveError.isInstance(cause)) {
      throw new ToolSieveError(`${path}: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

/** Runs a command; what is wrong with its input is one line on stderr and exit code 2. Bugs keep their stack. */
export async function runOrExplain(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!ToolSieveError.isInstance(error)) throw error;
    const label = paint("red", "error", process.stderr);
    process.stderr.write(`${label} ${printable(error.message)}\n`);
    process.exitCode = usageError;
  }
}
