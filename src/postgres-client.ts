/** The optional driver of Postgres and names of tables, for the sink and the report. */

import * as z from "zod";
import { loadPackage } from "./core/load-package.js";

/** The part of a `pg.Pool` that writing needs. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The part of a `pg.PoolClient` that reading needs. */
export interface PostgresClient extends PostgresPool {
  /** Gives the connection back to its pool, or closes it. */
  release(isBroken: boolean): void;
}

/** The part of a `pg.Pool` that reading needs: a cursor lives on one connection. */
export interface PostgresReadPool {
  connect(): Promise<PostgresClient>;
}

/** The table of records if none is named. */
export const defaultTable = "toolsieve_records";

const namePattern = /^(?:[A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** Options that name a server and a table. */
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

/** The expectation of {@link isOneSource}, for error messages. */
export const oneSource = "an object with either `pool` or `connectionString`";

/** True if exactly one of `pool` and `connectionString` is set. */
export const isOneSource = (options: {
  readonly pool?: unknown;
  readonly connectionString?: unknown;
}): boolean => (options.pool === undefined) !== (options.connectionString === undefined);

/** Quotes a table name that `postgresOptionFields.table` accepted. */
export function quoteTable(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part}"`)
    .join(".");
}

/** A pool that this package opened and must close. */
export interface OwnPool extends PostgresPool, PostgresReadPool {
  end(): Promise<void>;
}

const pgPackage = { name: "pg", versions: "8.11 or later", major: 8 };

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
  const { default: pg } = await loadPackage("Postgres", [pgPackage], () => import("pg"));
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
