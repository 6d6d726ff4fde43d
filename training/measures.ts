/** What a judge is worth on labelled cases, and the thresholds that follow from it. */

import type { Judge } from "../src/core/types.js";
import { judgeCases, type JudgedCase } from "../src/evaluation/judge-cases.js";
import {
  measureCalibration,
  measureNoneDetection,
  measurePolicy,
  standardPolicies,
} from "../src/evaluation/metrics.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";
import type { Part } from "./sources.js";

export interface Thresholds {
  readonly confidence: number;
  readonly rejection: number;
}

/** Judged cases of one part: in catalogs of 64, and on each case's own candidates. */
export interface JudgedPart {
  readonly part: string;
  readonly padded: readonly JudgedCase[];
  readonly own: readonly JudgedCase[];
}

/** Labels of these parts are too noisy to set a threshold by. */
const noisyParts: ReadonlySet<string> = new Set(["MetaTool"]);

export async function judgePart(
  judge: Judge,
  part: Part,
  { cases, seed }: { readonly cases: number; readonly seed: number },
): Promise<JudgedPart> {
  const drawn = shuffled(part.cases, seededRandom(`${seed}:measure:${part.name}`)).slice(0, cases);
  const labelled = drawn.map((one) => one.labelled);
  const shared = {
    judge,
    catalog: part.catalog,
    seed,
    concurrency: 1,
    signal: new AbortController().signal,
  };
  const padded = await judgeCases({ ...shared, cases: labelled, size: 64 });
  const own = await judgeCases({
    ...shared,
    cases: labelled.filter(({ candidates }) => candidates !== null),
    size: null,
  });
  return { part: part.name, padded: padded.judged, own: own.judged };
}

const needsTools = ({ needed }: JudgedCase): boolean => needed?.includes(true) ?? false;

/** Probabilities of the needed tools, ascending; what the judge could not tell counts as kept. */
function neededProbabilities(judged: readonly JudgedCase[]): readonly number[] {
  return judged
    .flatMap(({ answers, needed }) =>
      answers.flatMap((answer, index) =>
        needed?.[index] === true ? [typeof answer === "number" ? answer : 1] : [],
      ),
    )
    .sort((a, b) => a - b);
}

const keptShare = 0.99;
const rightShare = 0.9;
const highestRejection = 0.05;

/** The largest threshold that keeps the wanted share of the needed tools of a part. */
function rejectionFor(judged: readonly JudgedCase[]): number {
  const probabilities = neededProbabilities(judged.filter(needsTools));
  return probabilities[Math.floor(probabilities.length * (1 - keptShare))] ?? highestRejection;
}

/** The least threshold above which the wanted share of a part's tools is needed. */
function confidenceFor(judged: readonly JudgedCase[]): number {
  const pairs = judged
    .filter(({ labels }) => labels === "applicable")
    .filter(needsTools)
    .flatMap(({ answers, needed }) =>
      answers.flatMap((answer, index) =>
        typeof answer === "number" ? [{ answer, right: needed?.[index] === true }] : [],
      ),
    )
    .sort((a, b) => b.answer - a.answer);
  let right = 0;
  let threshold = 1;
  for (const [index, pair] of pairs.entries()) {
    right += pair.right ? 1 : 0;
    if (right / (index + 1) >= rightShare) threshold = pair.answer;
  }
  return threshold;
}

/**
 * Thresholds that hold where a source was left out: the rejection threshold is the geometric mean, over the parts, of the
 * largest that keeps 99 % of their needed tools; the confidence threshold the largest, over the parts, of the least above
 * which nine in ten are right.
 */
export function thresholdsOf(judged: readonly JudgedPart[]): Thresholds {
  const clean = judged.filter(({ part }) => !noisyParts.has(part));
  const logs = clean.map(({ padded }) =>
    Math.log(Math.min(highestRejection, rejectionFor(padded))),
  );
  const rejection = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
  const confidence = Math.max(
    ...clean.map(({ padded }) => confidenceFor(padded)).filter((value) => value < 1),
  );
  return {
    confidence: Number(confidence.toPrecision(2)),
    rejection: Number(rejection.toPrecision(2)),
  };
}

const figure = (value: number | undefined): number | null =>
  value === undefined ? null : Number(value.toFixed(4));

/** The figures of one part for the provenance file. */
export interface PartFigures {
  readonly part: string;
  readonly cases: number;
  readonly thresholds: Thresholds;
  readonly recallPerTool: number | null;
  readonly recallPerCase: number | null;
  readonly hidden: number | null;
  readonly noneDetection: number | null;
  readonly calibrationError: number | null;
}

/** Measures what a judge made of a part at its own thresholds, with `onUncertain: "keep"` and no cap. */
export function figuresOf({ part, padded, own }: JudgedPart, thresholds: Thresholds): PartFigures {
  const { keep } = standardPolicies({
    confidenceThreshold: thresholds.confidence,
    rejectionThreshold: thresholds.rejection,
  });
  const metrics = measurePolicy(padded, keep);
  return {
    part,
    cases: padded.filter(needsTools).length,
    thresholds,
    recallPerTool: figure(metrics.recallPerTool?.value),
    recallPerCase: figure(metrics.recallPerCase?.value),
    hidden: figure(metrics.hidden?.value),
    noneDetection: figure(measureNoneDetection(own)?.value),
    calibrationError: figure(measureCalibration(padded)?.error),
  };
}
