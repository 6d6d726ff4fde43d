/** Compares the tools of a session with a query, in slices. */

import { createSlices } from "../../core/slices.js";
import type { VectorSession } from "./vector-sessions.js";

/**
 * The tools of a session that a search may find, with how close each comes to the query; the
 * closest first.
 */
export async function rankTools(
  { vectors }: VectorSession,
  query: Float32Array,
  isAllowed: readonly boolean[],
  signal: AbortSignal,
): Promise<readonly (readonly [tool: number, similarity: number])[]> {
  const slices = createSlices(signal);
  const ranked: (readonly [number, number])[] = [];
  for (const [tool, vector] of vectors.entries()) {
    if (tool % 64 === 0) await slices.pause();
    if (isAllowed[tool] !== true) continue;
    let similarity = 0;
    for (let at = 0; at < vector.length; at += 1) {
      similarity += (vector[at] as number) * (query[at] as number);
    }
    ranked.push([tool, similarity]);
  }
  return ranked.sort(([a, one], [b, other]) => other - one || a - b);
}
