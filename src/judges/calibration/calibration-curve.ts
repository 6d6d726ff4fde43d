/** Calibration curves: their two shapes, the pairs they are fitted on, and their application. */

import * as z from "zod";

const finite = "a finite number";
const share = "a number from 0 to 1";
const between = z.number(share).min(0, share).max(1, share);

const isotonicSchema = z.object({
  method: z.literal("isotonic"),
  blocks: z
    .array(z.object({ from: between, probability: between }), "a list of { from, probability }")
    .min(1, "at least one block")
    .refine(
      (blocks) =>
        blocks.every(
          (block, index) =>
            index === 0 ||
            (block.from > (blocks[index - 1]?.from ?? 0) &&
              block.probability >= (blocks[index - 1]?.probability ?? 0)),
        ),
      "blocks in rising order",
    ),
});

const plattSchema = z.object({
  method: z.literal("platt"),
  slope: z.number(finite).min(0, "a number from 0"),
  intercept: z.number(finite),
});

/** The input of `calibrated`; further fields (the held-out error) are allowed and ignored. */
export const calibrationCurveSchema = z.discriminatedUnion(
  "method",
  [isotonicSchema, plattSchema],
  'a fit of `fitCalibration` (method "isotonic" or "platt")',
);

/** A monotone map of probabilities: steps, or a logistic curve over the log-odds. */
export type CalibrationCurve =
  | {
      readonly method: "isotonic";
      /**
       * In rising order. A probability belongs to the last block with `from` at most as large, else
       * to the first.
       */
      readonly blocks: readonly { readonly from: number; readonly probability: number }[];
    }
  | { readonly method: "platt"; readonly slope: number; readonly intercept: number };

/** One answer of a judge with its label. */
export interface CalibrationPair {
  /** The judge's answer, in [0, 1]. */
  readonly probability: number;
  /** The label: true if the tool was applicable. */
  readonly applicable: boolean;
  /**
   * Pairs that belong together (a conversation, a user) are never on both sides of the split.
   *
   * @default a group of its own
   */
  readonly group?: string | undefined;
}

const edge = 1e-6;

/** Log-odds of a probability, kept finite: at least 10⁻⁶ away from 0 and 1. */
export function toLogit(probability: number): number {
  const clamped = Math.min(1 - edge, Math.max(edge, probability));
  return Math.log(clamped / (1 - clamped));
}

/** Maps one probability by a curve. */
export function applyCalibration(curve: CalibrationCurve, probability: number): number {
  if (curve.method === "isotonic") {
    const block = curve.blocks.findLast(({ from }) => from <= probability) ?? curve.blocks[0];
    return block?.probability ?? probability;
  }
  const odds = curve.slope * toLogit(probability) + curve.intercept;
  return Math.min(1 - edge, Math.max(edge, 1 / (1 + Math.exp(-odds))));
}
