/**
 * Asks a judge about all candidates of a turn: batches, concurrency, one budget, an early end,
 * cancellation.
 */

import pMap from "p-map";
import { notAwaited, untilAborted } from "../core/abort.js";
import { splitIntoBatches } from "../core/batch.js";
import { isFallbackCertain } from "../core/decide.js";
import type { SelectionPolicy } from "../core/decide.js";
import { failedReply, readJudgeReply, sumUsage } from "../core/judge-reply.js";
import type { JudgeFailure, JudgeReply, RecordedUsage } from "../core/judge-reply.js";
import type { ResolvedJudgeLimits } from "../core/limits.js";
import { sum } from "../core/sum.js";
import type { Candidate, Judge, JudgeContext, Judgment } from "../core/types.js";
import { toJudgment } from "../core/verdict.js";
import type { Budget } from "./budget.js";

export interface JudgingRequest {
  readonly judge: Judge;
  /** Asks the judge, or whatever answers in its place. */
  readonly ask: Judge["judge"];
  readonly context: JudgeContext;
  readonly candidates: readonly Candidate[];
  readonly policy: SelectionPolicy;
  /** `Infinity`: all candidates in one request. */
  readonly batchSize: number;
  readonly concurrency: number;
  readonly limits: ResolvedJudgeLimits;
  readonly budget: Budget;
  /** Stop as soon as the answers so far make a fallback certain. */
  readonly endEarly: boolean;
  /** True for errors of a judge that belong to the host. */
  readonly isControlFlow: (error: unknown) => boolean;
  readonly runInScope: <R>(judge: () => Promise<R>) => Promise<R>;
}

/** The judgments of a turn, and their cost. */
export interface JudgingResult {
  /** In candidate order. */
  readonly judgments: readonly Judgment[];
  /** The first failure in time; `null` if every candidate has an answer. */
  readonly failure: JudgeFailure | null;
  readonly model: string | null;
  readonly batches: number;
  readonly requests: number;
  readonly retries: number;
  readonly cached: boolean;
  readonly usage: RecordedUsage | null;
  /** Control flow of the host that the judge threw, to be rethrown; `null` as a rule. */
  readonly controlFlow: { readonly thrown: unknown } | null;
}

type Batches = readonly (readonly Candidate[])[];

/** The replies so far, by index of their batch. */
interface Progress {
  readonly started: Set<number>;
  readonly replies: Map<number, JudgeReply>;
  /** In the order in which they happened. */
  readonly failures: JudgeFailure[];
  controlFlow: JudgingResult["controlFlow"];
}

function planBatches({ judge, candidates, limits, ...request }: JudgingRequest): Batches {
  const batchSize = Math.min(request.batchSize, judge.batchSize ?? request.batchSize);
  return Number.isFinite(batchSize)
    ? splitIntoBatches(candidates, batchSize, limits)
    : [Object.freeze([...candidates])];
}

/** Asks about one batch; rejects only when the budget has ended or the judge threw control flow. */
async function askJudge(
  batch: readonly Candidate[],
  request: JudgingRequest,
  progress: Progress,
): Promise<JudgeReply> {
  const { ask, context, budget } = request;
  const { signal, deadline } = budget;
  try {
    const answer = (async () => ask({ context, candidates: batch }, { signal, deadline }))();
    return readJudgeReply(await untilAborted(answer, signal), batch.length);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!request.isControlFlow(error)) return failedReply(error, batch.length);
    progress.controlFlow ??= { thrown: error };
    throw error;
  }
}

async function judgeBatches(
  batches: Batches,
  request: JudgingRequest,
  progress: Progress,
): Promise<void> {
  const { budget, policy, concurrency } = request;
  await pMap(
    batches,
    async (batch, index) => {
      progress.started.add(index);
      const reply = await askJudge(batch, request, progress);
      progress.replies.set(index, reply);
      if (reply.failure !== null) progress.failures.push(reply.failure);
      const judgments = reply.answers.map((answer) => toJudgment(answer, policy));
      if (request.endEarly && isFallbackCertain(judgments, policy.onUncertain)) {
        budget.end(notAwaited);
      }
    },
    { concurrency, signal: budget.signal },
  );
}

/**
 * Judges all candidates. Never rejects: a candidate without an answer at the end of the budget is
 * unjudged.
 */
export async function judgeCandidates(request: JudgingRequest): Promise<JudgingResult> {
  const { budget } = request;
  const batches = planBatches(request);
  const progress: Progress = {
    started: new Set(),
    replies: new Map(),
    failures: [],
    controlFlow: null,
  };
  try {
    const work = request.runInScope(() => judgeBatches(batches, request, progress));
    await untilAborted(work, budget.signal);
  } catch {
    // The budget, control flow or a failing scope of the host: the replies so far count,
    // `explainEnd` explains the others.
  }
  return summarize(batches, request, progress);
}

/** Why batches have no reply; `null` if they were not awaited. */
function explainEnd({ signal }: Budget): JudgeFailure | null {
  if (signal.reason === notAwaited) return null;
  return signal.aborted
    ? { reason: "timeout", kind: "timeout" }
    : { reason: "judge-error", kind: "error" };
}

/** Requests that were sent and never answered count; their usage is unknown. */
function summarize(
  batches: Batches,
  { policy, budget }: JudgingRequest,
  { started, replies, failures, controlFlow }: Progress,
): JudgingResult {
  const end = replies.size === batches.length ? null : explainEnd(budget);
  const open: Judgment = { probability: null, verdict: end === null ? "not-awaited" : "unjudged" };
  const answered = [...replies.values()];
  const unanswered = started.size - answered.length;
  return {
    judgments: batches.flatMap(
      (batch, index) =>
        replies.get(index)?.answers.map((answer) => toJudgment(answer, policy)) ??
        batch.map(() => open),
    ),
    failure: failures[0] ?? end,
    model: answered.find(({ model }) => model !== null)?.model ?? null,
    batches: batches.length,
    requests: sum(answered.map(({ requests }) => requests)) + unanswered,
    retries: sum(answered.map(({ retries }) => retries)),
    cached: unanswered === 0 && answered.length > 0 && answered.every(({ cached }) => cached),
    usage: unanswered > 0 ? null : sumUsage(answered),
    controlFlow,
  };
}
