/** Wraps a judge: identity and limits stay, the request changes, and the reply is checked once. */

import { readAnswers } from "../../core/judge-reply.js";
import type { Judge, JudgeResponse } from "../../core/types.js";

/** Judges whose replies are checked already. */
const checkedJudges = new WeakSet<Judge>();

/** True for a judge that `wrapJudge` made. */
export function isChecked(judge: Judge): boolean {
  return checkedJudges.has(judge);
}

/** The reply with one answer per candidate, `undefined` where it is missing or invalid. */
export function checkResponse(response: JudgeResponse, expected: number): JudgeResponse {
  const isObject = typeof response === "object" && response !== null;
  const probabilities = readAnswers(isObject ? response.probabilities : undefined, expected);
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
