/** What `report` and `tune` have in common: where records come from, and since when. */

import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";
import { InvalidOptionsError } from "../errors.js";

export const logArguments = {
  log: {
    type: "positional",
    required: false,
    description: "JSONL files or globs, packed or not; - for standard input",
  },
  postgres: {
    type: "string",
    valueHint: "URL",
    description: "Read records from Postgres instead (needs the package pg)",
  },
  table: { type: "string", valueHint: "NAME", description: "Table with the records" },
  since: {
    type: "string",
    valueHint: "24h",
    description: "Count records of the last 30m, 24h, 7d, or since a date (ISO 8601)",
  },
  json: { type: "boolean", description: "Print JSON" },
} as const satisfies ArgsDef;

/** One source of records: files, or a database. */
export type LogPlace =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | {
      readonly kind: "postgres";
      readonly connectionString: string;
      readonly table?: string | undefined;
    };

/** Where the records are. */
export function placeOf(args: {
  readonly _: readonly string[];
  readonly postgres?: string | undefined;
  readonly table?: string | undefined;
}): LogPlace {
  const { postgres, table, _: paths } = args;
  if (postgres === undefined) {
    if (table !== undefined) {
      throw new InvalidOptionsError("Expected `--table` together with `--postgres`.");
    }
    if (paths.length > 0) return { kind: "files", paths };
    throw new InvalidOptionsError(
      "Expected a log: files, globs, - for standard input, or --postgres URL.",
    );
  }
  if (paths.length > 0) {
    throw new InvalidOptionsError("Expected files or `--postgres`, got both.");
  }
  return {
    kind: "postgres",
    connectionString: postgres,
    table,
  };
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A point in time from `24h` or a date; `undefined` for none. */
export function sinceOf(text: string | undefined, now: number = Date.now()): Date | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : now - Number(amount) * (unitMs[unit] ?? 0);
  if (!Number.isNaN(time)) return new Date(time);
  throw new InvalidOptionsError(
    `Expected \`--since\` to be a duration like 24h or 7d, or a date, got \`${JSON.stringify(text.slice(0, 60))}\`.`,
  );
}

/** A number from a command line; its range is checked where it is used. */
export function numberArgument(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new InvalidOptionsError(
    `Expected \`--${name}\` to be a number, got \`${JSON.stringify(text.slice(0, 60))}\`.`,
  );
}

/** All values of an option that may be given several times. */
export function repeated(rawArgs: readonly string[], name: string): readonly string[] {
  const { values } = parseArgs({
    args: [...rawArgs],
    options: { [name]: { type: "string", multiple: true } },
    strict: false,
  });
  const given: unknown = values[name];
  return Array.isArray(given) ? given.filter((value) => typeof value === "string") : [];
}
