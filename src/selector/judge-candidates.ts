/** Asks a judge about all candidates of a turn: batches, concurrency, one budget, an early end, cancellation. */

import pMap from "p-map";
import type { Budget } from "./budget.js";
import { notAwaited, untilAborted } from "../core/abort.js";
import { splitIntoBatches } from "../core/batch.js";
import { failedReply, readJudgeReply, sumUsage } from "../core/judge-reply.js";
import type { JudgeReply, JudgingFailure, RecordedUsage } from "../core/judge-reply.js";
import type { ResolvedJudgeLimits } from "../core/limits.js";
import { isFallbackCertain } from "../core/select.js";
import type { SelectionPolicy } from "../core/select.js";
import type { Candidate, Judge, JudgeContext, Judgment } from "../core/types.js";
import { judgmentOf } from "../core/verdict.js";

export interface JudgingRequest {
  readonly judge: Judge;
  readonly context: JudgeContext;
  readonly candidates: readonly Candidate[];
  readonly policy: SelectionPolicy;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly limits: ResolvedJudgeLimits;
  readonly budget: Budget;
  /** Stop as soon as the answers so far make a fallback certain. */
  readonly endEarly: boolean;
  /** Errors of a judge that belong to the host. */
  readonly isControlFlow: (error: unknown) => boolean;
  readonly scope: <R>(judge: () => Promise<R>) => Promise<R>;
}

/** What the judge said, and what it took. */
export interface Judging {
  /** In candidate order. */
  readonly judgments: readonly Judgment[];
  /** The first failure in time; `null` if every candidate has an answer. */
  readonly failure: JudgingFailure | null;
  readonly model: string | null;
  readonly batches: number;
  readonly requests: number;
  readonly retries: number;
  readonly cached: boolean;
  readonly usage: RecordedUsage | null;
  /** Control flow of the host that the judge threw, to be thrown on; empty as a rule. */
  readonly controlFlow: readonly unknown[];
}

/** What has come in so far; batches are known by their index. */
interface Progress {
  readonly started: Set<number>;
  readonly replies: Map<number, JudgeReply>;
  /** In the order in which they happened. */
  readonly failures: JudgingFailure[];
  /** What the judge threw that belongs to the host. */
  readonly controlFlow: unknown[];
}

/** Asks about one batch; rejects only when the budget has ended or the judge threw control flow. */
async function askJudge(
  batch: readonly Candidate[],
  request: JudgingRequest,
  progress: Progress,
): Promise<JudgeReply> {
  const { judge, context, budget } = request;
  const { signal, deadline } = budget;
  try {
    const answer = (async () =>
      judge.judge({ context, candidates: batch }, { signal, deadline }))();
    return readJudgeReply(await untilAborted(answer, signal), batch.length);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!request.isControlFlow(error)) return failedReply(error, batch.length);
    progress.controlFlow.push(error);
    throw error;
  }
}

async function judgeBatches(
  batches: readonly (readonly Candidate[])[],
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
      const judgments = reply.answers.map((answer) => judgmentOf(answer, policy));
      if (request.endEarly && isFallbackCertain(judgments, policy.onUncertain)) {
        budget.end(notAwaited);
      }
    },
    { concurrency, signal: budget.signal },
  );
}

/** Judges all candidates. Never rejects: what has no answer when the budget or the caller ends it, is unjudged. */
export async function judgeCandidates(request: JudgingRequest): Promise<Judging> {
  const { judge, budget, policy } = request;
  const batchSize = Math.min(request.batchSize, judge.batchSize ?? request.batchSize);
  const batches = splitIntoBatches(request.candidates, batchSize, request.limits);
  const progress: Progress = {
    started: new Set(),
    replies: new Map(),
    failures: [],
    controlFlow: [],
  };
  try {
    const work = request.scope(() => judgeBatches(batches, request, progress));
    await untilAborted(work, budget.signal);
  } catch {
    // Whatever ended the judging, a failing scope of the host included: what came in counts, the rest is told apart below.
  }
  return summarise(batches, policy, budget, progress);
}

function sum(replies: readonly JudgeReply[], count: (reply: JudgeReply) => number): number {
  return replies.reduce((total, reply) => total + count(reply), 0);
}

/** Why the batches without a reply have none; `null` if they were not waited for. */
function endOf(budget: Budget): JudgingFailure | null {
  if (budget.signal.reason === notAwaited) return null;
  return budget.signal.aborted
    ? { reason: "timeout", kind: "timeout" }
    : { reason: "judge-error", kind: "error" };
}

/** Requests that were sent and never answered count; their usage is unknown. */
function summarise(
  batches: readonly (readonly Candidate[])[],
  policy: SelectionPolicy,
  budget: Budget,
  { started, replies, failures, controlFlow }: Progress,
): Judging {
  const end = replies.size === batches.length ? null : endOf(budget);
  const open: Judgment = { probability: null, verdict: end === null ? "not-awaited" : "unjudged" };
  const answered = [...replies.values()];
  const unanswered = started.size - answered.length;
  return {
    judgments: batches.flatMap(
      (batch, index) =>
        replies.get(index)?.answers.map((answer) => judgmentOf(answer, policy)) ??
        batch.map(() => open),
    ),
    failure: failures[0] ?? end,
    model: answered.find(({ model }) => model !== null)?.model ?? null,
    batches: batches.length,
    requests: sum(answered, ({ requests }) => requests) + unanswered,
    retries: sum(answered, ({ retries }) => retries),
    cached: unanswered === 0 && answered.length > 0 && answered.every(({ cached }) => cached),
    usage: unanswered > 0 ? null : sumUsage(answered),
    controlFlow,
  };
}
