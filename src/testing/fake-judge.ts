/**
 * A scripted judge for tests: answers by tool name, or misbehaves as told, and keeps what it was
 * asked.
 */

import type { Judge, JudgeOptions, JudgeRequest, JudgeResponse } from "../core/types.js";

/** Probabilities by tool name; names not listed get `otherwise`. */
export interface FakeJudgeOptions {
  readonly id?: string;
  /** Probability by tool name; `null` abstains, `undefined` is no valid answer. */
  readonly probabilities?:
    | Readonly<Record<string, number | null | undefined>>
    | ReadonlyMap<string, number | null | undefined>;
  /**
   * Answer for tools that `probabilities` does not name.
   * @default 0
   */
  readonly otherwise?: number | null | undefined;
  /**
   * Waits before it answers, in milliseconds; the wait ends when the signal aborts, unless
   * `ignoreSignal`.
   */
  readonly delayMs?: number;
  /** Never answers, and rejects when the signal aborts, unless `ignoreSignal`. */
  readonly hang?: boolean;
  readonly ignoreSignal?: boolean;
  /**
   * Thrown instead of an answer; a function is asked with the number of the call, from 1, and may
   * return `undefined`.
   */
  readonly error?: unknown;
  /**
   * Replaces the whole reply, well formed or not; gets the request and the number of the call, from
   * 1.
   */
  readonly reply?: (request: JudgeRequest, call: number) => unknown;
  /** Fields added to every well-formed reply. */
  readonly response?: Partial<JudgeResponse>;
  readonly batchSize?: number;
  readonly scope?: Judge["scope"];
  readonly maxTools?: number;
  readonly thresholds?: { readonly confidence: number; readonly rejection: number };
  readonly prepare?: Judge["prepare"];
}

/** A judge that records what it was asked. */
export interface FakeJudge extends Judge {
  /** In call order. */
  readonly requests: readonly JudgeRequest[];
  readonly options: readonly JudgeOptions[];
  /** The most calls that were open at one time. */
  readonly peakConcurrency: number;
}

/**
 * Resolves after `delayMs` (`null`: never), or rejects with the reason of the signal as soon as
 * that aborts.
 */
export function wait(delayMs: number | null, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = delayMs === null ? undefined : setTimeout(done, delayMs);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    function done(): void {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * A scripted judge.
 *
 * @example
 * const judge = fakeJudge({ probabilities: { query_order: 0.95, refund: 0.05 } });
 * const selector = createToolSelector({ judge, mode: "enforce" });
 * // … run a turn, then: judge.requests[0].candidates
 */
export function fakeJudge(options: FakeJudgeOptions = {}): FakeJudge {
  const requests: JudgeRequest[] = [];
  const seen: JudgeOptions[] = [];
  const answers =
    options.probabilities instanceof Map
      ? (options.probabilities as ReadonlyMap<string, number | null | undefined>)
      : new Map(Object.entries(options.probabilities ?? {}));
  const otherwise = "otherwise" in options ? options.otherwise : 0;
  let open = 0;
  let peak = 0;

  async function answer(
    request: JudgeRequest,
    call: number,
    signal: AbortSignal,
  ): Promise<JudgeResponse> {
    const waits = options.ignoreSignal === true ? null : signal;
    if (options.hang === true) await wait(null, waits);
    if (options.delayMs !== undefined) await wait(options.delayMs, waits);
    const error = typeof options.error === "function" ? options.error(call) : options.error;
    if (error !== undefined) throw error;
    if (options.reply !== undefined) return options.reply(request, call) as JudgeResponse;
    const probabilities = request.candidates.map(({ name }) =>
      answers.has(name) ? answers.get(name) : otherwise,
    );
    return { probabilities, ...options.response };
  }

  return {
    id: options.id ?? "fake",
    batchSize: options.batchSize,
    scope: options.scope,
    maxTools: options.maxTools,
    thresholds: options.thresholds,
    prepare: options.prepare,
    requests,
    options: seen,
    get peakConcurrency() {
      return peak;
    },
    async judge(request, judgeOptions) {
      requests.push(request);
      seen.push(judgeOptions);
      open += 1;
      peak = Math.max(peak, open);
      try {
        return await answer(request, requests.length, judgeOptions.signal);
      } finally {
        open -= 1;
      }
    },
  };
}
