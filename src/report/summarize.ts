/** `summarize`: reads records once, in any order, and returns the report's figures. */

import type { SelectionRecord } from "../core/record.js";
import {
  judgeAgents,
  findNewestByAgent,
  nothingJudged,
  worstAgent,
} from "./verdict/judge-agents.js";
import { EvidenceLog } from "./units/evidence-log.js";
import { judgeCohort, summarizeCohort } from "./verdict/judge-cohort.js";
import type { ReadCounts } from "./records/read-records.js";
import { resolveSummarizeOptions } from "./summarize-options.js";
import type { ResolvedSummarizeOptions, SummarizeOptions } from "./summarize-options.js";
import type { AgentSummary, JudgedCohort, ReportSummary } from "./summary.js";

const progressStep = 10_000;
const unnamedAgent = "(unnamed)";

/** Records to summarize; those of `readRecords` also say how many lines could not be read. */
export type RecordSource = (AsyncIterable<SelectionRecord> | Iterable<SelectionRecord>) & {
  readonly counts?: ReadCounts;
};

/** Puts all records into a log. */
export async function collectEvidence(
  records: RecordSource,
  { since, onProgress }: Pick<ResolvedSummarizeOptions, "since" | "onProgress">,
): Promise<EvidenceLog> {
  const log = new EvidenceLog(since);
  for await (const record of records) {
    log.add(record);
    if (log.records % progressStep === 0) onProgress?.(log.records);
  }
  return log;
}

/** Lists the assumptions of the figures, as sentences. */
function listAssumptions(
  judged: JudgedCohort | null,
  { looks }: ResolvedSummarizeOptions,
): readonly string[] {
  const always = [
    "Units are taken to be independent of each other; turns of one unit are not.",
    "Shadow shows calls of tools that would have been hidden. It does not show substitutions, changed plans or task success.",
    looks === 1
      ? "The bounds hold for one look: a gate that runs every night until it is green is many (--looks)."
      : `The error of each bound is divided by ${looks} looks.`,
  ];
  if (judged === null) return always;
  const { netSaving, unit } = judged;
  const defaults = netSaving.ratios.filter(({ source }) => source === "default");
  return [
    ...always,
    ...(unit === "run" ? ["Units are runs: the records name no threads."] : []),
    ...(netSaving.assumesNoCaching
      ? ["Turns without usage of the model: the saving assumes no caching, the best case."]
      : []),
    ...(defaults.length > 0
      ? [
          "No cache prices known for the model: a read at 0.1 and a write at 1.25 of a fresh token are assumed.",
        ]
      : []),
  ];
}

/** Turns a log into its summary. */
function finishSummary(
  log: EvidenceLog,
  counts: ReadCounts,
  options: ResolvedSummarizeOptions,
): ReportSummary {
  const cohorts = log.finishCohorts();
  const judgedCohorts = new Map(
    [...findNewestByAgent(cohorts).values()].map((cohort) => [
      cohort,
      judgeCohort(log, cohort, options),
    ]),
  );
  const agents = judgeAgents(log, [...judgedCohorts.values()], options);
  const worst = worstAgent(agents, options);
  const { verdict, exitCode, reasons, changes } = worst ?? nothingJudged;
  const judged = worst?.judged ?? null;
  const { period } = log;
  return {
    verdict,
    exitCode,
    reasons:
      agents.length > 1 ? reasons.map((reason) => `${nameAgent(worst)}: ${reason}`) : reasons,
    changes,
    gate: options.gate,
    judged,
    agents: Object.fromEntries(agents.map((agent) => [nameAgent(agent), agent])),
    cohorts: cohorts.map((cohort) => summarizeCohort(log, cohort, judgedCohorts.get(cohort))),
    assumptions: listAssumptions(judged, options),
    options: {
      maxMissRate: options.maxMissRate,
      looks: options.looks,
      alpha: options.alpha,
      since: options.since === undefined ? null : new Date(options.since).toISOString(),
      expectPolicy: options.expectPolicy ?? null,
      critical: options.critical,
    },
    period:
      period === null
        ? null
        : { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() },
    records: log.records,
    malformedLines: counts.malformedLines,
    foreignRecords: counts.foreignRecords,
    uncountedRecords: log.uncountedRecords,
  };
}

const nameAgent = (summary: AgentSummary | undefined): string => summary?.agent ?? unnamedAgent;

/**
 * Summarizes a shadow log: the verdict with its reasons, and every figure behind it.
 *
 * Records may come in any order. About 150 bytes of each turn stay in memory, independent of its
 * size in the log.
 *
 * @param records any iterable of records; those of `readRecords` also bring their counts of
 * unreadable lines.
 * @throws {InvalidOptionsError} if an option is wrong; and whatever the iterable throws.
 * @example
 * ```ts
 * const summary = await summarize(readRecords("logs/*.jsonl"), { maxMissRate: 0.01 });
 * console.log(summary.verdict, summary.reasons);
 * process.exitCode = summary.exitCode;
 * ```
 */
export async function summarize(
  records: RecordSource,
  options?: SummarizeOptions,
): Promise<ReportSummary> {
  const resolved = resolveSummarizeOptions(options);
  const log = await collectEvidence(records, resolved);
  return finishSummary(log, records.counts ?? { malformedLines: 0, foreignRecords: 0 }, resolved);
}
