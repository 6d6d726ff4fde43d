/** Splits the candidates of a turn into batches: at most so many tools, at most so many characters. */

import type { ResolvedJudgeLimits } from "./limits.js";
import { toJson } from "./text.js";
import type { Candidate } from "./types.js";

const sizes = new WeakMap<Candidate, number>();

/** Characters that a candidate takes in a prompt; its schema counts up to its cap. Remembered for each candidate. */
export function promptChars(candidate: Candidate, limits: ResolvedJudgeLimits): number {
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
 * Consecutive batches that concatenate back to the candidates; a candidate over the character limit stands alone.
 *
 * They are frozen: answers go by position, so a judge that took candidates off the list or sorted it would judge others.
 */
export function splitIntoBatches(
  candidates: readonly Candidate[],
  batchSize: number,
  limits: ResolvedJudgeLimits,
): readonly (readonly Candidate[])[] {
  const batches: Candidate[][] = [];
  let chars = 0;
  for (const candidate of candidates) {
    const size = promptChars(candidate, limits);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === batchSize || chars + size > limits.batchChars) {
      batches.push([candidate]);
      chars = size;
    } else {
      batch.push(candidate);
      chars += size;
    }
  }
  return batches.map((batch) => Object.freeze(batch));
}
