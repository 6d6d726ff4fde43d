/** A wrapper that never asks a judge the same question twice: it keeps answers, and shares calls in flight. */

import { LRUCache } from "lru-cache";
import * as z from "zod";
import { sha256Hex } from "../../core/fingerprint.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { toJson } from "../../core/json.js";
import type {
  Judge,
  JudgeFunction,
  JudgeOptions,
  JudgeRequest,
  JudgeResponse,
} from "../../core/types.js";
import { untilAborted } from "../../core/abort.js";
import { toJudge } from "../judge.js";
import { wrapJudge } from "./wrap-judge.js";

const optionsSchema = z.strictObject({
  maxEntries: integerFrom(1).default(500),
  ttlMs: integerFrom(1).default(300_000),
});

export interface CachingOptions {
  /** Batches whose answers are kept, from 1; the least recently used one makes room. @default 500 */
  readonly maxEntries?: number | undefined;
  /** How long an answer is kept, in milliseconds. @default 300000 */
  readonly ttlMs?: number | undefined;
}

/** A call that several callers wait for. */
interface SharedCall {
  readonly controller: AbortController;
  readonly response: Promise<JudgeResponse>;
  waiting: number;
}

/** Hashes everything that the judge is shown, in the order in which it is shown; no conversation is kept. */
function hashRequest({ context, candidates }: JudgeRequest): string {
  return sha256Hex(
    JSON.stringify([
      context.request,
      context.messages.map(({ role, text }) => [role, text]),
      candidates.map(({ name, description, parameters }) => [
        name,
        description ?? null,
        parameters === undefined ? null : toJson(parameters),
      ]),
    ]),
  );
}

/** True if every candidate has a valid answer. */
function isComplete({ probabilities }: JudgeResponse): boolean {
  return !probabilities.includes(undefined);
}

/** The same answers for a caller that caused no request. */
function toHit({ probabilities, model }: JudgeResponse): JudgeResponse {
  return { probabilities: [...probabilities], model, requests: 0, cached: true };
}

/**
 * Keeps the answers to a batch: the same conversation with the same names, descriptions and schemas, in the same order, is
 * not asked again within `ttlMs`. Identical batches at one time share one call, which is aborted only when all of its
 * callers have aborted. Failures, and replies in which any answer is missing or invalid, are not kept.
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
  const calls = new Map<string, SharedCall>();

  async function ask(
    key: string,
    request: JudgeRequest,
    options: JudgeOptions,
  ): Promise<JudgeResponse> {
    const response = await inner.judge(request, options);
    if (isComplete(response)) {
      cache.set(key, { ...response, probabilities: [...response.probabilities] });
    }
    return response;
  }

  /** A caller that comes after this starts a new call. */
  function unshare(key: string, call: SharedCall): void {
    if (calls.get(key) === call) calls.delete(key);
  }

  function startCall(key: string, request: JudgeRequest, options: JudgeOptions): SharedCall {
    const controller = new AbortController();
    const response = ask(key, request, { ...options, signal: controller.signal });
    const call: SharedCall = { controller, response, waiting: 0 };
    calls.set(key, call);
    const end = (): void => unshare(key, call);
    response.then(end, end);
    return call;
  }

  async function joinCall(
    call: SharedCall,
    key: string,
    signal: AbortSignal,
  ): Promise<JudgeResponse> {
    call.waiting += 1;
    try {
      return await untilAborted(call.response, signal);
    } finally {
      call.waiting -= 1;
      if (call.waiting === 0 && signal.aborted) {
        unshare(key, call);
        call.controller.abort(signal.reason);
      }
    }
  }

  return wrapJudge(inner, async (request, judgeOptions) => {
    const { signal } = judgeOptions;
    const key = hashRequest(request);
    const hit = cache.get(key);
    if (hit !== undefined) return toHit(hit);
    const shared = calls.get(key);
    if (shared === undefined) return joinCall(startCall(key, request, judgeOptions), key, signal);
    const response = await joinCall(shared, key, signal);
    return isComplete(response) ? toHit(response) : response;
  });
}
