/** The learned word table: for each stem a direction in meaning space and a weight. */

import { fnv1a } from "../../core/hash.js";
import { isStopWord, splitWords, stem } from "../../core/words.js";

/** What matching needs to know about words. Ids from `size` on stand for words outside the table. */
export interface WordTable {
  /** Number of stems in the table. */
  readonly size: number;
  readonly dimensions: number;
  /** Id of a stem in the table, or `undefined`. */
  idOf(stem: string): number | undefined;
  /** How much the word says about a task; a rare word says more. Defined for all ids. */
  weightOf(id: number): number;
  /** Length of the word's vector, by which it counts in a text's mean. Defined for ids in the table. */
  lengthOf(id: number): number;
  /** Unit vectors, row by row; a row is filled in by `readRow`. */
  readonly units: Float32Array;
  readRow(id: number): void;
  /** Unit vectors of tools of all kinds: what a request is compared with, to tell a close tool from a vague request. */
  readonly background: readonly Float32Array[];
}

const outsideBuckets = 1 << 16;

/** Upper bound of all ids. */
export function idLimit(table: WordTable): number {
  return table.size + outsideBuckets;
}

/** A folded hash. */
function bucketOf(text: string): number {
  const state = fnv1a(text);
  return (state ^ (state >>> 16)) & (outsideBuckets - 1);
}

/** Id of a word: its stem's in the table, else one by its hash. */
export function idOfWord(table: WordTable, word: string): number {
  const root = stem(word);
  return table.idOf(root) ?? table.size + bucketOf(root);
}

/** Ids of a text's words in order, stop words left out. */
export function idsOf(table: WordTable, text: string): number[] {
  return splitWords(text)
    .filter((word) => !isStopWord(word))
    .map((word) => idOfWord(table, word));
}

/** Adds the vectors of words, times `factor` and each word's own length, to `sum`. */
export function addWords(
  table: WordTable,
  sum: Float32Array,
  ids: Iterable<number>,
  factor: number,
): void {
  const { units, dimensions, size } = table;
  for (const id of ids) {
    if (id >= size) continue;
    table.readRow(id);
    const scale = factor * table.lengthOf(id);
    const start = id * dimensions;
    for (let index = 0; index < dimensions; index += 1) {
      sum[index] = (sum[index] as number) + scale * (units[start + index] as number);
    }
  }
}

/** Scales a vector to length one, in place; one without length stays zero. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return vector;
  for (let index = 0; index < vector.length; index += 1) {
    vector[index] = (vector[index] as number) / length;
  }
  return vector;
}

/** The dot product of two vectors of one length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) {
    sum += (a[index] as number) * (b[index] as number);
  }
  return sum;
}
