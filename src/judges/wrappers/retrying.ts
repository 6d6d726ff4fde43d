/** A wrapper that repeats a failed request to a judge within the budget of the turn. */

import * as z from "zod";
import { JudgeHttpError, JudgeResponseError, JudgeTimeoutError } from "../../errors.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { wait } from "../../core/timers.js";
import type {
  Judge,
  JudgeFunction,
  JudgeOptions,
  JudgeRequest,
  JudgeResponse,
} from "../../core/types.js";
import { classifyFailure } from "../failure.js";
import { toJudge } from "../judge.js";
import { wrapJudge } from "./wrap-judge.js";

export const retryOptionsSchema = z.strictObject({
  retries: integerFrom(0).default(2),
  baseDelayMs: integerFrom(0).default(100),
  maxDelayMs: integerFrom(0).default(1000),
});

/** How a failed request is repeated. */
export interface RetryOptions {
  /**
   * Repetitions after the first request, from 0.
   *
   * @default 2
   */
  readonly retries?: number | undefined;
  /**
   * Delay before the first repetition, in milliseconds; doubled for each further one, less a random
   * part of up to a half.
   *
   * @default 100
   */
  readonly baseDelayMs?: number | undefined;
  /**
   * The longest delay, in milliseconds.
   *
   * @default 1000
   */
  readonly maxDelayMs?: number | undefined;
}

type RetrySettings = z.output<typeof retryOptionsSchema>;

function noteAttempts(error: unknown, attempts: number): unknown {
  const hasAttempts =
    JudgeHttpError.isInstance(error) ||
    JudgeTimeoutError.isInstance(error) ||
    JudgeResponseError.isInstance(error);
  if (hasAttempts) error.attempts = Math.max(error.attempts, attempts);
  return error;
}

/**
 * The wait before the next request, in milliseconds; `null` if no further request fits into the
 * budget.
 */
function planDelay(
  attempt: number,
  error: unknown,
  settings: RetrySettings,
  deadline: number | undefined,
): number | null {
  if (attempt > settings.retries || classifyFailure(error) !== "transient") return null;
  const retryAfterMs = JudgeHttpError.isInstance(error) ? error.retryAfterMs : null;
  const backoff = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** (attempt - 1));
  const delay = Math.max(retryAfterMs ?? 0, backoff * (0.5 + Math.random() / 2));
  const leftMs = deadline === undefined ? settings.maxDelayMs : deadline - Date.now();
  return delay > leftMs || leftMs <= 0 ? null : delay;
}

function addRetries(response: JudgeResponse, retries: number): JudgeResponse {
  if (retries === 0) return response;
  return {
    ...response,
    requests: (response.requests ?? 1) + retries,
    retries: (response.retries ?? 0) + retries,
  };
}

/**
 * Repeats a request after a transient failure: status 429, 529 or 5xx, or no connection. Any other
 * failure is passed on. `Retry-After` is honoured if it ends within the turn's budget (within
 * `maxDelayMs` without a budget); else the failure is passed on at once.
 *
 * Errors of this package carry the number of requests made in `attempts`; replies carry `requests`
 * and `retries`.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = retrying(async ({ candidates }) => candidates.map(() => 0.9), { retries: 1 });
 */
export function retrying(judge: Judge | JudgeFunction, options: RetryOptions = {}): Judge {
  const inner = toJudge(judge);
  const settings = parseOptions(retryOptionsSchema, options, "retrying");

  async function ask(
    attempt: number,
    request: JudgeRequest,
    judgeOptions: JudgeOptions,
  ): Promise<JudgeResponse> {
    const { signal, deadline } = judgeOptions;
    try {
      return addRetries(await inner.judge(request, judgeOptions), attempt - 1);
    } catch (error) {
      const delay = signal.aborted ? null : planDelay(attempt, error, settings, deadline);
      if (delay === null) throw noteAttempts(error, attempt);
      await wait(delay, signal);
    }
    return ask(attempt + 1, request, judgeOptions);
  }

  return wrapJudge(inner, (request, judgeOptions) => ask(1, request, judgeOptions));
}
