/** Fits a calibration: from labelled answers of a judge to a map from its probabilities to real ones. */

import { z } from "zod";
import { InvalidOptionsError } from "../errors.js";
import { shareOf } from "../core/fingerprint.js";
import { parseOptions } from "../core/parse-options.js";
import { applyCalibration, clampedLogit, type CalibrationCurve } from "./calibration-curve.js";

const pairsMessage = "a list of { probability from 0 to 1, applicable, group? }";

const pairSchema = z.object(
  {
    probability: z.number(pairsMessage).min(0, pairsMessage).max(1, pairsMessage),
    applicable: z.boolean(pairsMessage),
    group: z.string(pairsMessage).optional(),
  },
  pairsMessage,
);

const optionsSchema = z.strictObject({
  method: z.enum(["isotonic", "platt"], '"isotonic" or "platt"').default("isotonic"),
  holdOut: z
    .number("a number from 0, below 1")
    .min(0, "a number from 0, below 1")
    .lt(1, "a number from 0, below 1")
    .default(0.3),
});

/** One answer of a judge, and what was right. */
export interface CalibrationPair {
  /** What the judge said, in [0, 1]. */
  readonly probability: number;
  /** Whether the tool was applicable. */
  readonly applicable: boolean;
  /** Pairs that belong together (a conversation, a user) are never on both sides of the split. @default a group of its own */
  readonly group?: string | undefined;
}

export interface FitCalibrationOptions {
  /** `isotonic`: steps, any monotone shape, needs hundreds of pairs. `platt`: a logistic curve, two numbers. @default "isotonic" */
  readonly method?: "isotonic" | "platt" | undefined;
  /** Share of the pairs that is kept aside to measure the error on, from 0, below 1. @default 0.3 */
  readonly holdOut?: number | undefined;
}

/** How far off probabilities were on pairs that the fit has not seen. */
export interface CalibrationError {
  readonly pairs: number;
  readonly groups: number;
  /** Mean squared error of the calibrated probabilities (Brier score); 0 is perfect. */
  readonly brier: number;
  /** The same of the judge's own. */
  readonly uncalibratedBrier: number;
  /** Mean negative log-likelihood of the calibrated probabilities, in nats. */
  readonly logLoss: number;
}

/** A fitted calibration, plain JSON. */
export type CalibrationFit = CalibrationCurve & {
  /** Pairs that the curve was fitted on. */
  readonly pairs: number;
  /** Measured on the rest; `null` if nothing was held out. */
  readonly heldOut: CalibrationError | null;
};

interface Split {
  readonly fitted: readonly CalibrationPair[];
  readonly heldOut: readonly CalibrationPair[];
  readonly heldOutGroups: number;
}

/** Whole groups, in the order of a stable hash, until the share is reached; at least one group stays for the fit. */
function splitByGroup(pairs: readonly CalibrationPair[], holdOut: number): Split {
  const groups = new Map<string, CalibrationPair[]>();
  for (const [index, pair] of pairs.entries()) {
    const key = pair.group === undefined ? `pair ${index}` : `group ${pair.group}`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [pair]);
    else members.push(pair);
  }
  const ordered = [...groups.entries()].sort(([a], [b]) => shareOf(a) - shareOf(b));
  const heldOut: CalibrationPair[] = [];
  const fitted: CalibrationPair[] = [];
  let heldOutGroups = 0;
  for (const [index, [, members]] of ordered.entries()) {
    const isLast = index === ordered.length - 1;
    const isWanted = heldOut.length + members.length / 2 <= holdOut * pairs.length;
    if (holdOut > 0 && isWanted && !(isLast && fitted.length === 0)) {
      heldOut.push(...members);
      heldOutGroups += 1;
    } else fitted.push(...members);
  }
  return { fitted, heldOut, heldOutGroups };
}

interface Block {
  readonly from: number;
  readonly positives: number;
  readonly count: number;
}

/** Pool adjacent violators: neighbours are merged until `valueOf` rises strictly from block to block. */
function pool(blocks: readonly Block[], valueOf: (block: Block) => number): readonly Block[] {
  const stack: Block[] = [];
  for (const block of blocks) {
    let current = block;
    let last = stack.at(-1);
    while (last !== undefined && valueOf(last) >= valueOf(current)) {
      stack.pop();
      current = {
        from: last.from,
        positives: last.positives + current.positives,
        count: last.count + current.count,
      };
      last = stack.at(-1);
    }
    stack.push(current);
  }
  return stack;
}

/**
 * Isotonic regression by pool adjacent violators (Ayer et al. 1955); a block of n pairs with k applicable ones is read as
 * (k + ½) / (n + 1), so that no finite evidence becomes certainty. Smoothing can break the order, so it is pooled again.
 */
function fitIsotonic(pairs: readonly CalibrationPair[]): CalibrationCurve {
  const byProbability = new Map<number, Block>();
  for (const { probability, applicable } of pairs) {
    const block = byProbability.get(probability) ?? { from: probability, positives: 0, count: 0 };
    const positives = block.positives + (applicable ? 1 : 0);
    byProbability.set(probability, { ...block, positives, count: block.count + 1 });
  }
  const sorted = [...byProbability.values()].sort((a, b) => a.from - b.from);
  const smoothed = ({ positives, count }: Block): number => (positives + 0.5) / (count + 1);
  const blocks = pool(
    pool(sorted, ({ positives, count }) => positives / count),
    smoothed,
  );
  return {
    method: "isotonic",
    blocks: blocks.map((block) => ({ from: block.from, probability: smoothed(block) })),
  };
}

/** One Newton step for the two coefficients of a logistic curve; `null` when it cannot be taken. */
function newtonStep(
  points: readonly { readonly x: number; readonly target: number }[],
  slope: number,
  intercept: number,
): { readonly slope: number; readonly intercept: number } | null {
  let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9];
  for (const { x, target } of points) {
    const p = 1 / (1 + Math.exp(-(slope * x + intercept)));
    const weight = p * (1 - p);
    g0 += p - target;
    g1 += (p - target) * x;
    h00 += weight;
    h01 += weight * x;
    h11 += weight * x * x;
  }
  const determinant = h00 * h11 - h01 * h01;
  if (!(determinant > 0)) return null;
  return {
    slope: slope - (h00 * g1 - h01 * g0) / determinant,
    intercept: intercept - (h11 * g0 - h01 * g1) / determinant,
  };
}

/**
 * Platt scaling over the judge's log-odds, with the smoothed targets of Platt (1999): (N₊ + 1) / (N₊ + 2) and
 * 1 / (N₋ + 2). A judge that is worse than chance is not turned around: its slope is 0.
 */
function fitPlatt(pairs: readonly CalibrationPair[]): CalibrationCurve {
  const positives = pairs.filter(({ applicable }) => applicable).length;
  const negatives = pairs.length - positives;
  const points = pairs.map(({ probability, applicable }) => ({
    x: clampedLogit(probability),
    target: applicable ? (positives + 1) / (positives + 2) : 1 / (negatives + 2),
  }));
  let fit = { slope: 0, intercept: Math.log((positives + 1) / (negatives + 1)) };
  const base = fit;
  for (let step = 0; step < 50; step += 1) {
    const next = newtonStep(points, fit.slope, fit.intercept);
    if (next === null || !Number.isFinite(next.slope) || !Number.isFinite(next.intercept)) break;
    const moved = Math.abs(next.slope - fit.slope) + Math.abs(next.intercept - fit.intercept);
    fit = next;
    if (moved < 1e-9) break;
  }
  return { method: "platt", ...(fit.slope > 0 ? fit : base) };
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function measure(
  curve: CalibrationCurve,
  { heldOut, heldOutGroups }: Split,
): CalibrationError | null {
  if (heldOut.length === 0) return null;
  const scored = heldOut.map(({ probability, applicable }) => ({
    before: probability,
    after: applyCalibration(curve, probability),
    truth: applicable ? 1 : 0,
  }));
  return {
    pairs: heldOut.length,
    groups: heldOutGroups,
    brier: mean(scored.map(({ after, truth }) => (after - truth) ** 2)),
    uncalibratedBrier: mean(scored.map(({ before, truth }) => (before - truth) ** 2)),
    logLoss: mean(scored.map(({ after, truth }) => -Math.log(truth === 1 ? after : 1 - after))),
  };
}

/**
 * Fits a calibration for `calibrated`, and measures its error on pairs kept aside. The split is by group and by a stable
 * hash: the same pairs always give the same fit.
 *
 * @throws {InvalidOptionsError} if a pair or option is wrong, or if the pairs to fit hold only one kind of truth.
 * @example
 * const fit = fitCalibration(
 *   [0.1, 0.4, 0.6, 0.9].map((probability) => ({ probability, applicable: probability > 0.5 })),
 *   { method: "platt", holdOut: 0 },
 * );
 */
export function fitCalibration(
  pairs: readonly CalibrationPair[],
  options: FitCalibrationOptions = {},
): CalibrationFit {
  const { method, holdOut } = parseOptions(optionsSchema, options, "fitCalibration");
  parseOptions(
    z.strictObject({ pairs: z.array(pairSchema, pairsMessage) }),
    { pairs },
    "fitCalibration",
  );
  const split = splitByGroup(pairs, holdOut);
  if (new Set(split.fitted.map(({ applicable }) => applicable)).size < 2) {
    throw new InvalidOptionsError(
      `Expected \`pairs\` to hold applicable and not applicable ones in the ${split.fitted.length} pairs left to fit.`,
    );
  }
  const curve = method === "isotonic" ? fitIsotonic(split.fitted) : fitPlatt(split.fitted);
  return { ...curve, pairs: split.fitted.length, heldOut: measure(curve, split) };
}
