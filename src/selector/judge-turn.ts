/** Judges the candidates of a turn and applies the policy to the judgments. */

import { applyDecision } from "../core/apply.js";
import type { ApplyRules, SelectionOutcome } from "../core/apply.js";
import type { JudgeRecord } from "../core/build-record.js";
import { buildContext, cleanContext } from "../core/context.js";
import { decide, restoreAll } from "../core/decide.js";
import type { Decision } from "../core/decide.js";
import type { JudgeFailure } from "../core/judge-reply.js";
import type { ResolvedOptions } from "../core/options.js";
import type { JudgeContext, Judgment, SelectionReason } from "../core/types.js";
import type { Budget } from "./budget.js";
import type { JudgingResult } from "./judge-candidates.js";
import { judgeOpenCandidates } from "./judge-open-candidates.js";
import type { TurnInput } from "./read-turn.js";
import type { SelectContext } from "./select-context.js";
import { shortlistCandidates } from "./shortlist.js";
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

function toJudgeRecord(
  judging: JudgingResult,
  { judge, rejudge }: ResolvedOptions,
  latencyMs: number,
): JudgeRecord {
  const { model, batches, requests, retries, cached, usage } = judging;
  const rejudged = rejudge === "user-message" ? batches > 0 : undefined;
  const { id } = judge;
  return { id, model, batches, requests, retries, latencyMs, cached, rejudged, usage };
}

/**
 * Tools that took a place in this run and are pinned since, because they were called: their place is
 * not free again.
 */
function countTakenPlaces({ catalog, pins, memory }: TurnInput): number {
  return catalog.filter(
    ({ description }, index) =>
      pins[index] === "history" && memory?.shown.has(description?.name ?? "") === true,
  ).length;
}

/** Candidates that did not reach the judge are hidden, unless everything is restored. */
function decideAll(
  input: TurnInput,
  judgments: readonly (Judgment | null)[],
  policy: SelectContext["policy"],
): Decision {
  const { candidates, memory } = input;
  const maxTools = Math.max(0, policy.maxTools - countTakenPlaces(input));
  const asked = judgments.flatMap((judgment, index) =>
    judgment === null ? [] : { judgment, index },
  );
  const readName = (position: number): string =>
    candidates[asked[position]?.index ?? -1]?.name ?? "";
  const isSticky = (position: number): boolean => memory?.sticky.has(readName(position)) === true;
  const decision = decide(
    asked.map(({ judgment }) => judgment),
    { ...policy, maxTools },
    {
      isSticky,
      isOutsideCap: (position) =>
        isSticky(position) && memory?.shown.has(readName(position)) !== true,
    },
  );
  if (decision.fallback) return restoreAll(judgments, decision.status);
  const positions = new Map(asked.map(({ index }, position) => [index, position]));
  return {
    ...decision,
    kept: judgments.map((_, index) => decision.kept[positions.get(index) ?? -1] ?? false),
    reasons: judgments.map(
      (_, index) => decision.reasons[positions.get(index) ?? -1] ?? "not-shortlisted",
    ),
  };
}

/** What keeps or hides tools of a turn beside the judgments. */
export function collectRules(
  { memory }: TurnInput,
  { options, keepTogether }: SelectContext,
): ApplyRules {
  return {
    keepTogether,
    fallbackMaxTools: options.fallbackMaxTools,
    hasFinder: options.findTools !== null,
    isRemembered: (name) =>
      memory?.sticky.has(name) === true || memory?.revealed.has(name) === true,
    wasCalled: (name) => memory?.called.has(name) === true,
  };
}

/** Judgments in catalog order. */
function spreadJudgments(
  { catalog, pins }: TurnInput,
  judgments: readonly (Judgment | null)[],
): readonly (Judgment | null)[] {
  let next = 0;
  return catalog.map(({ candidate }, index) =>
    pins[index] === null && candidate !== null ? (judgments[next++] ?? null) : null,
  );
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
  const startedAt = performance.now();
  const isAsked = await shortlistCandidates(input, context, budget.signal);
  const { judging, judgments } = await judgeOpenCandidates(input, isAsked, {
    ...context,
    judgeContext,
    budget,
  });
  const judge = toJudgeRecord(judging, options, performance.now() - startedAt);
  if (judging.controlFlow !== null) return cancelTurn(input, judging.controlFlow.thrown, judge);
  const decision = decideAll(input, judgments, policy);
  const selection = applyDecision(input, judgments, decision, collectRules(input, context));
  const { failure } = judging;
  return {
    status: decision.status,
    reason: explainSelection(decision, selection, failure),
    fallback: selection.fallback,
    outcomes: selection.outcomes,
    error: failure === null ? null : { kind: failure.kind, status: failure.status },
    judge,
    content: judgeContext,
    judgments: spreadJudgments(input, judgments),
  };
}
