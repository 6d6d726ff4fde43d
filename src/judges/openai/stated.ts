/** Reads one probability per tool from a chat completion that states them: `{"answers":"1:0.03 2:0.97"}`. */

import { findAnswers, readCompletion, readNumbered } from "./chat-completion.js";

/**
 * Reads the stated probabilities of `count` tools from a chat completion. Pure.
 *
 * A number outside [0, 1] is `undefined` (unjudged). Stated probabilities are coarse: a model repeats a few round values.
 *
 * @throws {JudgeResponseError} if the batch as a whole holds no answer: `refused`, `truncated`, `malformed`.
 */
export function readStated(body: unknown, count: number): readonly (number | undefined)[] {
  const answers = findAnswers(readCompletion(body).content);
  return readNumbered(answers, count, String.raw`:-?\d+(?:\.\d+)?`).map(({ text }) => {
    const probability = Number(text.slice(1));
    return probability >= 0 && probability <= 1 ? probability : undefined;
  });
}
