/**
 * How a turn ended, before it is applied to the caller's tools: decided by judgments, skipped,
 * failed or cancelled.
 */

import { boundFallback, keepAll } from "../core/apply.js";
import type { ApplyRules } from "../core/apply.js";
import type { JudgeRecord, RecordParts } from "../core/build-record.js";
import type { JudgeContext, Judgment, SelectionReason } from "../core/types.js";
import type { TurnInput } from "./read-turn.js";

type RecordedOutcome = Pick<RecordParts, "reason" | "fallback" | "outcomes" | "error" | "judge">;

/** A turn that goes on. */
export interface SelectedOutcome extends RecordedOutcome {
  readonly status: "decided" | "uncertain" | "failed" | "skipped";
  /** The judge's context. */
  readonly content?: JudgeContext | undefined;
  /** In catalog order; `null`: no judgment. */
  readonly judgments?: readonly (Judgment | null)[] | undefined;
}

/** A turn that the caller, or control flow of the host, ended: the model is not called. */
export interface CancelledOutcome extends RecordedOutcome {
  readonly status: "cancelled";
  /** To be thrown on. */
  readonly cause: unknown;
}

export type TurnOutcome = SelectedOutcome | CancelledOutcome;

/** Nothing was judged, for a reason of the turn or of the policy. */
export function skipTurn(input: TurnInput, reason: SelectionReason): SelectedOutcome {
  const outcomes = keepAll(input);
  return { status: "skipped", reason, fallback: false, outcomes, error: null, judge: null };
}

/** Something failed outside the judge, in our code or in a user's callback: everything is kept. */
export function failTurn(input: TurnInput, rules?: ApplyRules): SelectedOutcome {
  const skipped = skipTurn(input, "judge-error");
  const outcomes =
    rules === undefined ? skipped.outcomes : boundFallback(skipped.outcomes, input, rules);
  return { ...skipped, outcomes, status: "failed", fallback: true, error: { kind: "internal" } };
}

/** The turn was ended from outside; the judge's cost is kept. */
export function cancelTurn(
  input: TurnInput,
  cause: unknown,
  judge: JudgeRecord | null,
): CancelledOutcome {
  return { ...skipTurn(input, "cancelled"), status: "cancelled", cause, judge };
}
