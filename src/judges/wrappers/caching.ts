/**
 * A wrapper that never asks a judge the same question twice: it keeps answers, and shares calls in
 * flight.
 */

import { LRUCache } from "lru-cache";
import * as z from "zod";
import { createAnswerCache, hashJudgeRequest } from "../../core/answer-cache.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import type { Judge, JudgeFunction, JudgeResponse } from "../../core/types.js";
import { toJudge } from "../judge.js";
import { wrapJudge } from "./wrap-judge.js";

const optionsSchema = z.strictObject({
  maxEntries: integerFrom(1).default(500),
  ttlMs: integerFrom(1).default(300_000),
});

export interface CachingOptions {
  /**
   * Batches with kept answers, from 1; the least recently used one is dropped first.
   *
   * @default 500
   */
  readonly maxEntries?: number | undefined;
  /**
   * How long an answer is kept, in milliseconds.
   *
   * @default 300000
   */
  readonly ttlMs?: number | undefined;
}

/**
 * Keeps the answers to a batch: the same conversation with the same names, descriptions and
 * schemas, in the same order, is not asked again within `ttlMs`. Identical batches at one time
 * share one call, which is aborted only when all of its callers have aborted. Failures, and replies
 * in which any answer is missing or invalid, are not kept.
 *
 * A hit is a fresh array with `cached: true`, `requests: 0` and no usage.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = caching(async ({ candidates }) => candidates.map(() => 0.9), { ttlMs: 60_000 });
 */
export function caching(judge: Judge | JudgeFunction, options: CachingOptions = {}): Judge {
  const inner = toJudge(judge);
  const { maxEntries, ttlMs } = parseOptions(optionsSchema, options, "caching");
  // Without a resolution of 0 the cache would keep a timer of its own.
  const cache = new LRUCache<string, JudgeResponse>({
    max: maxEntries,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  const answers = createAnswerCache(cache);
  return wrapJudge(inner, (request, judgeOptions) =>
    answers.ask(hashJudgeRequest(request), request, judgeOptions, (...call) =>
      inner.judge(...call),
    ),
  );
}
