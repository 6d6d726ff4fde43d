/** From one answer of a judge to a verdict. Evidence in, policy applied; nothing invalid is ever read as a number. */

import type { Judgment } from "./types.js";

export interface Thresholds {
  readonly confidenceThreshold: number;
  readonly rejectionThreshold: number;
}

/** True if a judge's answer counts: a finite number in [0, 1], or `null` for an abstention. */
export function isValidAnswer(answer: unknown): answer is number | null {
  return answer === null || (typeof answer === "number" && answer >= 0 && answer <= 1);
}

/** Reads one answer, whatever it is. Equality with a threshold is decided. */
export function judgmentOf(answer: unknown, thresholds: Thresholds): Judgment {
  if (!isValidAnswer(answer)) return { probability: null, verdict: "unjudged" };
  if (answer === null) return { probability: null, verdict: "abstained" };
  if (answer >= thresholds.confidenceThreshold) {
    return { probability: answer, verdict: "applicable" };
  }
  const verdict = answer <= thresholds.rejectionThreshold ? "not-applicable" : "uncertain";
  return { probability: answer, verdict };
}
