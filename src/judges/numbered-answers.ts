/** Answers that a chat model numbers: read by number, whatever their order. */

import { JudgeResponseError } from "../errors.js";

/** One answer as the model gave it; both fields are unchecked. */
export interface NumberedAnswer {
  readonly number: unknown;
  readonly probability: unknown;
}

function isProbability(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

/**
 * True if the numbers run from 0 to `count` - 1: then every one of them means the tool before it.
 */
function startsAtZero(numbers: ReadonlySet<unknown>, count: number): boolean {
  return numbers.has(0) && !numbers.has(count);
}

/**
 * The probability of each number from 1 to `count`. A number that is missing, given twice, or
 * without a probability in [0, 1] is `undefined` (unjudged); numbers outside the range are ignored.
 *
 * @throws {JudgeResponseError} `malformed` if no number has an answer, or if the numbers start at
 * 0.
 */
export function readByNumber(
  answers: readonly NumberedAnswer[],
  count: number,
): readonly (number | undefined)[] {
  const byNumber = new Map<unknown, unknown>();
  for (const { number, probability } of answers) {
    byNumber.set(number, byNumber.has(number) ? undefined : probability);
  }
  const probabilities = Array.from({ length: count }, (_, index) => {
    const probability = byNumber.get(index + 1);
    return isProbability(probability) ? probability : undefined;
  });
  const isUnusable = probabilities.every((probability) => probability === undefined);
  if (isUnusable || startsAtZero(new Set(byNumber.keys()), count)) {
    throw new JudgeResponseError(
      `The judge's answer holds none for the ${count} tools by number.`,
      {
        reason: "malformed",
      },
    );
  }
  return probabilities;
}
