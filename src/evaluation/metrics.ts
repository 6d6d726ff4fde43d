/**
 * Measures a policy on judged cases (recall, hidden tools), and the probabilities by themselves.
 */

import { decide } from "../core/decide.js";
import type { SelectionPolicy } from "../core/decide.js";
import type { Thresholds } from "../core/verdict.js";
import { toJudgment } from "../core/verdict.js";
import { estimateAuroc, estimateShare } from "./estimate.js";
import type { Estimate } from "./estimate.js";
import type { JudgedCase } from "./judge-cases.js";

/** The effect of a policy on cases with known labels. */
export interface PolicyMetrics {
  /** Cases with every needed tool kept. */
  readonly recallPerCase: Estimate | null;
  /** Needed tools kept, of all of them. */
  readonly recallPerTool: Estimate | null;
  /** Tools hidden, of all that were judged, in cases that need one. */
  readonly hidden: Estimate | null;
  /** Cases in which doubt restored the full catalog. */
  readonly fallbacks: Estimate | null;
}

/** The quality of the probabilities, without a policy. */
export interface CalibrationMetrics {
  /** Expected calibration error over 15 bins of equal width (Guo et al. 2017). */
  readonly error: number;
  /** Mean squared difference between probability and label. */
  readonly brier: number;
  readonly pairs: number;
}

const seed = 1;
const needsTools = ({ needed }: JudgedCase): boolean => needed?.includes(true) ?? false;

/**
 * The three policies that every evaluation shows.
 *
 * @param maxTools the cap of the default policy: the judge's own, else 8.
 */
export function standardPolicies(
  thresholds: Thresholds,
  maxTools = 8,
): Readonly<Record<PolicyName, SelectionPolicy>> {
  const own = {
    confidenceThreshold: thresholds.confidenceThreshold,
    rejectionThreshold: thresholds.rejectionThreshold,
  };
  return {
    keep: { ...own, onUncertain: "keep", maxTools: Number.MAX_SAFE_INTEGER },
    default: { ...own, onUncertain: "fallback", maxTools },
    keep8: { ...own, onUncertain: "keep", maxTools: 8 },
  };
}

/** `keep` without a cap, the default options, `keep` with `maxTools: 8`. */
export type PolicyName = "keep" | "default" | "keep8";

interface CaseOutcome {
  readonly unit: string;
  readonly tools: number;
  readonly hidden: number;
  readonly needed: number;
  readonly neededKept: number;
  readonly fallback: boolean;
}

function applyPolicy(judged: JudgedCase, policy: SelectionPolicy): CaseOutcome {
  const decision = decide(
    judged.answers.map((answer) => toJudgment(answer, policy)),
    policy,
  );
  const needed = judged.needed ?? [];
  return {
    unit: judged.unit,
    tools: judged.answers.length,
    needed: needed.filter(Boolean).length,
    neededKept: needed.filter((isNeeded, index) => isNeeded && decision.kept[index]).length,
    hidden: decision.kept.filter((kept) => !kept).length,
    fallback: decision.fallback,
  };
}

/** Applies a policy to judged cases. Cases that need no tool, or without labels, do not count. */
export function measurePolicy(
  judged: readonly JudgedCase[],
  policy: SelectionPolicy,
): PolicyMetrics {
  const outcomes = judged.filter(needsTools).map((one) => applyPolicy(one, policy));
  const share = (
    part: (one: CaseOutcome) => number,
    whole: (one: CaseOutcome) => number,
  ): Estimate | null =>
    estimateShare(
      outcomes.map((one) => ({ unit: one.unit, part: part(one), whole: whole(one) })),
      seed,
    );
  return {
    recallPerCase: share(
      (one) => (one.neededKept === one.needed ? 1 : 0),
      () => 1,
    ),
    recallPerTool: share(
      (one) => one.neededKept,
      (one) => one.needed,
    ),
    hidden: share(
      (one) => one.hidden,
      (one) => one.tools,
    ),
    fallbacks: share(
      (one) => (one.fallback ? 1 : 0),
      () => 1,
    ),
  };
}

/** The largest probability of a case; a tool without one stays visible, and counts as 1. */
function readTopScore({ answers }: JudgedCase): number {
  return Math.max(0, ...answers.map((answer) => answer ?? 1));
}

/**
 * How well the largest probability of a case separates requests that need a tool from those that
 * need none: the area under the ROC curve. Cases of runs (`called`) do not count, because a tool
 * can apply without being called.
 */
export function measureNoneDetection(judged: readonly JudgedCase[]): Estimate | null {
  return estimateAuroc(
    judged
      .filter(({ labels }) => labels === "applicable")
      .map((one) => ({
        unit: one.unit,
        score: readTopScore(one),
        isPositive: one.needed === null || needsTools(one),
      })),
    seed,
  );
}

/**
 * Compares probabilities with labels, over every judged pair of a case and a tool. Abstentions and
 * cases of runs do not count.
 */
export function measureCalibration(judged: readonly JudgedCase[]): CalibrationMetrics | null {
  const pairs = judged
    .filter(({ labels }) => labels === "applicable")
    .flatMap(({ answers, needed }) =>
      (needed ?? []).flatMap((isNeeded, index) => {
        const answer = answers[index];
        if (typeof answer !== "number") return [];
        return [{ probability: answer, label: isNeeded ? 1 : 0 }];
      }),
    );
  if (pairs.length === 0) return null;
  const surplus = new Float64Array(15);
  let squares = 0;
  for (const { probability, label } of pairs) {
    const bin = Math.min(14, Math.floor(probability * 15));
    surplus[bin] = (surplus[bin] ?? 0) + probability - label;
    squares += (probability - label) ** 2;
  }
  const error = surplus.reduce((total, value) => total + Math.abs(value), 0) / pairs.length;
  return { error, brier: squares / pairs.length, pairs: pairs.length };
}
