/**
 * Parsers of option values, one line for each that is wrong. They return the parser of one option.
 */

import { InvalidOptionsError } from "../errors.js";

function refuse(flag: string, expectation: string, text: string): InvalidOptionsError {
  return new InvalidOptionsError(
    `Expected \`${flag}\` to be ${expectation}, got \`${JSON.stringify(text.slice(0, 60))}\`.`,
  );
}

/** A value that must be there. Commander's own check would hide that an option is misspelt. */
export function requireValue<Value>(
  value: Value | undefined,
  name: string,
  expectation: string,
): Value {
  if (value !== undefined && value !== "") return value;
  throw new InvalidOptionsError(`Expected \`${name}\` to be ${expectation}, got none.`);
}

/** A number; its range is checked where it is used. */
export function parseNumber(flag: string): (text: string) => number {
  return (text) => {
    const number = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isFinite(number)) return number;
    throw refuse(flag, "a number", text);
  };
}

/** A whole number from a minimum on. */
export function parseInteger(flag: string, minimum: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum) return number;
    throw refuse(flag, `an integer from ${minimum}`, text);
  };
}

/** One of several words. */
export function parseChoice<Word extends string>(
  flag: string,
  words: readonly Word[],
): (text: string) => Word {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw refuse(flag, `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`, text);
  };
}

/** The values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A point in time, from a duration before now (`24h`) or a date. */
export function parseSince(flag: string): (text: string) => Date {
  return (text) => {
    const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
    const time =
      amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (unitMs[unit] ?? 0);
    if (!Number.isNaN(time)) return new Date(time);
    throw refuse(flag, "a duration like 24h or 7d, or a date", text);
  };
}
