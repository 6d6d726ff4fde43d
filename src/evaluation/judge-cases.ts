/**
 * Asks a judge about labelled cases as a selector does: the default context, batches of 64, whole
 * catalogs if it needs them.
 */

import pMap from "p-map";
import { ReplayMissError, ToolSieveError } from "../errors.js";
import { splitBySize } from "../core/batch.js";
import { buildContext, contextOptionsSchema, requestText } from "../core/context.js";
import type { ContextOptions } from "../core/context.js";
import { sum, sumStated } from "../core/sum.js";
import type { Judge, JudgeContext, JudgeUsage, ToolDescription } from "../core/types.js";
import { toJudge } from "../judges/judge.js";
import { buildCaseCatalog } from "./catalog.js";
import type { CaseCatalogOptions, Catalog } from "./catalog.js";
import type { LabelledCase } from "./cases.js";

/** The evidence of one case: the answers of the judge and the labels. */
export interface JudgedCase {
  readonly id: string;
  readonly unit: string;
  readonly set: string;
  readonly labels: LabelledCase["labels"];
  /** In candidate order; `undefined` without a valid answer. */
  readonly answers: readonly (number | null | undefined)[];
  /** In candidate order; `null` where it is not known which tools are needed. */
  readonly needed: readonly boolean[] | null;
}

/** Requests and tokens of a run. */
export interface JudgeCost {
  readonly requests: number;
  /** `null` if the judge reports no usage. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

export interface JudgedCases {
  readonly judged: readonly JudgedCase[];
  /**
   * Cases with nothing to measure: no user text, no candidates, or a needed tool that is not on
   * offer.
   */
  readonly skipped: number;
  /** Judge calls that threw; their tools are unjudged. */
  readonly failures: number;
  /**
   * The first failure: the message of an error of this package, or the name of another one; `null`
   * if none.
   */
  readonly firstFailure: string | null;
  readonly cost: JudgeCost;
}

export interface JudgeCasesOptions extends CaseCatalogOptions {
  readonly judge: Judge;
  readonly catalog: Catalog;
  readonly cases: readonly LabelledCase[];
  /** @default { strategy: "recent-window", maxMessages: 8, maxChars: 8000 } */
  readonly context?: ContextOptions | undefined;
  /** Cases at one time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called after every case with the number done. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

interface BatchReply {
  readonly answers: JudgedCase["answers"];
  readonly usage: JudgeUsage | null;
  readonly requests: number;
  /** `null` if the judge answered. */
  readonly failure: string | null;
}

/** Messages of other packages may quote the prompt. */
function describeFailure(error: unknown): string {
  if (ToolSieveError.isInstance(error)) return error.message;
  return error instanceof Error ? error.name : "unknown";
}

async function askBatch(
  judge: Judge,
  context: JudgeContext,
  candidates: readonly ToolDescription[],
  signal: AbortSignal,
): Promise<BatchReply> {
  try {
    const response = await judge.judge({ context, candidates }, { signal });
    const { probabilities } = response;
    const hasAnswer = probabilities.some((probability) => probability !== undefined);
    return {
      answers: probabilities,
      usage: response.usage ?? null,
      requests: response.requests ?? 1,
      failure: hasAnswer ? null : "The judge's reply holds no valid answer.",
    };
  } catch (error) {
    signal.throwIfAborted();
    if (ReplayMissError.isInstance(error)) throw error;
    const answers = candidates.map(() => undefined);
    return { answers, usage: null, requests: 1, failure: describeFailure(error) };
  }
}

function sumCost(replies: readonly BatchReply[]): JudgeCost {
  return {
    requests: sum(replies.map(({ requests }) => requests)),
    inputTokens: sumStated(replies.map(({ usage }) => usage?.inputTokens)) ?? null,
    outputTokens: sumStated(replies.map(({ usage }) => usage?.outputTokens)) ?? null,
  };
}

/** The batch size of a selector: the default, a judge's smaller limit, or whole catalogs. */
function chooseBatchSize({ scope, batchSize }: Judge): number {
  const limit = batchSize ?? Number.POSITIVE_INFINITY;
  return scope === "catalog" ? limit : Math.min(limit, 64);
}

/**
 * Judges every case once. A judge call that fails leaves its tools unjudged and is counted; the run
 * goes on.
 *
 * @throws the reason of the signal; `ReplayMissError` for a request that a replayed judge did not
 * record.
 */
export async function judgeCases(options: JudgeCasesOptions): Promise<JudgedCases> {
  const { catalog, cases, signal, concurrency } = options;
  const judge = toJudge(options.judge);
  const contextOptions = contextOptionsSchema.parse(options.context ?? {});
  const batchSize = chooseBatchSize(judge);
  const replies: BatchReply[] = [];
  let done = 0;

  async function judgeOne(labelledCase: LabelledCase): Promise<JudgedCase | null> {
    const built = buildCaseCatalog(labelledCase, catalog, options);
    if (built === null || requestText(labelledCase.messages) === null) return null;
    const context = buildContext(labelledCase.messages, contextOptions, (text) => text);
    const answers: (number | null | undefined)[] = [];
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
    cost: sumCost(replies),
  };
}
