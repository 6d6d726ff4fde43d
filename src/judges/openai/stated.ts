/**
 * Reads one probability per tool from a chat completion that states them: `{"answers":"1:0.03
 * 2:0.97"}`.
 */

import { readByNumber, type NumberedAnswer } from "../numbered-answers.js";
import { findAnswers, readCompletion } from "./chat-completion.js";

/** `NUMBER:VALUE`; any other spelling of the value is no probability. */
const entry = /(?<![^ ])(\d{1,6}):([^ ]*)/g;
const decimal = /^-?\d+(?:\.\d+)?$/;

function readEntry([, number, value = ""]: RegExpExecArray): NumberedAnswer {
  return {
    number: Number(number),
    probability: decimal.test(value) ? Number(value) : undefined,
  };
}

/**
 * Reads the stated probabilities of `count` tools from a chat completion, by number. Pure.
 *
 * A number that is missing, given twice, or without a probability in [0, 1] is `undefined`
 * (unjudged). Stated probabilities are coarse: a model repeats a few round values.
 *
 * @throws {JudgeResponseError} if the batch as a whole holds no answer: `refused`, `truncated`,
 * `malformed`.
 */
export function readStated(body: unknown, count: number): readonly (number | undefined)[] {
  const { text } = findAnswers(readCompletion(body).content);
  return readByNumber([...text.matchAll(entry)].map(readEntry), count);
}
