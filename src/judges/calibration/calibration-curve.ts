/** A calibration curve: its two shapes, the pairs that it is fitted on, and how a probability passes through it. */

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

/** What `calibrated` takes; further fields (the held-out error) are allowed and ignored. */
export const calibrationCurveSchema = z.discriminatedUnion(
  "method",
  [isotonicSchema, plattSchema],
  'a fit of `fitCalibration` (method "isotonic" or "platt")',
);

/** A monotone map of probabilities: steps, or a logistic curve over the log-odds. */
export type CalibrationCurve =
  | {
      readonly method: "isotonic";
      /** Rising; a probability belongs to the last block whose `from` it reaches, one below all of them to the first. */
      readonly blocks: readonly { readonly from: number; readonly probability: number }[];
    }
  | { readonly method: "platt"; readonly slope: number; readonly intercept: number };

/** One answer of a judge, and what was right. */
export interface CalibrationPair {
  /** What the judge said, in [0, 1]. */
  readonly probability: number;
  /** Whether the tool was applicable. */
  readonly applicable: boolean;
  /** Pairs that belong together (a conversation, a user) are never on both sides of the split. @default a group of its own */
  readonly group?: string | undefined;
}

const edge = 1e-6;

/** Log-odds of a probability, kept finite: at least 10⁻⁶ away from 0 and 1. */
export function clampedLogit(probability: number): number {
  const clamped = Math.min(1 - edge, Math.max(edge, probability));
  return Math.log(clamped / (1 - clamped));
}

/** Passes one probability through a curve. */
export function applyCalibration(curve: CalibrationCurve, probability: number): number {
  if (curve.method === "isotonic") {
    const block = curve.blocks.findLast(({ from }) => from <= probability) ?? curve.blocks[0];
    return block?.probability ?? probability;
  }
  const odds = curve.slope * clampedLogit(probability) + curve.intercept;
  return Math.min(1 - edge, Math.max(edge, 1 / (1 + Math.exp(-odds))));
}
