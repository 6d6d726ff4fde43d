/** Counts by name. */

import type { Count } from "../summary.js";

/** Adds to a count by name. */
export function addCount(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/** Counts as a list, the most frequent first, then by name. */
export function sortCounts(counts: ReadonlyMap<string, number>): readonly Count[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}
