/** Judges the candidates of a turn and applies the policy to the judgments. */

import { applyDecision } from "../core/apply.js";
import type { SelectionOutcome } from "../core/apply.js";
import type { JudgeRecord } from "../core/build-record.js";
import { buildContext, cleanContext } from "../core/context.js";
import { isControlFlow } from "../core/control-flow.js";
import { decide } from "../core/decide.js";
import type { Decision } from "../core/decide.js";
import type { JudgeFailure } from "../core/judge-reply.js";
import type { ResolvedOptions } from "../core/options.js";
import type { JudgeContext, SelectionReason } from "../core/types.js";
import type { Budget } from "./budget.js";
import { judgeCandidates } from "./judge-candidates.js";
import type { JudgingResult } from "./judge-candidates.js";
import type { TurnInput } from "./read-turn.js";
import type { SelectContext } from "./select-context.js";
import { cancelTurn, skipTurn } from "./turn-outcome.js";
import type { TurnOutcome } from "./turn-outcome.js";

/** A user's `context` function gets the turn as it is; ours gets the messages as read. */
function buildJudgeContext(
  { turn, messages }: TurnInput,
  { context, redact = (text) => text }: ResolvedOptions,
): JudgeContext {
  return typeof context === "function"
    ? cleanContext(context(turn), redact)
    : buildContext(messages, context, redact);
}

/**
 * The reason for a status: of a failed turn its first failure, of an uncertain fallback the kind of
 * doubt.
 */
function explainSelection(
  { status }: Decision,
  { outcomes, fallback, emptyRefused }: SelectionOutcome,
  failure: JudgeFailure | null,
): SelectionReason {
  if (status === "failed") return failure?.reason ?? "unjudged";
  if (emptyRefused) return "empty-not-allowed";
  if (!fallback) {
    const isAnyKept = outcomes.some(({ kept, verdict }) => kept && verdict !== null);
    return isAnyKept ? "selected" : "none-applicable";
  }
  return outcomes.some(({ verdict }) => verdict === "uncertain") ? "uncertain" : "abstained";
}

function toJudgeRecord(judging: JudgingResult, id: string, latencyMs: number): JudgeRecord {
  const { model, batches, requests, retries, cached, usage } = judging;
  return { id, model, batches, requests, retries, latencyMs, cached, usage };
}

/**
 * Judges a turn within a budget.
 *
 * @throws the error of a user's `context` or `redact`.
 */
export async function judgeTurn(
  input: TurnInput,
  context: SelectContext,
  budget: Budget,
): Promise<TurnOutcome> {
  const { options, policy } = context;
  const judgeContext = buildJudgeContext(input, options);
  if (judgeContext.request.trim() === "") return skipTurn(input, "no-user-text");
  const isEnforced = policy.mode === "enforce";
  const startedAt = performance.now();
  const judging = await judgeCandidates({
    ...options,
    context: judgeContext,
    candidates: input.candidates,
    policy,
    budget,
    endEarly: isEnforced,
    isControlFlow: isEnforced ? isControlFlow : () => false,
    runInScope: input.turn.judgeScope ?? ((judge) => judge()),
  });
  const judge = toJudgeRecord(judging, options.judge.id, performance.now() - startedAt);
  if (judging.controlFlow !== null) return cancelTurn(input, judging.controlFlow.thrown, judge);
  const decision = decide(judging.judgments, policy);
  const selection = applyDecision(input, judging.judgments, decision);
  const { failure } = judging;
  return {
    status: decision.status,
    reason: explainSelection(decision, selection, failure),
    fallback: selection.fallback,
    outcomes: selection.outcomes,
    error: failure === null ? null : { kind: failure.kind, status: failure.status },
    judge,
    content: judgeContext,
  };
}
