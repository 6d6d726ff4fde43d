/** A word table held as plain arrays, as training sees it before it is packed. */

import type { WordTable } from "../src/judges/local/word-table.js";

export interface PlainTable {
  readonly stems: readonly string[];
  readonly dimensions: number;
  /** Word vectors of any length, row by row. */
  readonly vectors: Float32Array;
  readonly weights: Float32Array;
  /** Unit vectors of the tools that requests are compared with. */
  readonly background: readonly Float32Array[];
}

/** Weight of words outside the table: rare, so they say much. */
export const outsideWeight = 1;

/** Makes the table usable by the judge's code. */
export function asWordTable({
  stems,
  dimensions,
  vectors,
  weights,
  background,
}: PlainTable): WordTable {
  const ids = new Map(stems.map((one, index) => [one, index]));
  const units = new Float32Array(vectors.length);
  const lengths = new Float32Array(stems.length);
  for (let row = 0; row < stems.length; row += 1) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const length = Math.hypot(...vector);
    lengths[row] = length * (weights[row] as number);
    units.set(length === 0 ? vector : vector.map((value) => value / length), row * dimensions);
  }
  return {
    size: stems.length,
    dimensions,
    units,
    idOf: (one) => ids.get(one),
    weightOf: (id) => (id < stems.length ? (weights[id] as number) : outsideWeight),
    lengthOf: (id) => lengths[id] as number,
    readRow: () => {},
    background,
  };
}
