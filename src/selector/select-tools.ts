/** One turn, from its tools to its selection: read, skip or judge, decide, apply. Writes nothing. */

import { startBudget } from "./budget.js";
import type { Budget } from "./budget.js";
import { applyDecision, keptTools, skippedOutcomes } from "../core/apply.js";
import type { Application } from "../core/apply.js";
import { buildRecord } from "../core/build-record.js";
import type { JudgeRecord, RecordParts } from "../core/build-record.js";
import type { CatalogReader } from "../core/catalog.js";
import { buildContext, cleanContext, requestText } from "../core/context.js";
import { isControlFlow } from "../core/control-flow.js";
import type { ResolvedOptions } from "../core/options.js";
import type { SelectionRecord } from "../core/record.js";
import { decide } from "../core/select.js";
import type { SelectionPolicy } from "../core/select.js";
import { snapshotOf } from "../core/snapshot.js";
import type { JudgeContext, Selection, SelectionReason, Turn, TurnMessage } from "../core/types.js";
import { judgeCandidates } from "./judge-candidates.js";
import type { Judging } from "./judge-candidates.js";
import { readTurn, unread } from "./read-turn.js";
import type { Reading } from "./read-turn.js";
import { isSampled } from "./turn-policy.js";
import type { TurnPolicy } from "./turn-policy.js";
import type { Warn } from "../core/warn-once.js";

/** What selecting needs of the selector it works for. */
export interface Selecting {
  readonly options: ResolvedOptions;
  readonly reader: CatalogReader;
  readonly warn: Warn;
  readonly policy: TurnPolicy;
  /** Epoch milliseconds of the start of the turn. */
  readonly startedAt: number;
  /** Milliseconds left for judging. */
  readonly timeoutMs: number;
}

/** A selection, and what must be thrown instead of calling the model; `thrown` is empty as a rule. */
export interface Selected<T> {
  readonly selection: Selection<T>;
  readonly thrown: readonly unknown[];
}

type Outcome = Pick<
  RecordParts,
  "status" | "reason" | "fallback" | "outcomes" | "error" | "judge"
> & {
  readonly content?: JudgeContext;
};

/** Why a turn is not judged at all; `null` if it is. */
function reasonToSkip(reading: Reading, options: ResolvedOptions): SelectionReason | null {
  if (reading.toolChoice.kind === "none") return "tool-choice-none";
  if (reading.candidates.length === 0) return "no-candidates";
  if (requestText(reading.messages) === null) return "no-user-text";
  return reading.candidates.length < options.minCandidates ? "too-few-candidates" : null;
}

function skipped(reading: Reading, reason: SelectionReason): Outcome {
  return {
    status: "skipped",
    reason,
    fallback: false,
    outcomes: skippedOutcomes(reading.catalog, reading.pins),
    error: null,
    judge: null,
  };
}

/** A turn that the caller, or the host's control flow, ended; the judge's cost is kept. */
function cancelled(reading: Reading, judge: JudgeRecord | null): Outcome {
  return { ...skipped(reading, "cancelled"), status: "cancelled", judge };
}

/** A user's function gets the turn as it is; ours works on what could be read of it. */
function contextOf(
  turn: Turn,
  messages: readonly TurnMessage[],
  { context, redact }: ResolvedOptions,
): JudgeContext {
  const redactText = redact ?? ((text: string) => text);
  return typeof context === "function"
    ? cleanContext(context(turn), redactText)
    : buildContext(messages, context, redactText);
}

function reasonOf(
  { decision, emptyRefused, outcomes }: Application,
  judging: Judging,
): SelectionReason {
  if (emptyRefused) return "empty-not-allowed";
  if (!decision.fallback) return decision.kept.includes(true) ? "selected" : "none-applicable";
  if (judging.failure !== null) return judging.failure.reason;
  return outcomes.some(({ verdict }) => verdict === "uncertain") ? "uncertain" : "abstained";
}

function judgeRecordOf(judging: Judging, id: string, latencyMs: number): JudgeRecord {
  const { model, batches, requests, retries, cached, usage } = judging;
  return { id, model, batches, requests, retries, latencyMs, cached, usage };
}

async function judgeTurn(
  turn: Turn,
  reading: Reading,
  selecting: Selecting & { readonly budget: Budget; readonly selectionPolicy: SelectionPolicy },
): Promise<Outcome & { readonly thrown: readonly unknown[] }> {
  const { options, policy, budget, selectionPolicy } = selecting;
  const context = contextOf(turn, reading.messages, options);
  if (context.request.trim() === "") return { ...skipped(reading, "no-user-text"), thrown: [] };
  const isEnforced = policy.mode === "enforce";
  const judgingStart = performance.now();
  const judging = await judgeCandidates({
    ...options,
    context,
    candidates: reading.candidates,
    policy: selectionPolicy,
    budget,
    endEarly: isEnforced,
    isControlFlow: isEnforced ? isControlFlow : () => false,
    scope: turn.judgeScope ?? ((judge) => judge()),
  });
  const judge = judgeRecordOf(judging, options.judge.id, performance.now() - judgingStart);
  const isOver = judging.controlFlow.length > 0 || turn.signal?.aborted === true;
  if (isOver) return { ...cancelled(reading, judge), thrown: judging.controlFlow };
  const application = applyDecision(reading.catalog, reading.pins, {
    judgments: judging.judgments,
    decision: decide(judging.judgments, selectionPolicy),
    emptyAllowed: turn.emptyAllowed ?? true,
    toolChoice: reading.toolChoice,
    messages: reading.messages,
  });
  const failure = judging.failure;
  return {
    status: application.decision.status,
    reason: reasonOf(application, judging),
    fallback: application.decision.fallback,
    outcomes: application.outcomes,
    error: failure === null ? null : { kind: failure.kind, ...statusField(failure.status) },
    judge,
    content: context,
    thrown: [],
  };
}

const statusField = (status: number | undefined): { readonly status?: number } =>
  status === undefined ? {} : { status };

/** A failure of ours or of a user's function outside the judge: everything is kept. */
function failed(reading: Reading): Outcome {
  return {
    ...skipped(reading, "judge-error"),
    status: "failed",
    fallback: true,
    error: { kind: "internal" },
  };
}

async function decideTurn(
  turn: Turn,
  reading: Reading,
  selecting: Selecting & { readonly selectionPolicy: SelectionPolicy },
): Promise<Outcome & { readonly thrown?: readonly unknown[] }> {
  const { options, policy, warn, timeoutMs } = selecting;
  if (policy.mode === "off") return skipped(reading, "mode-off");
  const reason = reasonToSkip(reading, options);
  if (reason !== null) return skipped(reading, reason);
  const budget = startBudget({ timeoutMs, signal: turn.signal });
  try {
    const { signal } = budget;
    const isJudged =
      policy.mode === "enforce" || (await isSampled(turn, options, { signal, warn }));
    if (!isJudged) return skipped(reading, "not-sampled");
    return await judgeTurn(turn, reading, { ...selecting, budget });
  } catch (error) {
    if (policy.mode === "enforce" && isControlFlow(error)) {
      return { ...cancelled(reading, null), thrown: [error] };
    }
    warn(
      "internal",
      "A selection failed outside the judge (`context` or `redact`, as a rule): the full catalog was kept.",
    );
    return failed(reading);
  } finally {
    budget.dispose();
  }
}

interface RecordedTurn {
  readonly selecting: Selecting;
  readonly selectionPolicy: SelectionPolicy;
  readonly outcome: Outcome;
}

function recordOf(turn: Turn, reading: Reading, recorded: RecordedTurn): SelectionRecord {
  const { options, policy, startedAt } = recorded.selecting;
  const { content, ...outcome } = recorded.outcome;
  return buildRecord({
    ...outcome,
    id: options.newId(),
    startedAt,
    turn,
    messages: reading.messages,
    mode: policy.mode,
    agent: options.agent,
    version: options.version,
    enforceShare: policy.enforceShare,
    policyFingerprint: policy.policyFingerprint,
    overridden: policy.overridden,
    policy: recorded.selectionPolicy,
    catalog: reading.catalog,
    candidates: reading.candidates.length,
    content: options.content ? content : undefined,
  });
}

/** Selects the tools of a turn. Never rejects; a cancelled turn says what to throw. */
export async function selectTools<T>(turn: Turn<T>, selecting: Selecting): Promise<Selected<T>> {
  const selectionPolicy = { ...selecting.options, maxTools: selecting.policy.maxTools };
  const sent = snapshotOf(turn);
  const plain = sent as Turn;
  const reading = await readTurn(plain, selecting).catch(() => unread);
  const decided =
    reading === unread
      ? failed(unread)
      : await decideTurn(plain, reading, { ...selecting, selectionPolicy });
  const isAborted = turn.signal?.aborted === true;
  const { thrown = [], ...outcome }: Outcome & { readonly thrown?: readonly unknown[] } =
    isAborted && decided.status !== "cancelled" ? cancelled(reading, decided.judge) : decided;
  const { status, fallback, reason, outcomes } = outcome;
  const isWhole = outcomes.every(({ kept }) => kept);
  const suggested = isWhole ? turn.tools : keptTools(sent.tools, outcomes);
  const enforced = selecting.policy.mode === "enforce";
  return {
    selection: {
      tools: enforced ? suggested : turn.tools,
      suggested,
      status,
      fallback,
      reason,
      enforced,
      outcomes,
      record: recordOf(plain, reading, { selecting, selectionPolicy, outcome }),
    },
    thrown: isAborted ? [turn.signal?.reason] : thrown,
  };
}
