/** From one answer of a judge to a verdict. */

import type { Judgment } from "./types.js";

export interface Thresholds {
  readonly confidenceThreshold: number;
  readonly rejectionThreshold: number;
}

/** True for a number in [0, 1], and for `null`: an abstention. */
export function isValidAnswer(answer: unknown): answer is number | null {
  return answer === null || (typeof answer === "number" && answer >= 0 && answer <= 1);
}

/**
 * Compares an answer with the thresholds; equality counts as decided, anything invalid is unjudged.
 */
export function toJudgment(answer: unknown, thresholds: Thresholds): Judgment {
  if (!isValidAnswer(answer)) return { probability: null, verdict: "unjudged" };
  if (answer === null) return { probability: null, verdict: "abstained" };
  if (answer >= thresholds.confidenceThreshold) {
    return { probability: answer, verdict: "applicable" };
  }
  const verdict = answer <= thresholds.rejectionThreshold ? "not-applicable" : "uncertain";
  return { probability: answer, verdict };
}
