/**
 * The verdict on the judged cohort of an agent: ready, not ready or no evidence, with its reasons
 * and what would change it. Pure.
 */

import { countUnitsNeeded, countUnitsWithoutMiss } from "./bounds.js";
import type { JudgedCohort, ReportVerdict } from "../summary.js";
import { formatCount, formatPercent } from "../../core/format.js";
import { countUnits, unitNoun } from "../wording.js";

/** Fewer judged turns than this are an outage, not evidence. */
const minJudgedShare = 0.9;
/** More fallbacks than this, and enforcing changes little. */
const maxFallbackShare = 0.5;

export interface VerdictLevel {
  /** m: the share of units that may miss a tool. */
  readonly limit: number;
  readonly alpha: number;
  readonly expectPolicy: string | undefined;
}

/** A verdict with its exit code and its sentences. */
export interface VerdictResult {
  readonly verdict: ReportVerdict;
  readonly exitCode: 0 | 1 | 3;
  readonly reasons: readonly string[];
  readonly changes: readonly string[];
}

/** The part of a cohort's summary that decides the verdict. */
export type Evidence = Pick<
  JudgedCohort,
  | "units"
  | "missedUnits"
  | "upperBound"
  | "lowerBound"
  | "unit"
  | "askedTurns"
  | "judgedShare"
  | "fallbackShare"
  | "netSaving"
  | "suggestedAlwaysInclude"
> & { readonly policyFingerprint: string };

interface Finding {
  readonly reason: string;
  readonly change: string;
}

/** 0 ready, 1 not ready, 3 no evidence. */
export const exitCodes = { ready: 0, "not-ready": 1, "no-evidence": 3 } as const;

function adviseMoreUnits({ units, missedUnits, unit }: Evidence, level: VerdictLevel): string {
  const missing = Math.max(1, countUnitsNeeded(missedUnits, level.limit, level.alpha) - units);
  return `${countUnits(missing, unit)} more without a miss would change it.`;
}

function adviseOnMisses({ suggestedAlwaysInclude }: Evidence): string {
  const names = suggestedAlwaysInclude.slice(0, 5).join(", ");
  return `Add the missed tools to alwaysInclude (${names}), lower rejectionThreshold or raise maxTools (toolsieve tune): that starts a new cohort.`;
}

/** Findings that mean "not ready" for a log of any size. */
function listCertainFindings(evidence: Evidence, level: VerdictLevel): readonly Finding[] {
  const findings: Finding[] = [];
  if (level.expectPolicy !== undefined && level.expectPolicy !== evidence.policyFingerprint) {
    findings.push({
      reason: `The newest records come from policy ${evidence.policyFingerprint}, not from the expected ${level.expectPolicy}.`,
      change: "Collect shadow records with the expected policy.",
    });
  }
  if (evidence.lowerBound > level.limit) {
    findings.push({
      reason: `${evidence.missedUnits} of ${countUnits(evidence.units, evidence.unit)} would have missed a tool: at least ${formatPercent(evidence.lowerBound)}, more than the limit of ${formatPercent(level.limit)}.`,
      change: adviseOnMisses(evidence),
    });
  }
  return findings;
}

/** The narrowest scope of `sticky` with which the same turns would have paid. */
function adviseSticky({ netSaving, unit }: Evidence): string {
  const helpful = netSaving.sticky.find(({ lowerBound }) => lowerBound !== null && lowerBound > 0);
  if (helpful === undefined) return "";
  const { sticky, mean, lowerBound } = helpful;
  return ` With sticky: "${sticky}" these turns would have saved ${formatCount(mean ?? 0)} per ${unitNoun(unit)}, at least ${formatCount(lowerBound ?? 0)}.`;
}

function findSavingFault(evidence: Evidence): Finding | null {
  const { netSaving, unit } = evidence;
  const { lowerBound, mean, unproven, breakEven } = netSaving;
  if (lowerBound !== null && lowerBound > 0) return null;
  if (lowerBound === null || mean === null) {
    return {
      reason: unproven ?? "Saving unproven.",
      change: "Use a judge that reports its usage, or state its prices (--prices).",
    };
  }
  const turns =
    breakEven.turns === null
      ? "no stability of the tools block makes it pay"
      : `it pays from ${Math.ceil(breakEven.turns)} turns between two changes of the tools block`;
  return {
    reason: `Not worth it: the net saving is ${formatCount(mean)} input-token equivalents per ${unitNoun(unit)}, with a lower bound of ${formatCount(lowerBound)}.`,
    change: `A cheaper judge, or a tools block that changes less often: ${turns}.${adviseSticky(evidence)}`,
  };
}

/** Findings that count once the log is large enough for a verdict. */
function listLateFindings(evidence: Evidence, level: VerdictLevel): readonly Finding[] {
  const { judgedShare, fallbackShare } = evidence;
  const found: (Finding | null)[] = [
    evidence.upperBound > level.limit && evidence.lowerBound <= level.limit
      ? {
          reason: `${evidence.missedUnits} of ${countUnits(evidence.units, evidence.unit)} would have missed a tool: up to ${formatPercent(evidence.upperBound)} cannot be excluded, the limit is ${formatPercent(level.limit)}.`,
          change: adviseMoreUnits(evidence, level),
        }
      : null,
    judgedShare !== null && judgedShare < minJudgedShare
      ? {
          reason: `Only ${formatPercent(judgedShare)} of the turns were judged; the rest is an outage, not evidence (${formatPercent(minJudgedShare)} needed).`,
          change:
            "Find out why the judge fails (fallback reasons), or give it more time (timeoutMs).",
        }
      : null,
    fallbackShare !== null && fallbackShare > maxFallbackShare
      ? {
          reason: `${formatPercent(fallbackShare)} of the turns restore the full catalog: enforcing would change little (${formatPercent(maxFallbackShare)} allowed).`,
          change: 'Use onUncertain: "keep", or thresholds closer to each other.',
        }
      : null,
    findSavingFault(evidence),
  ];
  return found.filter((finding) => finding !== null);
}

function toResult(verdict: ReportVerdict, found: readonly Finding[]): VerdictResult {
  return {
    verdict,
    exitCode: exitCodes[verdict],
    reasons: found.map(({ reason }) => reason),
    changes: [...new Set(found.map(({ change }) => change))],
  };
}

/** Marks findings of a log that is too small for a verdict. */
const markEarly = (found: readonly Finding[]): readonly Finding[] =>
  found.map(({ reason, change }) => ({ reason: `So far: ${reason}`, change }));

const unjudged: Finding = {
  reason: "Nothing was judged: no turn has an answer of the judge.",
  change: "Find out why the judge does not answer.",
};

function describeTooFew(evidence: Evidence, level: VerdictLevel): Finding {
  const { units, unit } = evidence;
  const needed = countUnitsWithoutMiss(level.limit, level.alpha);
  return {
    reason: `${countUnits(units, unit)} with a call that could have been hidden; ${needed} without a miss are the least that can show a rate below ${formatPercent(level.limit)} (so far up to ${formatPercent(evidence.upperBound)} cannot be excluded).`,
    change: adviseMoreUnits(evidence, level),
  };
}

function describeReady(
  { missedUnits, units, unit, upperBound }: Evidence,
  level: VerdictLevel,
): Finding {
  return {
    reason: `Ready for a first share (enforceShare 0.05): ${missedUnits} of ${countUnits(units, unit)} would have missed a tool; up to ${formatPercent(upperBound)} cannot be excluded, the limit is ${formatPercent(level.limit)}.`,
    change: "Keep a control share (enforceShare at most 0.95) and compare it with --gate enforced.",
  };
}

/** Judges the evidence by the rules of docs/report.md. */
export function decideVerdict(evidence: Evidence, level: VerdictLevel): VerdictResult {
  const certain = listCertainFindings(evidence, level);
  const found = listLateFindings(evidence, level);
  const isLarge = evidence.units >= countUnitsWithoutMiss(level.limit, level.alpha);
  const isJudged = evidence.askedTurns > 0 && evidence.judgedShare !== 0;
  if (certain.length > 0) return toResult("not-ready", [...certain, ...(isLarge ? found : [])]);
  if (!isJudged) return toResult("no-evidence", [unjudged]);
  if (!isLarge) {
    const few = describeTooFew(evidence, level);
    const others = found.filter(({ change }) => change !== few.change);
    return toResult("no-evidence", [few, ...markEarly(others)]);
  }
  return found.length > 0
    ? toResult("not-ready", found)
    : toResult("ready", [describeReady(evidence, level)]);
}

const severity: readonly ReportVerdict[] = ["not-ready", "no-evidence", "ready"];

/** The worst of several results: not ready, then no evidence, then ready; the first of equals. */
export function findWorst<T extends { readonly verdict: ReportVerdict }>(
  results: readonly T[],
): T | undefined {
  return severity.flatMap((verdict) => results.filter((item) => item.verdict === verdict))[0];
}
