/** Prerequisites: tools that are kept because another one, which needs them, is kept. */

import { nameMatcher } from "./glob.js";

/** Compiled groups; in each, every entry needs the entries before it. */
export type KeepTogether = readonly (readonly ((name: string) => boolean)[])[];

/** Compiles groups of names and globs, such as `["login", "transfer_*"]`. */
export function compileKeepTogether(groups: readonly (readonly string[])[]): KeepTogether {
  return groups.map((group) => group.map((entry) => nameMatcher([entry])));
}

/** The position of the last entry of a group that a kept tool matches, -1 if there is none. */
function findLastKept(group: KeepTogether[number], keptNames: readonly string[]): number {
  return group.findLastIndex((isMatch) => keptNames.some(isMatch));
}

/**
 * The names that must be kept beside those that are, each once. A prerequisite may have
 * prerequisites of its own, in another group; circles end.
 */
export function findPrerequisites(
  names: readonly string[],
  isKept: (name: string) => boolean,
  groups: KeepTogether,
): ReadonlySet<string> {
  const added = new Set<string>();
  if (groups.length === 0) return added;
  for (let isSettled = false; !isSettled;) {
    const kept = names.filter((name) => isKept(name) || added.has(name));
    const needed = groups.flatMap((group) => {
      const earlier = group.slice(0, Math.max(0, findLastKept(group, kept)));
      return names.filter((name) => earlier.some((isMatch) => isMatch(name)));
    });
    const missing = needed.filter((name) => !isKept(name) && !added.has(name));
    for (const name of missing) added.add(name);
    isSettled = missing.length === 0;
  }
  return added;
}
