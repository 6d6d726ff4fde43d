/** The report on records in a Postgres table: the same evidence as from a file, with the tools folded by the database. */

import * as z from "zod";
import { parseOptions } from "../core/parse-options.js";
import { selectionRecordSchema } from "../core/record.js";
import type { SelectionRecord } from "../core/record.js";
import { EvidenceLog } from "./evidence-log.js";
import { calledEntry } from "./exposures.js";
import { connectTo, pagesOf, postgresSourceSchema, rangeOf } from "./postgres-rows.js";
import type { PostgresSource, Query } from "./postgres-rows.js";
import {
  callRateQuery,
  enforcedQuery,
  foldedQuery,
  namesQuery,
  policiesQuery,
  recordsQuery,
} from "./postgres-sql.js";
const isSelectionRecord = (v: unknown): v is SelectionRecord =>
  selectionRecordSchema.safeParse(v).success;
import { resolveSummarizeOptions } from "./report-options.js";
import type { ResolvedSummarizeOptions, SummarizeOptions } from "./report-options.js";
import { finishSummary } from "./summarize.js";
import type { CohortKey, CohortPolicy, ReportSummary } from "./summary.js";
import { turnFacts } from "./turn-facts.js";
import type { TurnFacts } from "./turn-facts.js";
import { whatIfGrid } from "./what-if-grid.js";
import type { RankedTurn } from "./what-if-grid.js";

const progressStep = 10_000;

interface RecordRow {
  readonly seq: string;
  readonly record: unknown;
}

interface FoldedRow extends RecordRow {
  readonly abstained: boolean;
  readonly token_sum: number | null;
  readonly by_rejection: RankedTurn["byRejection"] | null;
}

/** The facts of a turn whose tools were folded: what depends on all of them comes with the row. */
function foldedFacts(
  record: SelectionRecord,
  unit: string,
  { abstained, doubts }: { readonly abstained: boolean; readonly doubts: number },
): TurnFacts {
  const facts = turnFacts(record, unit, doubts);
  const exposures = facts.exposures.map((exposure) => ({
    ...exposure,
    rank: Number(calledEntry(record.tools, exposure.tool)?.["rank"] ?? 0),
  }));
  return { ...facts, abstained, exposures };
}

const rankedTurnOf = ({ token_sum, by_rejection }: FoldedRow): RankedTurn | null =>
  by_rejection === null ? null : { tokens: token_sum ?? 0, byRejection: by_rejection };

const text = z.string().nullable();
const policySchema = z.object({
  confidenceThreshold: z.number(),
  rejectionThreshold: z.number(),
  maxTools: z.int().min(0),
  onUncertain: z.enum(["fallback", "keep"]),
});
const cohortSchema = z.tuple([
  z.number(),
  text,
  z.string(),
  text,
  text,
  text,
  z.boolean(),
  z.number(),
  z.number(),
  z.number(),
  z.enum(["fallback", "keep"]),
]);

/** The cohort that a query names; `null` for one that no record can have. */
function identityOf(
  value: unknown,
): { readonly key: CohortKey; readonly policy: CohortPolicy } | null {
  const parsed = cohortSchema.safeParse(value);
  if (!parsed.success) return null;
  const [recordVersion, version, policyFingerprint, judgeId, judgeModel, agent, overrides] =
    parsed.data;
  const [, , , , , , , confidenceThreshold, rejectionThreshold, maxTools, onUncertain] =
    parsed.data;
  return {
    key: { recordVersion, version, policyFingerprint, judgeId, judgeModel, agent, overrides },
    policy: { confidenceThreshold, rejectionThreshold, maxTools, onUncertain },
  };
}

/** Fills a log of evidence from the table. @returns how many rows are no records of a known version. */
async function collect(
  query: Query,
  log: EvidenceLog,
  table: string,
  { since, onProgress }: Pick<ResolvedSummarizeOptions, "since" | "onProgress">,
): Promise<number> {
  const range = await rangeOf(query, table, since);
  if (range === null) return 0;
  const bounds = [range.since, range.first, range.last];
  const policies = await query<{ policy: unknown }>(policiesQuery(table), bounds);
  const grids = policies.flatMap(({ policy }) => {
    const parsed = policySchema.safeParse(policy);
    return parsed.success ? [{ policy, ...whatIfGrid(parsed.data) }] : [];
  });
  let foreignRecords = 0;
  const rows = pagesOf<FoldedRow>(query, foldedQuery(table), range, JSON.stringify(grids));
  for await (const row of rows) {
    const { record, abstained } = row;
    if (!isSelectionRecord(record)) {
      foreignRecords++;
      continue;
    }
    log.addDigest(record, (cohort, unit) => {
      const doubts = record.enforced ? NaN : cohort.addRanked(record, () => rankedTurnOf(row));
      return foldedFacts(record, unit, { abstained, doubts });
    });
    if (log.records % progressStep === 0) onProgress?.(log.records);
  }
  await addSums(query, log, table, bounds);
  return foreignRecords;
}

/** Adds what is counted across records. */
async function addSums(
  query: Query,
  log: EvidenceLog,
  table: string,
  bounds: unknown[],
): Promise<void> {
  const names = await query<{ cohort: unknown; names: readonly string[] }>(
    namesQuery(table),
    bounds,
  );
  for (const { cohort, names: found } of names) {
    const identity = identityOf(cohort);
    if (identity === null) continue;
    for (const name of found) log.cohortOf(identity).toolNames.add(name);
  }
  const rates = await query<{ cohort: unknown; bin: number; judged: number; called: number }>(
    callRateQuery(table),
    bounds,
  );
  for (const { cohort, bin, judged, called } of rates) {
    const identity = identityOf(cohort);
    if (identity !== null) log.cohortOf(identity).callRate.addCounts(bin, judged, called);
  }
  const enforced = await query<{ kind: "group" | "thread" | "run"; id: string; time: number }>(
    enforcedQuery(table),
    [bounds[2]],
  );
  for (const { kind, id, time } of enforced) log.noteEnforced({ kind, id }, time);
}

/**
 * Says what the records in a Postgres table show: the same summary as {@link summarize} gives for the same records in a
 * file. Lists of tools are folded and counted in the database; one small row comes over for each turn.
 *
 * @param source `pool` or `connectionString` (which needs the package `pg`), and `table`.
 * @throws {InvalidOptionsError} if an option is wrong.
 * @throws {ToolSieveError} if the table cannot be read.
 * @example
 * ```ts
 * const summary = await summarizePostgres({ connectionString: process.env.DATABASE_URL }, { maxMissRate: 0.01 });
 * console.log(summary.verdict, summary.reasons);
 * ```
 */
export async function summarizePostgres(
  source: PostgresSource,
  options?: SummarizeOptions,
): Promise<ReportSummary> {
  const place = parseOptions(postgresSourceSchema, source, "summarizePostgres");
  const resolved = resolveSummarizeOptions(options);
  const log = new EvidenceLog(resolved.since);
  const { query, close } = await connectTo(place);
  try {
    const foreignRecords = await collect(query, log, place.table, resolved);
    return finishSummary(log, { malformedLines: 0, foreignRecords }, resolved);
  } finally {
    await close();
  }
}

/** Records of a table, and how many rows were none. */
export interface PostgresRecordLog extends AsyncIterable<SelectionRecord> {
  readonly counts: { readonly malformedLines: number; readonly foreignRecords: number };
}

/**
 * Reads whole records from a Postgres table, in the order of writing and in constant memory: for tuning, and for looking
 * at single turns. A report is cheaper with {@link summarizePostgres}.
 *
 * @param source `pool` or `connectionString` (which needs the package `pg`), and `table`.
 * @param options.since records from this time on: a date, or epoch milliseconds.
 * @throws {InvalidOptionsError} if an option is wrong.
 * @throws {ToolSieveError} while it is read, if the table cannot be read.
 * @example
 * ```ts
 * for await (const record of readPostgresRecords({ connectionString })) console.log(record.time, record.status);
 * ```
 */
export function readPostgresRecords(
  source: PostgresSource,
  options: { readonly since?: Date | number } = {},
): PostgresRecordLog {
  const place = parseOptions(postgresSourceSchema, source, "readPostgresRecords");
  const { since } = resolveSummarizeOptions(options);
  const counts = { malformedLines: 0, foreignRecords: 0 };
  return {
    counts,
    async *[Symbol.asyncIterator]() {
      const { query, close } = await connectTo(place);
      try {
        const range = await rangeOf(query, place.table, since);
        const rows =
          range === null ? [] : pagesOf<RecordRow>(query, recordsQuery(place.table), range);
        for await (const { record } of rows) {
          if (isSelectionRecord(record)) yield record;
          else counts.foreignRecords++;
        }
      } finally {
        await close();
      }
    },
  };
}
