/**
 * Evaluates a judge on labelled cases: judged once, then measured by set, under three policies side
 * by side.
 */

import * as z from "zod";
import { contextOptionsSchema } from "../core/context.js";
import type { ContextOptions } from "../core/context.js";
import { functionOption, integerFrom, parseOptions } from "../core/parse-options.js";
import type { Judge, JudgeFunction } from "../core/types.js";
import { isJudge, toJudge } from "../judges/judge.js";
import type { LabelledCase } from "./cases.js";
import type { Catalog } from "./catalog.js";
import type { Estimate } from "./estimate.js";
import { judgeCases } from "./judge-cases.js";
import type { JudgeCost, JudgedCase } from "./judge-cases.js";
import {
  measureCalibration,
  measureNoneDetection,
  measurePolicy,
  standardPolicies,
} from "./metrics.js";
import type { CalibrationMetrics, PolicyMetrics, PolicyName } from "./metrics.js";

export interface EvaluateOptions {
  readonly judge: Judge | JudgeFunction;
  readonly catalog: Catalog;
  readonly cases: readonly LabelledCase[];
  /**
   * Tools per catalog, from 1: a case's own candidates and distractors drawn from the catalog.
   *
   * @default 64
   */
  readonly catalogSize?: number | undefined;
  /**
   * Fixes which distractors are drawn.
   *
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * What the judge sees of the conversation.
   *
   * @default { strategy: "recent-window", maxMessages: 8, maxChars: 8000 }
   */
  readonly context?: ContextOptions | undefined;
  /**
   * Cases under way at one time, from 1.
   *
   * @default 4
   */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after every case with the number done and the number of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The figures of one set, or of all cases together. */
export interface SetMetrics {
  /** `null` for all cases together. */
  readonly set: string | null;
  readonly cases: number;
  /** Cases in which the judge abstained for every tool. */
  readonly abstained: number;
  readonly policies: Readonly<Record<PolicyName, PolicyMetrics>>;
  /**
   * Area under the ROC curve of the largest probability of a case, on its own candidates without
   * distractors: cases of this set that need no tool, against all cases that need one. `null` if
   * there are none of either.
   */
  readonly noneDetection: Estimate | null;
  /** The same without the cases in which the judge abstained for every tool. */
  readonly noneDetectionAnswered: Estimate | null;
  /** `null` where not every tool that fits is labelled. */
  readonly calibration: CalibrationMetrics | null;
}

/** What `toolsieve eval --json` prints. */
export interface Evaluation {
  readonly judge: string;
  readonly thresholds: { readonly confidence: number; readonly rejection: number };
  readonly catalogSize: number;
  readonly seed: number;
  /**
   * Cases with nothing to measure: no user text, no candidates, or a needed tool that is not on
   * offer.
   */
  readonly skipped: number;
  /** Judge calls that failed; their tools count as unjudged. */
  readonly failures: number;
  /** The first failure; `null` if there was none. */
  readonly firstFailure: string | null;
  readonly cost: JudgeCost;
  /** By set in order of appearance, all together last. */
  readonly sets: readonly SetMetrics[];
}

const optionsSchema = z.strictObject({
  judge: z.custom<Judge | JudgeFunction>(
    (value) => typeof value === "function" || isJudge(value),
    "a judge ({ id, judge }) or a function",
  ),
  catalog: z.custom<Catalog>((value) => value instanceof Map, "a catalog, as `parseCatalog` gives"),
  cases: z.custom<readonly LabelledCase[]>(Array.isArray, "cases, as `parseCases` gives"),
  context: contextOptionsSchema.optional(),
  signal: z.instanceof(AbortSignal, { error: "an AbortSignal" }).optional(),
  onProgress: functionOption<(done: number, total: number) => void>().optional(),
  catalogSize: integerFrom(1).default(64),
  seed: z.number("a number").default(1),
  concurrency: integerFrom(1).default(4),
});

const needsNone = ({ labels, needed }: LabelledCase): boolean =>
  labels === "applicable" && needed?.length === 0;

/** Cases for none-detection, all with candidates of their own or all with whole catalogs. */
function chooseNoneCases(cases: readonly LabelledCase[]): readonly LabelledCase[] {
  const noneCases = cases.filter(needsNone);
  if (noneCases.length === 0) return [];
  const hasOwn = noneCases.some(({ candidates }) => candidates !== null);
  return cases.filter(
    ({ labels, candidates }) => labels === "applicable" && (candidates !== null) === hasOwn,
  );
}

function addCosts(a: JudgeCost, b: JudgeCost): JudgeCost {
  const add = (one: number | null, other: number | null): number | null =>
    one === null ? other : one + (other ?? 0);
  return {
    requests: a.requests + b.requests,
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
  };
}

function isAbstained({ answers }: JudgedCase): boolean {
  return answers.every((answer) => answer === null);
}

interface SetEvidence {
  readonly padded: readonly JudgedCase[];
  readonly own: readonly JudgedCase[];
  readonly policies: ReturnType<typeof standardPolicies>;
}

function measureSet({ padded, own, policies }: SetEvidence, set: string | null): SetMetrics {
  const inSet = (one: JudgedCase): boolean => set === null || one.set === set;
  const judged = padded.filter(inSet);
  const compared = own.filter(
    (one) => inSet(one) || one.needed === null || one.needed.includes(true),
  );
  return {
    set,
    cases: judged.length,
    abstained: judged.filter(isAbstained).length,
    policies: {
      keep: measurePolicy(judged, policies.keep),
      default: measurePolicy(judged, policies.default),
      keep8: measurePolicy(judged, policies.keep8),
    },
    noneDetection: measureNoneDetection(compared),
    noneDetectionAnswered: measureNoneDetection(compared.filter((one) => !isAbstained(one))),
    calibration: measureCalibration(judged),
  };
}

/**
 * Judges all cases in padded catalogs; and once more on their own candidates, for none-detection,
 * if any case needs no tool.
 *
 * @throws {InvalidOptionsError} on an option out of range; `ToolSieveError` if a case names a tool
 * that the catalog lacks; the reason of the signal. A judge call that fails is counted, not thrown.
 * @example
 * const evaluation = await evaluate({ judge: localJudge(), catalog: parseCatalog(tools), cases: parseCases(lines) });
 * console.log(evaluation.sets.at(-1)?.policies.keep.recallPerCase?.value);
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const { catalogSize, seed, concurrency } = parseOptions(optionsSchema, options, "evaluate");
  const { catalog, cases } = options;
  const judge = toJudge(options.judge);
  const signal = options.signal ?? new AbortController().signal;
  const ownCases = chooseNoneCases(cases);
  const total = cases.length + ownCases.length;
  const common = { judge, catalog, context: options.context, seed, concurrency, signal };
  const padded = await judgeCases({
    ...common,
    cases,
    size: catalogSize,
    onProgress: (done) => options.onProgress?.(done, total),
  });
  const own = await judgeCases({
    ...common,
    cases: ownCases,
    size: null,
    onProgress: (done) => options.onProgress?.(cases.length + done, total),
  });
  const thresholds = judge.thresholds ?? { confidence: 0.8, rejection: 0.2 };
  const evidence = {
    padded: padded.judged,
    own: own.judged,
    policies: standardPolicies(
      { confidenceThreshold: thresholds.confidence, rejectionThreshold: thresholds.rejection },
      judge.maxTools ?? 8,
    ),
  };
  const names = [...new Set(padded.judged.map(({ set }) => set))];
  return {
    judge: judge.id,
    thresholds,
    catalogSize,
    seed,
    skipped: padded.skipped,
    failures: padded.failures + own.failures,
    firstFailure: padded.firstFailure ?? own.firstFailure,
    cost: addCosts(padded.cost, own.cost),
    sets: [...(names.length > 1 ? names : []), null].map((set) => measureSet(evidence, set)),
  };
}
