/**
 * Finds the names that are most like a given one, for errors that help a model to correct itself.
 */

/** Names this unlike are no help. */
const leastSimilarity = 0.25;
/** Characters of a name that are compared. */
const comparedChars = 128;

/**
 * Pairs of neighbouring characters, with how often each occurs; upper and lower case are the same.
 */
function countPairs(name: string): ReadonlyMap<string, number> {
  const text = ` ${name.slice(0, comparedChars).toLowerCase()} `;
  const counts = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

function sumCounts(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Sørensen–Dice coefficient of two multisets of pairs, in [0, 1]. */
function compare(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const shared = [...one].reduce(
    (sum, [pair, count]) => sum + Math.min(count, other.get(pair) ?? 0),
    0,
  );
  return (2 * shared) / (sumCounts(one) + sumCounts(other));
}

/**
 * The names most like `name`, the best first, ties in the order given; empty if none is like it.
 */
export function findNearestNames(
  name: string,
  names: readonly string[],
  limit: number,
): readonly string[] {
  const wanted = countPairs(name);
  return names
    .map((candidate) => ({ candidate, similarity: compare(wanted, countPairs(candidate)) }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}
