/**
 * `readPostgresRecords`: selection records from a Postgres table, through a cursor of the server.
 */

import * as z from "zod";
import { readErrorCode } from "../../core/error-code.js";
import { parseOptions } from "../../core/parse-options.js";
import { ToolSieveError } from "../../errors.js";
import {
  isOneSource,
  oneSource,
  openPool,
  postgresOptionFields,
  quoteTable,
} from "../../postgres-client.js";
import type { PostgresClient, PostgresReadPool } from "../../postgres-client.js";
import { sinceSchema } from "../summarize-options.js";
import { readRecords } from "./read-records.js";
import type { RecordLog } from "./read-records.js";

const sourceSchema = z
  .strictObject({
    ...postgresOptionFields,
    /** An existing pool; it stays the caller's, who closes it. */
    pool: z
      .custom<PostgresReadPool>(
        (value) =>
          typeof value === "object" &&
          value !== null &&
          typeof Reflect.get(value, "connect") === "function",
        "a pool of the package `pg`",
      )
      .optional(),
  })
  .refine(isOneSource, oneSource);

/**
 * Which table to read: `pool` or `connectionString`, and `table` where it is not the default one.
 */
export type PostgresSource = z.input<typeof sourceSchema>;

/** Options of {@link readPostgresRecords}. */
export interface ReadPostgresOptions {
  /**
   * Leaves earlier records in the database: a date, or epoch milliseconds. Enforced ones are read
   * all the same.
   */
  readonly since?: Date | number | undefined;
}

const readOptionsSchema = z.strictObject({ since: sinceSchema });

/** Rows that the server sends at a time; two such pages are in memory. */
const pageSize = 250;

/**
 * Message text stays in the database: no figure needs it. Enforced records end a unit's evidence,
 * however old they are.
 */
const declareCursor = (table: string): string => `
DECLARE toolsieve_records NO SCROLL CURSOR FOR
SELECT (CASE WHEN record @> '{"content": {}}' THEN record - 'content' ELSE record END)::text AS line
FROM ${quoteTable(table)}
WHERE time >= $1 OR record @> '{"enforced": true}'
ORDER BY seq`;

/** Names of tools and texts of records never get into an error. */
function explainFailure(error: unknown): ToolSieveError {
  const code = readErrorCode(error) ?? "connection lost";
  const isDataFault = /^2[123]/.test(code) || !(error instanceof Error);
  return new ToolSieveError(
    `The records in Postgres could not be read (${isDataFault ? code : `${code}: ${error.message}`}).`,
  );
}

/** The lines of a table, page by page; the next page is on its way while one is read. */
async function* readPages(
  client: PostgresClient,
  table: string,
  since: Date | "-infinity",
): AsyncGenerator<string> {
  const fetchPage = async (): Promise<readonly { readonly line: string }[]> => {
    const { rows } = await client.query(`FETCH ${pageSize} FROM toolsieve_records`);
    return rows as readonly { readonly line: string }[];
  };
  await client.query("BEGIN READ ONLY");
  await client.query(declareCursor(table), [since]);
  let next = fetchPage();
  for (;;) {
    const page = await next;
    if (page.length === 0) return;
    next = fetchPage();
    // A reader that stops early leaves this page behind, and with it its failure.
    next.catch(() => undefined);
    yield page.map(({ line }) => `${line}\n`).join("");
  }
}

/** Connects, reads and closes again; a pool of the caller stays open. */
async function* readTable(
  { pool, connectionString = "", table }: z.output<typeof sourceSchema>,
  since: Date | "-infinity",
): AsyncGenerator<string> {
  const own = pool === undefined ? await openPool(connectionString, { queryTimeoutMs: 0 }) : null;
  let client: PostgresClient | undefined;
  try {
    client = await (pool ?? own)?.connect();
    if (client !== undefined) yield* readPages(client, table, since);
  } catch (error) {
    throw explainFailure(error);
  } finally {
    // Ends the transaction, and the cursor with it; a connection that cannot is of no further use.
    const isUsable = await client?.query("ROLLBACK").then(
      () => true,
      () => false,
    );
    client?.release(isUsable !== true);
    await own?.end();
  }
}

/**
 * Reads selection records from a Postgres table, in the order of writing and in constant memory,
 * without their `content`. Rows that come in meanwhile are not part of it.
 *
 * @param source `pool` or `connectionString` (which needs the package `pg`), and `table`.
 * @returns what {@link readRecords} returns for the same records in a file.
 * @throws {InvalidOptionsError} if an option is wrong.
 * @throws while it is read: {@link ToolSieveError} if the table cannot be read.
 * @example
 * ```ts
 * const log = readPostgresRecords({ connectionString: process.env.DATABASE_URL });
 * const summary = await summarize(log, { maxMissRate: 0.01 });
 * console.log(summary.verdict, summary.reasons);
 * ```
 */
export function readPostgresRecords(
  source: PostgresSource,
  options?: ReadPostgresOptions,
): RecordLog {
  const place = parseOptions(sourceSchema, source, "readPostgresRecords");
  const { since } = parseOptions(readOptionsSchema, options, "readPostgresRecords");
  return readRecords(readTable(place, since === undefined ? "-infinity" : new Date(since)));
}
