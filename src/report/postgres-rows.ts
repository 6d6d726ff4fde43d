/** Reads a Postgres table of records: the way to the server, a range of rows, and its pages. */

import { readErrorCode } from "../core/error-code.js";
import * as z from "zod";
import { ToolSieveError } from "../errors.js";
import {
  isOneSource,
  oneSource,
  openPool,
  postgresOptionFields,
  type PostgresPool,
} from "../postgres-client.js";
import { boundsQuery } from "./postgres-sql.js";

export const postgresSourceSchema = z
  .strictObject(postgresOptionFields)
  .refine(isOneSource, oneSource);

/** Which table to read: `pool` or `connectionString`, and `table` where it is not the default one. */
export type PostgresSource = z.input<typeof postgresSourceSchema>;

const pageSize = 2000;

/** Rows of a query; names of tools and texts of records never get into an error. */
export type Query = <Row>(text: string, values: unknown[]) => Promise<readonly Row[]>;

function queryOn(pool: PostgresPool): Query {
  return async <Row>(text: string, values: unknown[]) => {
    try {
      return (await pool.query(text, values)).rows as readonly Row[];
    } catch (error) {
      const code = readErrorCode(error) ?? "connection lost";
      const isDataFault = /^2[123]/.test(code) || !(error instanceof Error);
      throw new ToolSieveError(
        `The records in Postgres could not be read (${isDataFault ? code : `${code}: ${error.message}`}).`,
      );
    }
  };
}

/** A way to the server, to be closed. */
export interface Connection {
  readonly query: Query;
  readonly close: () => Promise<void>;
}

/** Uses the caller's pool, which stays open, or opens one. */
export async function connectTo({ pool, connectionString }: PostgresSource): Promise<Connection> {
  if (pool !== undefined) return { query: queryOn(pool), close: async () => undefined };
  const own = await openPool(connectionString ?? "", { queryTimeoutMs: 0 });
  return { query: queryOn(own), close: () => own.end() };
}

/** First and last row of a time range; rows that come in while it is read are not part of it. */
export interface Range {
  readonly since: Date | "-infinity";
  readonly first: string;
  readonly last: string;
}

/** @returns `null` if no row is that young. */
export async function rangeOf(
  query: Query,
  table: string,
  since: number | undefined,
): Promise<Range | null> {
  const from = since === undefined ? "-infinity" : new Date(since);
  const [bounds] = await query<{ first: string | null; last: string | null }>(boundsQuery(table), [
    from,
  ]);
  const { first = null, last = null } = bounds ?? {};
  return first === null || last === null ? null : { since: from, first, last };
}

/** Reads a range page by page, in the order of writing. */
export async function* pagesOf<Row extends { readonly seq: string }>(
  query: Query,
  text: string,
  { since, first, last }: Range,
  ...more: readonly unknown[]
): AsyncGenerator<Row> {
  let from = BigInt(first);
  for (;;) {
    const rows = await query<Row>(text, [since, String(from), last, pageSize, ...more]);
    yield* rows;
    const end = rows.at(-1)?.seq;
    if (end === undefined || rows.length < pageSize) return;
    from = BigInt(end) + 1n;
  }
}
