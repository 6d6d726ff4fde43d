/**
 * Finds tools by a name that a model wrote from memory: exact, in another case or spelling, with or
 * without a prefix.
 */

import type { ToolDescription } from "../../core/types.js";

/** The letters and digits of a name: `createIssue`, `create_issue` and `Create-Issue` are one. */
function squash(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_\-./:]+/gu, "");
}

const separator = /[^\p{L}\p{N}]/u;

/**
 * True if `long` ends with `short` after a separator: `github__create_issue`,
 * `functions.create_issue`.
 */
function hasSuffix(long: string, short: string): boolean {
  if (short === "" || long.length <= short.length) return false;
  const whole = long.toLowerCase();
  const before = whole.at(whole.length - short.length - 1) ?? "";
  return whole.endsWith(short.toLowerCase()) && separator.test(before);
}

type Rule = (wanted: string, name: string) => boolean;

/** The strictest first; the first rule that finds anything decides. */
const rules: readonly Rule[] = [
  (wanted, name) => name === wanted,
  (wanted, name) => name.toLowerCase() === wanted.toLowerCase(),
  (wanted, name) => squash(wanted) !== "" && squash(name) === squash(wanted),
  (wanted, name) => hasSuffix(name, wanted),
  (wanted, name) => hasSuffix(wanted, name),
];

/** The tools that a name can mean; several where it is ambiguous, none where nothing fits. */
export function findByName<T extends Pick<ToolDescription, "name">>(
  wanted: string,
  tools: readonly T[],
): readonly T[] {
  for (const rule of rules) {
    const found = tools.filter(({ name }) => rule(wanted, name));
    if (found.length > 0) return found;
  }
  return [];
}
