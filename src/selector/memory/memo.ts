/**
 * The memo: within a run, the same question is never asked twice, and identical turns at one time
 * share one call.
 */

import { LRUCache } from "lru-cache";
import { createAnswerCache, hashJudgeRequest } from "../../core/answer-cache.js";
import type { Judge, JudgeResponse } from "../../core/types.js";

/** Batches whose answers are kept; the least recently used one makes room. */
const maxEntries = 512;

/** Remembers the answers of a judge. */
export interface Memo {
  /**
   * Asks the judge, or answers from the memo of this run.
   *
   * @param run the thread and its run; `null` where there is none: then nothing is kept or shared.
   */
  bind(judge: Judge, run: string | null): Judge["judge"];
}

/**
 * Creates the memo of a selector. Failures are not kept; an abort of one caller does not cancel
 * another's.
 */
export function createMemo(): Memo {
  const cache = createAnswerCache(new LRUCache<string, JudgeResponse>({ max: maxEntries }));
  return {
    bind(judge, run) {
      const ask: Judge["judge"] = async (request, options) => judge.judge(request, options);
      if (run === null) return ask;
      return (request, options) =>
        cache.ask(`${run} ${hashJudgeRequest(request)}`, request, options, ask);
    },
  };
}
