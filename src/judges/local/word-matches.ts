/** How close the words of tools come to the words of a query: computed once for each word, however many tools use it. */

import { idLimit, type WordTable } from "./word-table.js";

/** Closeness under this is noise; above it, it is stretched to the range up to `nearest`. */
const floor = 0.35;
/** The most that a word that is not the same can be worth. */
const nearest = 0.9;
/** Only that many words of a query are compared by meaning; all of them by identity. */
const maxCompared = 24;
const startRows = 512;

/** Rows of closeness: one for each tool word met, one column for each query word, 1 where they are the same. */
export class WordMatches {
  /** Number of columns. */
  readonly width: number;
  readonly #table: WordTable;
  readonly #query: Int32Array;
  readonly #rowOf: Int32Array;
  #values: Float32Array;
  #best = new Float32Array(startRows);
  #count = 0;

  constructor(table: WordTable, query: Int32Array) {
    this.width = query.length;
    this.#table = table;
    this.#query = query;
    this.#rowOf = new Int32Array(idLimit(table));
    this.#values = new Float32Array(startRows * query.length);
    for (const id of query) if (id < table.size) table.readRow(id);
  }

  /** The row of a tool's word. */
  rowOf(id: number): number {
    const known = this.#rowOf[id] as number;
    return known > 0 ? known - 1 : this.#addRow(id);
  }

  at(row: number, column: number): number {
    return this.#values[row * this.width + column] as number;
  }

  /** The largest value of a row. */
  best(row: number): number {
    return this.#best[row] as number;
  }

  #addRow(id: number): number {
    const row = this.#count;
    this.#count += 1;
    this.#rowOf[id] = this.#count;
    if (row === this.#best.length) this.#grow();
    if (id < this.#table.size) this.#table.readRow(id);
    let best = 0;
    for (let column = 0; column < this.width; column += 1) {
      const value = this.#closeness(id, this.#query[column] as number, column);
      this.#values[row * this.width + column] = value;
      if (value > best) best = value;
    }
    this.#best[row] = best;
    return row;
  }

  #closeness(id: number, other: number, column: number): number {
    if (id === other) return 1;
    const { units, dimensions, size } = this.#table;
    if (id >= size || other >= size || column >= maxCompared) return 0;
    const a = id * dimensions;
    const b = other * dimensions;
    let sum = 0;
    for (let index = 0; index < dimensions; index += 1) {
      sum += (units[a + index] as number) * (units[b + index] as number);
    }
    return sum <= floor ? 0 : ((sum - floor) / (1 - floor)) * nearest;
  }

  #grow(): void {
    const values = new Float32Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
    const best = new Float32Array(this.#best.length * 2);
    best.set(this.#best);
    this.#best = best;
  }
}
