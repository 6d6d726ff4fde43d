/** The policy: decides from the judgments of a turn which candidates are kept, and why. */

import type { Judgment, ToolReason, Verdict } from "./types.js";
import type { Thresholds } from "./verdict.js";

export interface SelectionPolicy extends Thresholds {
  readonly maxTools: number;
  readonly onUncertain: "fallback" | "keep";
}

/** Which candidates are kept, and why; arrays are in candidate order. */
export interface Decision {
  readonly status: "decided" | "uncertain" | "failed";
  /** The full catalog is restored. */
  readonly fallback: boolean;
  readonly kept: readonly boolean[];
  readonly reasons: readonly ToolReason[];
}

/**
 * The status of a turn, a partition: any unjudged is `failed`, else any doubt is `uncertain`, else
 * `decided`.
 */
export function readStatus(judgments: readonly Judgment[]): Decision["status"] {
  const verdicts = new Set(judgments.map(({ verdict }) => verdict));
  if (verdicts.has("unjudged")) return "failed";
  const doubts: readonly Verdict[] = ["uncertain", "abstained", "not-awaited"];
  return doubts.some((verdict) => verdicts.has(verdict)) ? "uncertain" : "decided";
}

/** True if the judgments so far already make it certain that the full catalog is restored. */
export function isFallbackCertain(
  judgments: readonly Judgment[],
  onUncertain: SelectionPolicy["onUncertain"],
): boolean {
  return onUncertain === "fallback" && readStatus(judgments) !== "decided";
}

function isFallback(
  judgments: readonly Judgment[],
  status: Decision["status"],
  onUncertain: SelectionPolicy["onUncertain"],
): boolean {
  if (onUncertain === "fallback") return status !== "decided";
  return judgments.every(({ probability }) => probability === null);
}

/**
 * Indexes of the candidates that compete for `maxTools` places, the best first; ties in catalog
 * order.
 */
function rankCandidates(judgments: readonly Judgment[]): readonly number[] {
  const byProbability = (verdict: Verdict): number[] =>
    judgments
      .map((judgment, index) => ({ ...judgment, index }))
      .filter((judgment) => judgment.verdict === verdict)
      .sort((a, b) => (b.probability ?? 0) - (a.probability ?? 0) || a.index - b.index)
      .map(({ index }) => index);
  return [...byProbability("applicable"), ...byProbability("uncertain")];
}

/** Candidates that stay visible whatever the judge says, by their index. */
export interface StickyCandidates {
  readonly isSticky: (index: number) => boolean;
  /**
   * True for sticky candidates of earlier runs. Those of this run keep the place that they took:
   * else each step would offer as many tools more.
   */
  readonly isOutsideCap: (index: number) => boolean;
}

const noSticky: StickyCandidates = { isSticky: () => false, isOutsideCap: () => false };

/**
 * Applies the policy to the judgments of all candidates of a turn.
 *
 * Applicable tools by probability, then uncertain ones, are cut at `maxTools`; abstained and
 * unjudged tools are never cut and do not count, nor are sticky ones. In a fallback everything is
 * kept.
 */
export function decide(
  judgments: readonly Judgment[],
  policy: SelectionPolicy,
  sticky: StickyCandidates = noSticky,
): Decision {
  const status = readStatus(judgments);
  if (isFallback(judgments, status, policy.onUncertain)) return restoreAll(judgments, status);
  const { isSticky, isOutsideCap } = sticky;
  const ranked = rankCandidates(judgments).filter((index) => !isOutsideCap(index));
  const overCap = new Set(ranked.slice(policy.maxTools).filter((index) => !isSticky(index)));
  const explain = ({ verdict }: Judgment, index: number): ToolReason => {
    if (overCap.has(index)) return "over-cap";
    return verdict === "not-applicable" && isSticky(index) ? "sticky" : verdict;
  };
  return {
    status,
    fallback: false,
    kept: judgments.map(
      ({ verdict }, index) =>
        isSticky(index) || (verdict !== "not-applicable" && !overCap.has(index)),
    ),
    reasons: judgments.map(explain),
  };
}

/** The decision that restores the full catalog: everything is kept, because of the fallback. */
export function restoreAll(
  judgments: readonly (Judgment | null)[],
  status: Decision["status"],
): Decision {
  return {
    status,
    fallback: true,
    kept: judgments.map(() => true),
    reasons: judgments.map(() => "fallback"),
  };
}
