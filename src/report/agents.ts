/** The verdict on each agent: of its newest cohort, and of its newest enforced policy against control. */

import type { Cohort } from "./cohorts.js";
import { compareEnforced } from "./comparison.js";
import type { EvidenceLog } from "./evidence-log.js";
import { alphaOf } from "./report-options.js";
import type { ResolvedSummarizeOptions } from "./report-options.js";
import type { AgentSummary, EnforcedComparison, JudgedCohort } from "./summary.js";
import { verdictOf, worstOf } from "./verdict.js";
import type { VerdictResult } from "./verdict.js";

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

/** The result of a log without evidence. */
export const nothingJudged: VerdictResult = {
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

/** The verdicts on all agents, those with shadow records first. */
export function agentSummaries(
  log: EvidenceLog,
  judged: readonly JudgedCohort[],
  options: ResolvedSummarizeOptions,
): readonly AgentSummary[] {
  const compared = comparisons(log, options);
  const byAgent = new Map(judged.map((cohort) => [cohort.cohort.agent, cohort]));
  return [...new Set([...byAgent.keys(), ...compared.keys()])].map((agent) =>
    agentSummary(agent, byAgent.get(agent) ?? null, compared.get(agent) ?? null, options),
  );
}

/** The second gate asks about agents that are enforced; the others run in shadow, or not at all. */
function agentsInQuestion(
  agents: readonly AgentSummary[],
  { gate }: ResolvedSummarizeOptions,
): readonly AgentSummary[] {
  return gate === "shadow" ? agents : agents.filter(({ comparison }) => comparison !== null);
}

/** The agent whose verdict is the report's. */
export function worstAgent(
  agents: readonly AgentSummary[],
  options: ResolvedSummarizeOptions,
): AgentSummary | undefined {
  return worstOf(agentsInQuestion(agents, options)) ?? worstOf(agents);
}
