/**
 * A sink that inserts records into a Postgres table, in batches, and waits in a bounded queue while
 * the server is away.
 */

import * as z from "zod";
import { readErrorCode } from "../core/error-code.js";
import { booleanOption, parseOptions } from "../core/parse-options.js";
import type { SelectionRecord } from "../core/record.js";
import { waitAtMost } from "../core/timers.js";
import type { Sink } from "../core/types.js";
import { ToolSieveError } from "../errors.js";
import {
  defaultTable,
  isOneSource,
  oneSource,
  openPool,
  postgresOptionFields,
  quoteTable,
  type OwnPool,
  type PostgresPool,
} from "../postgres-client.js";
import { createQueue, queueOptionFields, type SinkStats } from "./queue.js";

const optionsSchema = z
  .strictObject({
    ...postgresOptionFields,
    ...queueOptionFields,
    /**
     * Create the table if it is missing; `false` where the role may not, and someone else ran
     * {@link postgresMigration}.
     * @default true
     */
    migrate: booleanOption().default(true),
  })
  .refine(isOneSource, oneSource);

/** Options of {@link postgresSink}: `pool` or `connectionString`, and what to do with them. */
export type PostgresSinkOptions = z.input<typeof optionsSchema>;

/** A sink that writes to Postgres. */
export interface PostgresSink extends Required<Sink> {
  /** Settles when the row is committed, or rejects when it is lost; a turn need not wait for it. */
  write(record: SelectionRecord): Promise<void>;
  stats(): SinkStats;
}

/** A record on its way, with an identity that makes a repeated insert harmless. */
interface Delivery {
  readonly id: string;
  readonly line: string;
}

const migrationLock = 7_305_801_573_291;

/**
 * The SQL that creates the table of {@link postgresSink}. It may run any number of times and from
 * several processes at once: run it in one transaction (`psql --single-transaction`).
 *
 * @example
 * ```ts
 * await pool.query(postgresMigration("audit.tool_selections"));
 * ```
 */
export function postgresMigration(table: string = defaultTable): string {
  parseOptions(
    z.strictObject({ table: postgresOptionFields.table }),
    { table },
    "postgresMigration",
  );
  const name = table.split(".").at(-1) ?? table;
  return `-- One migration at a time: IF NOT EXISTS alone fails when two sessions create the same table.
SELECT pg_advisory_xact_lock(${migrationLock});
CREATE TABLE IF NOT EXISTS ${quoteTable(table)} (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery uuid NOT NULL UNIQUE,
  time timestamptz NOT NULL,
  unit text,
  record jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS "${name}_time" ON ${quoteTable(table)} (time, seq);
CREATE INDEX IF NOT EXISTS "${name}_enforced" ON ${quoteTable(table)} (unit, time)
  WHERE record @> '{"enforced": true}';
`;
}

/**
 * Rows go in by the order of the records; a row that is already there, because only the answer got
 * lost, is left alone.
 */
const insertInto = (table: string): string => `
INSERT INTO ${quoteTable(table)} (delivery, time, unit, record)
SELECT delivery, (record->>'time')::timestamptz,
       coalesce(record->>'groupId', record->>'threadId', record->>'runId'), record
FROM (
  SELECT delivery, line::jsonb AS record, position
  FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS given (delivery, line, position)
) AS deliveries
ORDER BY position
ON CONFLICT (delivery) DO NOTHING`;

/**
 * Replaces NUL and lone surrogates, which `jsonb` cannot hold and `JSON.stringify` writes as
 * escapes, by U+FFFD. An escaped backslash is matched first, so that the text `\u0000` after it
 * stays text.
 */
function storable(line: string): string {
  return line.replace(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g, (escape) =>
    escape === "\\\\" ? escape : "\\ufffd",
  );
}

/** Data exceptions and exceeded limits: the record's own fault, which no repetition mends. */
const isRecordFault = (error: unknown): boolean => /^(?:22|23|54)/.test(readErrorCode(error) ?? "");

const failure = (what: string, error: unknown): ToolSieveError =>
  new ToolSieveError(`postgresSink: ${what} (${readErrorCode(error) ?? "connection lost"}).`);

/** Inserts batches over a pool and creates the table when it is first needed, or was dropped. */
function createInserter(table: string, migrate: boolean) {
  const insertSql = insertInto(table);
  let isReady = !migrate;

  async function prepare(pool: PostgresPool): Promise<void> {
    // Where the table exists, a role without the right to create one must not fail.
    const { rows } = await pool.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [
      quoteTable(table),
    ]);
    if (rows.length === 0) await pool.query(postgresMigration(table));
    isReady = true;
  }

  /**
   * Resolves to the error if the server refuses these records, and rejects if it may take them
   * another time.
   */
  async function insert(
    pool: PostgresPool,
    deliveries: readonly Delivery[],
  ): Promise<ToolSieveError | null> {
    try {
      if (!isReady) await prepare(pool);
      await pool.query(insertSql, [
        deliveries.map(({ id }) => id),
        deliveries.map(({ line }) => storable(line)),
      ]);
      return null;
    } catch (error) {
      if (isRecordFault(error)) return failure("the server refused a record", error);
      isReady = !migrate;
      throw failure("records wait, because the server did not take them", error);
    }
  }

  return async (
    pool: PostgresPool,
    deliveries: readonly Delivery[],
  ): Promise<readonly (ToolSieveError | null)[]> => {
    const error = await insert(pool, deliveries);
    if (error === null || deliveries.length === 1) return deliveries.map(() => error);
    // One bad record must not take the others with it.
    const errors: (ToolSieveError | null)[] = [];
    for (const delivery of deliveries) errors.push(await insert(pool, [delivery]));
    return errors;
  };
}

/** The caller's pool, or one of our own that is opened when it is first needed. */
function createPoolSource(options: Pick<PostgresSinkOptions, "pool" | "connectionString">) {
  let own: OwnPool | undefined;
  return {
    async get(): Promise<PostgresPool> {
      if (options.pool !== undefined) return options.pool;
      own ??= await openPool(options.connectionString ?? "", { queryTimeoutMs: 60_000 });
      return own;
    },
    close: async (): Promise<void> => own?.end(),
  };
}

/**
 * Inserts records into a Postgres table. `write` returns at once: rows go in by batches, in the
 * background, behind a bounded queue. The table is created when it is first needed.
 *
 * - While the server is away, records wait in the queue and are tried again with growing pauses
 *   (0.1 to 2 s), also across a lost connection: a row whose insert was committed but not confirmed
 *   is not inserted twice. What does not fit into the queue is dropped and counted.
 * - A record that the server refuses is counted in `stats().failed`, and the rest of its batch goes
 *   in.
 * - NUL characters and lone surrogates, which `jsonb` cannot hold, are stored as U+FFFD.
 *
 * Needs the package `pg`, version 8, for `connectionString`; a `pool` brings its own.
 *
 * @throws {InvalidOptionsError} if an option is wrong, or there is not exactly one of `pool` and
 * `connectionString`.
 * @throws {ToolSieveError} (as a rejection of `write`, which may be ignored) if the record was
 * lost.
 *
 * @example
 * ```ts
 * const sink = postgresSink({ connectionString: process.env.DATABASE_URL });
 * const selector = createToolSelector({ sinks: sink });
 * // … turns …
 * await selector.close();
 * // toolsieve report --postgres "$DATABASE_URL"
 * ```
 */
export function postgresSink(options: PostgresSinkOptions): PostgresSink {
  const { pool, connectionString, table, migrate, ...queueOptions } = parseOptions(
    optionsSchema,
    options,
    "postgresSink",
  );
  const source = createPoolSource({ pool, connectionString });
  const insert = createInserter(table, migrate);
  const queue = createQueue<Delivery>({
    ...queueOptions,
    name: "postgresSink",
    maxBatch: { items: 500, bytes: 4 * 1024 * 1024 },
    deliver: async (deliveries) => {
      let opened: PostgresPool;
      try {
        opened = await source.get();
      } catch (error) {
        // Without the driver, waiting is of no use.
        const lost = ToolSieveError.isInstance(error) ? error : failure("no pool opened", error);
        return deliveries.map(() => lost);
      }
      return insert(opened, deliveries);
    },
    retry: { initialMs: 100, maxMs: 2000 },
  });
  return {
    write(record) {
      const line = JSON.stringify(record);
      return queue.push({ id: crypto.randomUUID(), line }, Buffer.byteLength(line));
    },
    flush: queue.flush,
    async close() {
      await queue.close();
      // A connection that hangs in a query cannot be waited for.
      await waitAtMost(1000, source.close(), () => undefined);
    },
    stats: queue.stats,
  };
}
