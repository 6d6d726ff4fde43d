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
  readonly source: string;
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
  return { source: part.source, part: part.name, padded: padded.judged, own: own.judged };
}

const needsTools = ({ needed }: JudgedCase): boolean => needed?.includes(true) ?? false;

/** Share of the needed tools to keep, as the mean over the sources. */
const keptShare = 0.979;
const rightShare = 0.9;
/** Thresholds tried: up to 0.0021, in steps of three percent. A tool with more than one chance in 480 is worth its tokens. */
const tried: readonly number[] = Array.from(
  { length: 61 },
  (_, step) => 0.0021 * 1.03 ** (step - 60),
);

/** Share of a part's needed tools that a threshold keeps. */
function keptAt(judged: readonly JudgedCase[], threshold: number): number {
  let needed = 0;
  let kept = 0;
  for (const one of judged) {
    for (const [index, answer] of one.answers.entries()) {
      if (one.needed?.[index] !== true) continue;
      needed += 1;
      kept += typeof answer === "number" && answer <= threshold ? 0 : 1;
    }
  }
  return kept / needed;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The largest threshold tried that keeps the wanted share. */
function rejectionFor(judged: readonly JudgedPart[]): number {
  const sources = [...new Set(judged.map(({ source }) => source))];
  const meanKept = (threshold: number): number =>
    mean(
      sources.map((name) =>
        mean(
          judged
            .filter(({ source }) => source === name)
            .map(({ padded }) => keptAt(padded, threshold)),
        ),
      ),
    );
  return tried.findLast((threshold) => meanKept(threshold) >= keptShare) ?? (tried[0] as number);
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
    const isLastOfEqual = pairs[index + 1]?.answer !== pair.answer;
    if (isLastOfEqual && right / (index + 1) >= rightShare) threshold = pair.answer;
  }
  return threshold;
}

/**
 * Thresholds from sources that were left out: rejection keeps 97.9 % of the needed tools or more as the mean over the sources; confidence is the largest, over the parts, of the least above which nine in ten are right.
 */
export function thresholdsOf(judged: readonly JudgedPart[]): Thresholds {
  const clean = judged.filter(({ part }) => !noisyParts.has(part));
  const confidence = Math.max(
    ...clean.map(({ padded }) => confidenceFor(padded)).filter((value) => value < 1),
  );
  return {
    confidence: Number(confidence.toPrecision(2)),
    rejection: Number(rejectionFor(clean).toPrecision(2)),
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
