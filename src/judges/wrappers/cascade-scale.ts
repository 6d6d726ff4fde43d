/** Moves the answers of a cascade's first judge to the scale of the second. */

import type { Judge } from "../../core/types.js";

export type Answer = number | null | undefined;
export type Thresholds = NonNullable<Judge["thresholds"]>;

export const defaultThresholds: Thresholds = { confidence: 0.8, rejection: 0.2 };

/** Scale of the distances between final answers that were moved to the threshold. */
const rankStep = 1e-6;

/**
 * The final answers of the first judge on the second's scale, `undefined` where one is open. An
 * answer that the second's thresholds would read otherwise is moved to the threshold; accepted ones
 * keep their order above it, for the cap.
 */
export function toFinalAnswers(
  answers: readonly Answer[],
  cuts: Thresholds,
  scale: Thresholds,
): readonly (number | undefined)[] {
  const isAccepted = (answer: Answer): answer is number =>
    typeof answer === "number" && answer >= cuts.confidence;
  const moved = answers.filter(isAccepted).filter((answer) => answer < scale.confidence);
  const lowest = Math.min(...moved);
  return answers.map((answer): number | undefined => {
    if (typeof answer !== "number") return undefined;
    if (answer <= cuts.rejection) return Math.min(answer, scale.rejection);
    if (!isAccepted(answer)) return undefined;
    if (answer >= scale.confidence) return answer;
    return Math.min(1, scale.confidence + (answer - lowest) * rankStep);
  });
}

/** An open answer of the first judge, moved so that the second's thresholds do not decide it. */
export function toUndecided(answer: Answer, { rejection, confidence }: Thresholds): Answer {
  const decides = typeof answer === "number" && (answer <= rejection || answer >= confidence);
  return decides ? (rejection + confidence) / 2 : answer;
}
