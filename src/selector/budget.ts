/** One time budget over everything a turn waits for, joined with the caller's own cancellation. */

import { onAbort } from "../core/abort.js";
import { JudgeTimeoutError } from "../errors.js";

export interface Budget {
  /**
   * Aborts when the budget ends (`reason`: a `JudgeTimeoutError`), the caller cancels (its reason),
   * or `end` is called.
   */
  readonly signal: AbortSignal;
  /** Epoch milliseconds of the real clock, not of `now`: judges compare it with `Date.now()`. */
  readonly deadline: number;
  readonly timeoutMs: number;
  /** Ends the budget now, for everyone who holds its signal. */
  end(reason: unknown): void;
  /** Clears the timer and the listener; to be called in `finally`. */
  dispose(): void;
}

export interface BudgetOptions {
  readonly timeoutMs: number;
  /** The caller's cancellation. */
  readonly signal: AbortSignal | undefined;
}

export function startBudget({ timeoutMs, signal }: BudgetOptions): Budget {
  const controller = new AbortController();
  const end = (reason: unknown): void => controller.abort(reason);
  const onCancel = (): void => end(signal?.reason);
  const timer = setTimeout(() => end(new JudgeTimeoutError(timeoutMs)), timeoutMs);
  if (signal?.aborted === true) onCancel();
  const removeListener = signal?.aborted === false ? onAbort(signal, onCancel) : undefined;
  return {
    signal: controller.signal,
    deadline: Date.now() + timeoutMs,
    timeoutMs,
    end,
    dispose() {
      clearTimeout(timer);
      removeListener?.();
    },
  };
}
