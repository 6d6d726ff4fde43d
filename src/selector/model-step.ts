/** One model step: calls the model, and reads the outcome for the record. */

import type { StepOutcome } from "../core/build-record.js";
import { callSafely, isString } from "../core/call-safely.js";
import { isControlFlow } from "../core/control-flow.js";
import { quietly } from "../core/quietly.js";
import { read } from "../core/read.js";
import type { MemoryChange, ModelOutcome, Selection } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";

/** One model step, as an adapter wraps it. */
export interface ModelStep<T, R> {
  /** Calls the model with these tools. In shadow and in off there is no selection yet. */
  readonly callModel: (tools: readonly T[], selection?: Selection<T>) => Promise<R>;
  /** The outcome of the step; `null` if it is unknown. If it throws, the record has no outcome. */
  readonly readOutcome: (result: R) => ModelOutcome | null;
  /**
   * Gets the selection once it is known: before the model in enforce, beside or after it in shadow.
   * Its errors are ignored.
   */
  readonly onSelection?: ((selection: Selection<T>) => void) | undefined;
  /**
   * Gets what the thread is to remember, once the model answered. Only in enforce, and where the
   * turn has a `memory`.
   */
  readonly saveMemory?: ((change: MemoryChange) => void) | undefined;
}

/** The returned value or the error of a step, and its outcome (`null`: unknown). */
export type StepResult<R> =
  | { readonly result: R; readonly outcome: StepOutcome | null }
  | { readonly error: unknown; readonly outcome: StepOutcome | null };

/** Gives the host a selection, and ignores its errors. */
export function notifyStep<T, R>(step: ModelStep<T, R>, selection: Selection<T>): void {
  quietly(() => step.onSelection?.(selection));
}

function isModelOutcome(value: unknown): value is ModelOutcome | null {
  const called = read(value, "called");
  return value === null || (Array.isArray(called) && called.every(isString));
}

function readModelOutcome<R>(
  readOutcome: ModelStep<never, R>["readOutcome"],
  result: R,
  warn: Warn,
): ModelOutcome | null {
  const outcome = callSafely(() => readOutcome(result), isModelOutcome);
  if (outcome === undefined)
    warn(
      "readOutcome",
      "`readOutcome` failed, or answered no `{ called }`: the record has no outcome.",
    );
  return outcome ?? null;
}

/**
 * Calls the model. Never rejects; control flow of the host is no error of the model, and has no
 * outcome.
 */
export async function runStep<R>(
  callModel: () => Promise<R>,
  readOutcome: ModelStep<never, R>["readOutcome"],
  warn: Warn,
): Promise<StepResult<R>> {
  const startedAt = performance.now();
  try {
    const result = await callModel();
    const latencyMs = performance.now() - startedAt;
    const model = readModelOutcome(readOutcome, result, warn);
    return { result, outcome: { latencyMs, error: false, model } };
  } catch (error) {
    if (isControlFlow(error)) return { error, outcome: null };
    const latencyMs = performance.now() - startedAt;
    return { error, outcome: { latencyMs, error: true, model: null } };
  }
}

/** Returns the result of a step, or throws its error. */
export function unwrapStep<R>(step: StepResult<R>): R {
  if ("error" in step) throw step.error;
  return step.result;
}
