/** A wrapper that never asks a judge the same thing twice: answers are kept, and calls under way are shared. */

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
import { isValidAnswer } from "../../core/verdict.js";
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

/** A call under way and those who wait for it. */
interface SharedCall {
  readonly controller: AbortController;
  readonly response: Promise<JudgeResponse>;
  waiting: number;
}

/** Everything that a judge is shown, in the order in which it is shown; hashed, so that no conversation is kept. */
function keyOf({ context, candidates }: JudgeRequest): string {
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

function isComplete(response: JudgeResponse, asked: number): boolean {
  const answers: unknown = response?.probabilities;
  return (
    Array.isArray(answers) && answers.length === asked && Array.from(answers).every(isValidAnswer)
  );
}

/** The same answers for someone who caused no request. */
function asHit(response: JudgeResponse): JudgeResponse {
  return {
    probabilities: [...response.probabilities],
    ...(response.model === undefined ? {} : { model: response.model }),
    requests: 0,
    cached: true,
  };
}

/**
 * Keeps the answers to a batch: the same conversation with the same names, descriptions and schemas, in the same order, is
 * not asked again within `ttlMs`. Identical batches at one time are one call; it is aborted only when everyone who waits
 * for it has left. Failures, and replies in which any answer is missing or invalid, are not kept.
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
  const kept = new LRUCache<string, JudgeResponse>({
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
    const answer = await inner.judge(request, options);
    if (isComplete(answer, request.candidates.length)) {
      kept.set(key, { ...answer, probabilities: [...answer.probabilities] });
    }
    return answer;
  }

  /** Whoever comes after this starts anew. */
  function forget(key: string, call: SharedCall): void {
    if (calls.get(key) === call) calls.delete(key);
  }

  function start(key: string, request: JudgeRequest, options: JudgeOptions): SharedCall {
    const controller = new AbortController();
    const response = ask(key, request, { ...options, signal: controller.signal });
    const call: SharedCall = { controller, response, waiting: 0 };
    calls.set(key, call);
    const settled = (): void => forget(key, call);
    response.then(settled, settled);
    return call;
  }

  async function join(call: SharedCall, key: string, signal: AbortSignal): Promise<JudgeResponse> {
    call.waiting += 1;
    try {
      return await untilAborted(call.response, signal);
    } finally {
      call.waiting -= 1;
      if (call.waiting === 0 && signal.aborted) {
        forget(key, call);
        call.controller.abort(signal.reason);
      }
    }
  }

  return wrapJudge(inner, async (request, judgeOptions) => {
    const { signal } = judgeOptions;
    signal.throwIfAborted();
    const key = keyOf(request);
    const hit = kept.get(key);
    if (hit !== undefined) return asHit(hit);
    const shared = calls.get(key);
    if (shared !== undefined) {
      const answer = await join(shared, key, signal);
      return isComplete(answer, request.candidates.length) ? asHit(answer) : answer;
    }
    return join(start(key, request, judgeOptions), key, signal);
  });
}
