/** Asks a judge about labelled cases, turn by turn, as a selector would: the default context, batches of 64. No policy yet. */

import pMap from "p-map";
import { ToolSieveError } from "../errors.js";
import { splitBySize } from "../core/batch.js";
import { buildContext, contextOptionsSchema, requestText } from "../core/context.js";
import type { ContextOptions } from "../core/context.js";
import { sum } from "../core/sum.js";
import type { Judge, JudgeContext, JudgeUsage, ToolDescription } from "../core/types.js";
import { buildCaseCatalog } from "./catalog.js";
import type { CaseCatalogOptions, Catalog } from "./catalog.js";
import type { LabelledCase } from "./cases.js";
import { ReplayMissError } from "./replay.js";

/** The evidence of one case: what the judge said of every tool, beside what the labels say. */
export interface JudgedCase {
  readonly id: string;
  readonly unit: string;
  readonly set: string;
  readonly labels: LabelledCase["labels"];
  /** In candidate order; as the judge gave them, unchecked; `undefined` where it failed. */
  readonly answers: readonly unknown[];
  /** In candidate order; `null` where it is not known which tools are needed. */
  readonly needed: readonly boolean[] | null;
}

/** What a run asked of the judge's backend. */
export interface JudgeCost {
  readonly requests: number;
  /** `null` if the judge reports no usage. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

export interface JudgedCases {
  readonly judged: readonly JudgedCase[];
  /** Cases with nothing to measure: no user text, no candidates, or a needed tool that is not on offer. */
  readonly skipped: number;
  /** Judge calls that threw; their tools are unjudged. */
  readonly failures: number;
  /** What the first of them failed with: our own message, or the name of a foreign error. `null` if none failed. */
  readonly firstFailure: string | null;
  readonly cost: JudgeCost;
}

export interface JudgeCasesOptions extends CaseCatalogOptions {
  readonly judge: Judge;
  readonly catalog: Catalog;
  readonly cases: readonly LabelledCase[];
  /** @default { strategy: "recent-window", maxMessages: 8, maxChars: 8000 } */
  readonly context?: ContextOptions | undefined;
  /** Cases under way at one time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called after every case with the number done. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

interface Reply {
  readonly answers: readonly unknown[];
  readonly usage: JudgeUsage | null;
  readonly requests: number;
  /** `null` if it answered. */
  readonly failure: string | null;
}

/** Foreign messages may quote the prompt; ours do not. */
function wordFailure(error: unknown): string {
  if (ToolSieveError.isInstance(error)) return error.message;
  return error instanceof Error ? error.name : "unknown";
}

async function askBatch(
  judge: Judge,
  context: JudgeContext,
  candidates: readonly ToolDescription[],
  signal: AbortSignal,
): Promise<Reply> {
  const unanswered = candidates.map(() => undefined);
  try {
    const response = await judge.judge({ context, candidates }, { signal });
    const answers: unknown = response.probabilities;
    const isWhole = Array.isArray(answers) && answers.length === candidates.length;
    return {
      answers: isWhole ? answers : unanswered,
      usage: response.usage ?? null,
      requests: response.requests ?? 1,
      failure: isWhole ? null : "The judge answered with another number of probabilities.",
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ReplayMissError) throw error;
    return { answers: unanswered, usage: null, requests: 1, failure: wordFailure(error) };
  }
}

function costOf(replies: readonly Reply[]): JudgeCost {
  const usages = replies.flatMap(({ usage }) => usage ?? []);
  return {
    requests: sum(replies.map(({ requests }) => requests)),
    inputTokens: usages.length === 0 ? null : sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: usages.length === 0 ? null : sum(usages.map(({ outputTokens }) => outputTokens)),
  };
}

/**
 * Judges every case once. A judge call that fails leaves its tools unjudged and is counted; the run goes on.
 *
 * @throws whatever the signal aborts with; `ReplayMissError` if a replayed judge was never asked this.
 */
export async function judgeCases(options: JudgeCasesOptions): Promise<JudgedCases> {
  const { judge, catalog, cases, signal, concurrency } = options;
  const contextOptions = contextOptionsSchema.parse(options.context ?? {});
  const batchSize = Math.min(judge.batchSize ?? 64, 64);
  const replies: Reply[] = [];
  let done = 0;

  async function judgeOne(labelledCase: LabelledCase): Promise<JudgedCase | null> {
    const built = buildCaseCatalog(labelledCase, catalog, options);
    if (built === null || requestText(labelledCase.messages) === null) return null;
    const context = buildContext(labelledCase.messages, contextOptions, (text) => text);
    const answers: unknown[] = [];
    for (const batch of splitBySize(built.tools, batchSize)) {
      const reply = await askBatch(judge, context, batch, signal);
      replies.push(reply);
      answers.push(...reply.answers);
    }
    const { id, unit, set, labels } = labelledCase;
    return { id, unit, set, labels, answers, needed: built.needed };
  }

  const judged = await pMap(
    cases,
    async (labelledCase) => {
      signal.throwIfAborted();
      const result = await judgeOne(labelledCase);
      done += 1;
      options.onProgress?.(done);
      return result;
    },
    { concurrency },
  );
  const kept = judged.filter((one) => one !== null);
  const failures = replies.flatMap(({ failure }) => failure ?? []);
  return {
    judged: kept,
    skipped: judged.length - kept.length,
    failures: failures.length,
    firstFailure: failures[0] ?? null,
    cost: costOf(replies),
  };
}
