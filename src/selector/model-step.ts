/** One model step: calling it, and keeping what became of it for the record. */

import type { StepOutcome } from "../core/build-record.js";
import { quietly } from "../core/quietly.js";
import { read } from "../core/read.js";
import type { ModelOutcome, Selection } from "../core/types.js";
import { isControlFlow } from "../core/control-flow.js";
import type { Warn } from "../core/warn-once.js";

/** One model step, as an adapter wraps it. */
export interface ModelStep<T, R> {
  /** Calls the model with these tools. In shadow and in off there is no selection yet. */
  readonly callModel: (tools: readonly T[], selection?: Selection<T>) => Promise<R>;
  /** What the model did; `null` if that is unknown. One that throws leaves the record without an outcome. */
  readonly readOutcome: (result: R) => ModelOutcome | null;
  /** Told of the selection once it is known: before the model in enforce, beside or after it in shadow. One that throws is ignored. */
  readonly onSelection?: (selection: Selection<T>) => void;
}

/** Tells the host of a selection; what it does with it is no concern of the turn. */
export function announce<T, R>(step: ModelStep<T, R>, selection: Selection<T>): void {
  quietly(() => step.onSelection?.(selection));
}

/** A finished step: what it returned or threw, and its outcome (`null`: unknown). */
export type FinishedStep<R> =
  | { readonly result: R; readonly outcome: StepOutcome | null }
  | { readonly error: unknown; readonly outcome: StepOutcome | null };

/** Calls the model. Never rejects; control flow of the host is no error of the model, and has no outcome. */
export async function finishStep<R>(
  callModel: () => Promise<R>,
  readOutcome: ModelStep<never, R>["readOutcome"],
  warn: Warn,
): Promise<FinishedStep<R>> {
  const start = performance.now();
  try {
    const result = await callModel();
    const latencyMs = performance.now() - start;
    return {
      result,
      outcome: { latencyMs, error: false, model: outcomeOf(readOutcome, result, warn) },
    };
  } catch (error) {
    const latencyMs = performance.now() - start;
    return {
      error,
      outcome: isControlFlow(error) ? null : { latencyMs, error: true, model: null },
    };
  }
}

function isOutcome(value: unknown): value is ModelOutcome {
  const called = read(value, "called");
  return Array.isArray(called) && called.every((name) => typeof name === "string");
}

function outcomeOf<R>(
  readOutcome: ModelStep<never, R>["readOutcome"],
  result: R,
  warn: Warn,
): ModelOutcome | null {
  try {
    const outcome: unknown = readOutcome(result);
    if (outcome === null || isOutcome(outcome)) return outcome;
    quietly(() => outcome);
  } catch {
    // Said below.
  }
  warn(
    "readOutcome",
    "`readOutcome` failed, or answered no `{ called }`: the record has no outcome.",
  );
  return null;
}

/** Returns or throws what the step did. */
export function unwrapStep<R>(step: FinishedStep<R>): R {
  if ("error" in step) throw step.error;
  return step.result;
}
