/** Rows of plain values, kept as columns: a few bytes a value instead of an object a row. */

import { Column, Texts } from "./column.js";
import type { NumberArray } from "./column.js";

/**
 * How a field is kept: `text` with equal texts once, `flag` as one bit, `number or null`, or
 * numbers of a typed array.
 */
type Storage<Value> = [Value] extends [boolean]
  ? "flag"
  : [Value] extends [number]
    ? NumberArray
    : [Value] extends [string | null]
      ? "text"
      : "number or null";

/** One entry for each field of a row: a field that is missing is a type error. */
export type TableFields<Row> = { readonly [Name in keyof Row]: Storage<Row[Name]> };

interface Field {
  readonly push: (value: unknown) => void;
  readonly at: (index: number) => unknown;
}

const maxFlags = 16;

/** Appends rows, and gives them back by their place. */
export class Table<Row extends object> {
  readonly #fields = new Map<string, Field>();
  readonly #flagNames: readonly string[];
  readonly #flags = new Column(Uint16Array);
  #length = 0;

  /** @param texts may be shared between tables. */
  constructor(fields: TableFields<Row>, texts: Texts = new Texts()) {
    const entries = Object.entries<NumberArray | "text" | "flag" | "number or null">(fields);
    this.#flagNames = entries.flatMap(([name, storage]) => (storage === "flag" ? [name] : []));
    if (this.#flagNames.length > maxFlags) throw new RangeError("A table has at most 16 flags.");
    for (const [name, storage] of entries) {
      if (storage === "flag") continue;
      this.#fields.set(
        name,
        storage === "text" ? createTextField(texts) : createNumberField(storage),
      );
    }
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a row. @returns its place. */
  push(row: Row): number {
    for (const [name, { push }] of this.#fields) push(Reflect.get(row, name));
    let bits = 0;
    for (const [index, name] of this.#flagNames.entries()) {
      if (Reflect.get(row, name) === true) bits |= 1 << index;
    }
    this.#flags.push(bits);
    return this.#length++;
  }

  /** One field of the row at a place; not for flags. */
  read<Name extends keyof Row & string>(index: number, name: Name): Row[Name] {
    return this.#fields.get(name)?.at(index) as Row[Name];
  }

  /** The row at a place. */
  at(index: number): Row {
    const row: Record<string, unknown> = {};
    for (const [name, { at }] of this.#fields) row[name] = at(index);
    const bits = this.#flags.at(index);
    for (const [bit, name] of this.#flagNames.entries()) row[name] = (bits & (1 << bit)) !== 0;
    return row as Row;
  }
}

/** 0 stands for no text. */
function createTextField(texts: Texts): Field {
  const column = new Column(Uint32Array);
  return {
    push: (text) => column.push(typeof text === "string" ? texts.number(text) + 1 : 0),
    at: (index) => (column.at(index) === 0 ? null : texts.at(column.at(index) - 1)),
  };
}

function createNumberField(storage: NumberArray | "number or null"): Field {
  if (storage !== "number or null") {
    const column = new Column(storage);
    return {
      push: (value) => column.push(value as number),
      at: (index) => column.at(index),
    };
  }
  const column = new Column(Float64Array);
  return {
    push: (value) => column.push(value === null ? NaN : (value as number)),
    at: (index) => (Number.isNaN(column.at(index)) ? null : column.at(index)),
  };
}
