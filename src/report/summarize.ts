/** `summarize`: reads records once, in any order, and says what they show. */

import type { SelectionRecord } from "../core/record.js";
import type { Cohort } from "./cohorts.js";
import { compareEnforced } from "./comparison.js";
import { EvidenceLog } from "./evidence-log.js";
import { cohortSummary, judgedCohort } from "./judged-cohort.js";
import type { ReadCounts } from "./read-records.js";
import { alphaOf, resolveSummarizeOptions } from "./report-options.js";
import type { ResolvedSummarizeOptions, SummarizeOptions } from "./report-options.js";
import type { AgentSummary, EnforcedComparison, JudgedCohort, ReportSummary } from "./summary.js";
import { verdictOf, worstOf } from "./verdict.js";
import type { VerdictResult } from "./verdict.js";

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

/** Of each agent the newest cohort; turns with overrides are judged only where there is nothing else. */
export function newestByAgent(cohorts: readonly Cohort[]): ReadonlyMap<string | null, Cohort> {
  const newest = new Map<string | null, Cohort>();
  const plain = cohorts.filter(({ key }) => !key.overrides);
  const others = cohorts.filter(({ key }) => key.overrides);
  for (const cohort of [...plain, ...others]) {
    if (!newest.has(cohort.key.agent)) newest.set(cohort.key.agent, cohort);
  }
  return newest;
}

/** Of each agent the newest enforced policy, compared with its control. */
function comparisons(
  log: EvidenceLog,
  options: ResolvedSummarizeOptions,
): ReadonlyMap<string | null, EnforcedComparison> {
  const newest = log.enforcedPolicies().toSorted((one, other) => one.to - other.to);
  return new Map(
    [...new Map(newest.map((policy) => [policy.agent, policy])).values()].map((policy) => [
      policy.agent,
      compareEnforced({
        ...policy,
        units: [...log.comparedUnits(policy)].map(({ copies }) => copies),
        enforceShares: [...policy.enforceShares].sort((a, b) => a - b),
        labels: options.labels,
        alpha: alphaOf(options),
      }),
    ]),
  );
}

const nothingJudged: VerdictResult = {
  verdict: "no-evidence",
  exitCode: 3,
  reasons: ["No shadow record with a group, thread or run."],
  changes: ["Run in shadow mode, with a threadId on every turn."],
};

const nothingEnforced: VerdictResult = {
  verdict: "no-evidence",
  exitCode: 3,
  reasons: ["No enforced record."],
  changes: ["Enforce for a share of the threads (enforceShare)."],
};

function shadowVerdict(judged: JudgedCohort, options: ResolvedSummarizeOptions): VerdictResult {
  return verdictOf(
    { ...judged, policyFingerprint: judged.cohort.policyFingerprint },
    {
      limit: options.maxMissRate,
      alpha: alphaOf(options),
      expectPolicy: options.expectPolicy,
    },
  );
}

function enforcedVerdict(comparison: EnforcedComparison | null): VerdictResult {
  if (comparison === null) return nothingEnforced;
  const { verdict, exitCode, reasons } = comparison;
  const advice = {
    ready: "Keep a control share (enforceShare at most 0.95).",
    "not-ready": "Lower enforceShare, and look at the threads with the harm.",
    "no-evidence": "More units on both sides, by time or by a larger share.",
  };
  return { verdict, exitCode, reasons, changes: [advice[verdict]] };
}

function agentSummary(
  agent: string | null,
  judged: JudgedCohort | null,
  comparison: EnforcedComparison | null,
  options: ResolvedSummarizeOptions,
): AgentSummary {
  const shadow = judged === null ? nothingJudged : shadowVerdict(judged, options);
  const result = options.gate === "enforced" ? enforcedVerdict(comparison) : shadow;
  return { agent, ...result, judged, comparison };
}

/** The second gate asks about agents that are enforced; the others run in shadow, or not at all. */
function agentsInQuestion(
  agents: readonly AgentSummary[],
  { gate }: ResolvedSummarizeOptions,
): readonly AgentSummary[] {
  return gate === "shadow" ? agents : agents.filter(({ comparison }) => comparison !== null);
}

/** What the figures assume, for the page to state. */
function assumptionsOf(
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
export function finishSummary(
  log: EvidenceLog,
  counts: ReadCounts,
  options: ResolvedSummarizeOptions,
): ReportSummary {
  const cohorts = log.cohorts();
  const newest = newestByAgent(cohorts);
  const compared = comparisons(log, options);
  const judgedCohorts = new Map(
    [...newest.values()].map((cohort) => [cohort, judgedCohort(log, cohort, options)]),
  );
  const agents = [...new Set([...newest.keys(), ...compared.keys()])].map((agent) => {
    const cohort = newest.get(agent);
    const judged = cohort === undefined ? null : (judgedCohorts.get(cohort) ?? null);
    return agentSummary(agent, judged, compared.get(agent) ?? null, options);
  });
  const worst = worstOf(agentsInQuestion(agents, options)) ?? worstOf(agents);
  const { verdict, exitCode, reasons, changes } = worst ?? nothingJudged;
  const judged = worst?.judged ?? null;
  const { period } = log;
  return {
    verdict,
    exitCode,
    reasons: agents.length > 1 ? reasons.map((reason) => `${nameOf(worst)}: ${reason}`) : reasons,
    changes,
    gate: options.gate,
    judged,
    agents: Object.fromEntries(agents.map((agent) => [nameOf(agent), agent])),
    cohorts: cohorts.map((cohort) => cohortSummary(log, cohort, judgedCohorts.get(cohort))),
    assumptions: assumptionsOf(judged, options),
    options: {
      maxMissRate: options.maxMissRate,
      looks: options.looks,
      alpha: alphaOf(options),
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

const nameOf = (summary: AgentSummary | undefined): string => summary?.agent ?? unnamedAgent;

/**
 * Says what a shadow log shows: the verdict with its reasons, and every figure behind it.
 *
 * Records may come in any order. Of each turn about 100 bytes stay in memory, whatever its size in the log.
 *
 * @param records any iterable of records; those of `readRecords` also bring their counts of unreadable lines.
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
