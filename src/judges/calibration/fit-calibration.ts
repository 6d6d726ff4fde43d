/** Fits a calibration curve to labelled answers of a judge. */

import * as z from "zod";
import { InvalidOptionsError } from "../../errors.js";
import { hashToShare } from "../../core/fingerprint.js";
import { parseOptions } from "../../core/parse-options.js";
import {
  applyCalibration,
  type CalibrationCurve,
  type CalibrationPair,
} from "./calibration-curve.js";
import { fitIsotonic } from "./fit-isotonic.js";
import { fitPlatt } from "./fit-platt.js";

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

export interface FitCalibrationOptions {
  /**
   * `isotonic`: steps, any monotone shape, needs hundreds of pairs. `platt`: a logistic curve, two
   * numbers.
   *
   * @default "isotonic"
   */
  readonly method?: "isotonic" | "platt" | undefined;
  /**
   * Share of the pairs that is held out to measure the error, from 0, below 1.
   *
   * @default 0.3
   */
  readonly holdOut?: number | undefined;
}

/** The error of the probabilities on pairs that were not used for the fit. */
export interface CalibrationError {
  readonly pairs: number;
  readonly groups: number;
  /** Mean squared error of the calibrated probabilities (Brier score); 0 is perfect. */
  readonly brier: number;
  /** Brier score of the judge's own probabilities. */
  readonly uncalibratedBrier: number;
  /** Mean negative log-likelihood of the calibrated probabilities, in nats. */
  readonly logLoss: number;
}

/** A fitted calibration, plain JSON. */
export type CalibrationFit = CalibrationCurve & {
  /** Pairs that the curve was fitted on. */
  readonly pairs: number;
  /** Measured on the other pairs; `null` if none were held out. */
  readonly heldOut: CalibrationError | null;
};

interface Split {
  readonly fitted: readonly CalibrationPair[];
  readonly heldOut: readonly CalibrationPair[];
  readonly heldOutGroups: number;
}

/**
 * Holds out whole groups, in the order of a stable hash, up to the share; at least one group stays
 * for the fit.
 */
function splitByGroup(pairs: readonly CalibrationPair[], holdOut: number): Split {
  const groups = new Map<string, CalibrationPair[]>();
  for (const [index, pair] of pairs.entries()) {
    const key = pair.group === undefined ? `pair ${index}` : `group ${pair.group}`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [pair]);
    else members.push(pair);
  }
  const ordered = [...groups.entries()].sort(([a], [b]) => hashToShare(a) - hashToShare(b));
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
 * Fits a calibration for `calibrated`, and measures its error on held-out pairs. Groups are split
 * by a stable hash: the same pairs always give the same fit.
 *
 * @throws {InvalidOptionsError} if a pair or option is wrong, or if the pairs to fit have one label
 * only.
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
