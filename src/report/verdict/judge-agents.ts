/**
 * The verdict on each agent: of its newest cohort, and of its newest enforced policy against
 * control.
 */

import type { Cohort } from "../units/cohorts.js";
import { compareEnforced } from "./compare-enforced.js";
import type { EvidenceLog } from "../units/evidence-log.js";
import type { ResolvedSummarizeOptions } from "../summarize-options.js";
import type { AgentSummary, EnforcedComparison, JudgedCohort } from "../summary.js";
import { decideVerdict, findWorst } from "./decide-verdict.js";
import type { VerdictResult } from "./decide-verdict.js";

/**
 * Of each agent the newest cohort; turns with overrides are judged only where there is nothing
 * else.
 */
export function findNewestByAgent(cohorts: readonly Cohort[]): ReadonlyMap<string | null, Cohort> {
  const newest = new Map<string | null, Cohort>();
  const plain = cohorts.filter(({ key }) => !key.overrides);
  const others = cohorts.filter(({ key }) => key.overrides);
  for (const cohort of [...plain, ...others]) {
    if (!newest.has(cohort.key.agent)) newest.set(cohort.key.agent, cohort);
  }
  return newest;
}

/** Of each agent the newest enforced policy, compared with its control. */
function compareAgents(
  log: EvidenceLog,
  options: ResolvedSummarizeOptions,
): ReadonlyMap<string | null, EnforcedComparison> {
  const newest = log.listEnforced().toSorted((one, other) => one.to - other.to);
  return new Map(
    [...new Map(newest.map((policy) => [policy.agent, policy])).values()].map((policy) => [
      policy.agent,
      compareEnforced({
        ...policy,
        units: [...log.readCompared(policy)].map(({ copies }) => copies),
        enforceShares: [...policy.enforceShares].sort((a, b) => a - b),
        labels: options.labels,
        alpha: options.alpha,
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

function decideShadow(judged: JudgedCohort, options: ResolvedSummarizeOptions): VerdictResult {
  return decideVerdict(
    { ...judged, policyFingerprint: judged.cohort.policyFingerprint },
    {
      limit: options.maxMissRate,
      alpha: options.alpha,
      expectPolicy: options.expectPolicy,
    },
  );
}

function decideEnforced(comparison: EnforcedComparison | null): VerdictResult {
  if (comparison === null) return nothingEnforced;
  const { verdict, exitCode, reasons } = comparison;
  const advice = {
    ready: "Keep a control share (enforceShare at most 0.95).",
    "not-ready": "Lower enforceShare, and look at the threads with the harm.",
    "no-evidence": "More units on both sides, by time or by a larger share.",
  };
  return { verdict, exitCode, reasons, changes: [advice[verdict]] };
}

function summarizeAgent(
  agent: string | null,
  judged: JudgedCohort | null,
  comparison: EnforcedComparison | null,
  options: ResolvedSummarizeOptions,
): AgentSummary {
  const shadow = judged === null ? nothingJudged : decideShadow(judged, options);
  const result = options.gate === "enforced" ? decideEnforced(comparison) : shadow;
  return { agent, ...result, judged, comparison };
}

/** The verdicts on all agents, those with shadow records first. */
export function judgeAgents(
  log: EvidenceLog,
  judged: readonly JudgedCohort[],
  options: ResolvedSummarizeOptions,
): readonly AgentSummary[] {
  const compared = compareAgents(log, options);
  const byAgent = new Map(judged.map((cohort) => [cohort.cohort.agent, cohort]));
  return [...new Set([...byAgent.keys(), ...compared.keys()])].map((agent) =>
    summarizeAgent(agent, byAgent.get(agent) ?? null, compared.get(agent) ?? null, options),
  );
}

/** The second gate asks about agents that are enforced; the others run in shadow, or not at all. */
function listAgentsInQuestion(
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
  return findWorst(listAgentsInQuestion(agents, options)) ?? findWorst(agents);
}
