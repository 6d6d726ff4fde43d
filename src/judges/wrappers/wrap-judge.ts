/** Wraps a judge: identity and limits stay, the request changes, and the reply is checked once. */

import type { Judge, JudgeResponse } from "../../core/types.js";
import { isValidAnswer } from "../../core/verdict.js";

/** Judges whose replies are checked already. */
const checkedJudges = new WeakSet<Judge>();

/** True for a judge that `wrapJudge` made. */
export function isChecked(judge: Judge): boolean {
  return checkedJudges.has(judge);
}

/**
 * The reply with one answer per candidate, `undefined` where it is missing or invalid. A reply with
 * any other number of answers is void, because an answer cannot be matched to a candidate.
 */
export function checkResponse(response: JudgeResponse, expected: number): JudgeResponse {
  const isObject = typeof response === "object" && response !== null;
  const given: unknown = isObject ? response.probabilities : undefined;
  const isWhole = Array.isArray(given) && given.length === expected;
  const probabilities = Array.from({ length: expected }, (_, index) => {
    const answer: unknown = isWhole ? given[index] : undefined;
    return isValidAnswer(answer) ? answer : undefined;
  });
  return isObject ? { ...response, probabilities } : { probabilities };
}

/**
 * A judge with the identity and limits of `inner` that asks differently: `id`, `batchSize`,
 * `scope`, `maxTools`, `thresholds` and `prepare` are carried through. Its replies are checked.
 *
 * @param changes what else differs from `inner`.
 */
export function wrapJudge(inner: Judge, ask: Judge["judge"], changes?: Partial<Judge>): Judge {
  const { id, batchSize, scope, maxTools, thresholds } = inner;
  const judge: Judge = {
    id,
    batchSize,
    scope,
    maxTools,
    thresholds,
    prepare: inner.prepare?.bind(inner),
    async judge(request, options) {
      options.signal.throwIfAborted();
      return checkResponse(await ask(request, options), request.candidates.length);
    },
    ...changes,
  };
  checkedJudges.add(judge);
  return judge;
}
