/** What the Postgres sink and the Postgres report share: the optional driver, and names of tables. */

import * as z from "zod";
import { ToolSieveError } from "./errors.js";

/** What is used of a `pg.Pool`. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Where records lie if nothing else is said. */
export const defaultTable = "toolsieve_records";

const namePattern = /^(?:[A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** The options that say which table is meant. */
export const postgresOptionFields = {
  /** An existing pool; it stays the caller's, who closes it. */
  pool: z
    .custom<PostgresPool>(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        typeof Reflect.get(value, "query") === "function",
      "a pool of the package `pg`",
    )
    .optional(),
  /** A connection string (`postgres://…`), for a pool of its own with one connection. */
  connectionString: z
    .string("a connection string like postgres://user@host/database")
    .regex(/^postgres(?:ql)?:\/\//, "a connection string like postgres://user@host/database")
    .optional(),
  /**
   * `table` or `schema.table`.
   * @default "toolsieve_records"
   */
  table: z
    .string("a table name")
    .regex(
      namePattern,
      "a table name of letters, digits and underscores, at most 48, after an optional schema and a dot",
    )
    .default(defaultTable),
};

/** What {@link isOneSource} demands, for the message of an error. */
export const oneSource = "an object with either `pool` or `connectionString`";

/** Whether there is exactly one way to the server. */
export const isOneSource = (options: {
  readonly pool?: unknown;
  readonly connectionString?: unknown;
}): boolean => (options.pool === undefined) !== (options.connectionString === undefined);

/** Quotes a name that `postgresOptionFields.table` let pass. */
export function quoteTable(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part}"`)
    .join(".");
}

/** A pool that this package opened and must close. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/**
 * Opens a pool with one connection. Nothing is connected before the first query.
 *
 * @param options.queryTimeoutMs how long one query may take; 0: for ever.
 * @throws {ToolSieveError} if the package `pg` is not installed.
 */
export async function openPool(
  connectionString: string,
  { queryTimeoutMs }: { readonly queryTimeoutMs: number },
): Promise<OwnPool> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new ToolSieveError("Postgres needs the package `pg`: run `npm install pg`.", { cause });
  });
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
    // An idle connection is no reason for the process to live on.
    allowExitOnIdle: true,
    application_name: "toolsieve",
  });
  // Without a listener, a server that closes an idle connection would end the process.
  pool.on("error", () => undefined);
  return pool;
}
