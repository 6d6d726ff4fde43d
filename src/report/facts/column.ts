/**
 * A growing column of numbers in typed arrays, and a table of distinct texts: the memory of a log
 * of millions of turns.
 */

/** The typed array that a column is made of. */
export type NumberArray =
  | Float64ArrayConstructor
  | Float32ArrayConstructor
  | Uint32ArrayConstructor
  | Uint16ArrayConstructor;

const chunkBits = 14;
const chunkSize = 1 << chunkBits;

/** An append-only list of numbers, a few bytes each. */
export class Column {
  readonly #chunks: InstanceType<NumberArray>[] = [];
  readonly #create: NumberArray;
  #length = 0;

  constructor(create: NumberArray) {
    this.#create = create;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const offset = this.#length & (chunkSize - 1);
    if (offset === 0) this.#chunks.push(new this.#create(chunkSize));
    const chunk = this.#chunks[this.#length >>> chunkBits];
    if (chunk !== undefined) chunk[offset] = value;
    this.#length++;
  }

  at(index: number): number {
    return this.#chunks[index >>> chunkBits]?.[index & (chunkSize - 1)] ?? NaN;
  }
}

/** Numbers distinct texts in the order of their first appearance. */
export class Texts {
  readonly #indexes = new Map<string, number>();
  readonly #texts: string[] = [];

  /** The number of a text, which is given one if it has none. */
  number(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  at(index: number): string {
    return this.#texts[index] ?? "";
  }
}
