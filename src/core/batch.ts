/** Splits lists into consecutive parts that fit: candidates into batches, batches into requests. */

import { toJson } from "./json.js";
import type { ResolvedJudgeLimits } from "./limits.js";
import type { Candidate } from "./types.js";

/** A limit on the size of one part, in any unit. */
export interface SizeLimit<T> {
  readonly measure: (item: T) => number;
  readonly limit: number;
}

/**
 * Consecutive parts within every limit, which concatenate back to the items; an item over a limit
 * stands alone.
 */
export function splitToFit<T>(
  items: readonly T[],
  limits: readonly SizeLimit<T>[],
): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let used: readonly number[] = [];
  for (const item of items) {
    const sizes = limits.map(({ measure }) => measure(item));
    const total = sizes.map((size, index) => size + (used[index] ?? 0));
    const part = parts.at(-1);
    const fits = limits.every(({ limit }, index) => (total[index] ?? 0) <= limit);
    if (part !== undefined && fits) {
      part.push(item);
      used = total;
    } else {
      parts.push([item]);
      used = sizes;
    }
  }
  return parts;
}

/** Consecutive parts of at most `size` items. */
export function splitBySize<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return splitToFit(items, [{ measure: () => 1, limit: size }]);
}

const sizes = new WeakMap<Candidate, number>();

/**
 * Characters that a candidate takes in a prompt; its schema counts up to its cap. Remembered for
 * each candidate.
 */
export function measurePromptChars(candidate: Candidate, limits: ResolvedJudgeLimits): number {
  const known = sizes.get(candidate);
  if (known !== undefined) return known;
  const schema = candidate.parameters === undefined ? "" : (toJson(candidate.parameters) ?? "");
  const size =
    candidate.name.length +
    Math.min(candidate.description?.length ?? 0, limits.descriptionChars) +
    Math.min(schema.length, limits.schemaChars);
  sizes.set(candidate, size);
  return size;
}

/**
 * The batches of a turn, at most so many tools and characters each.
 *
 * They are frozen: answers go by position, so a judge that removed or sorted candidates would judge
 * others.
 */
export function splitIntoBatches(
  candidates: readonly Candidate[],
  batchSize: number,
  limits: ResolvedJudgeLimits,
): readonly (readonly Candidate[])[] {
  const batches = splitToFit(candidates, [
    { measure: () => 1, limit: batchSize },
    { measure: (candidate) => measurePromptChars(candidate, limits), limit: limits.batchChars },
  ]);
  return batches.map((batch) => Object.freeze(batch));
}
