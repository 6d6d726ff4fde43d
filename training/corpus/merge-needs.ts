/** Merges the needs that the writer and the checker of a request found. */

import type { CorpusRequest } from "./read-corpus.js";

/** Kinds whose lookups one reader may count and the other not. */
const lookupKinds: ReadonlySet<CorpusRequest["kind"]> = new Set(["prerequisite", "inner-step"]);

type Needs = CorpusRequest["needs"];

/**
 * Merges two readers' needs of one request, or returns `undefined` if they disagree.
 *
 * They agree if both found the same number of needs and each need of one shares a tool with
 * another need of the other; the result is then the union of both lists of equivalents. For a
 * `prerequisite` or an `inner-step` one reader may count more lookups: the needs that both found
 * are kept, if there are any.
 *
 * @example
 * ```ts
 * mergeNeeds("direct", [["search"]], [["search", "query"]]); // [["search", "query"]]
 * ```
 */
export function mergeNeeds(
  kind: CorpusRequest["kind"],
  written: Needs,
  checked: Needs,
): Needs | undefined {
  if (written.length === checked.length) return pairNeeds(written, checked);
  if (!lookupKinds.has(kind)) return undefined;
  const isWrittenShorter = written.length < checked.length;
  const shorter = isWrittenShorter ? written : checked;
  if (shorter.length === 0) return undefined;
  return pairNeeds(shorter, isWrittenShorter ? checked : written);
}

/** Pairs each need with another one that shares a tool; tries all ways, as lists are short. */
function pairNeeds(needs: Needs, others: Needs): Needs | undefined {
  const [first, ...rest] = needs;
  if (first === undefined) return [];
  for (const [index, other] of others.entries()) {
    if (!other.some((tool) => first.includes(tool))) continue;
    const pairs = pairNeeds(rest, others.toSpliced(index, 1));
    if (pairs !== undefined) return [[...new Set([...first, ...other])], ...pairs];
  }
  return undefined;
}
