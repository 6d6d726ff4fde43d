/**
 * Arithmetic of thresholds: neighbours of a probability, in steps that suit a judge on any scale.
 */

import type { CohortPolicy } from "./summary.js";

type Thresholds = Pick<CohortPolicy, "confidenceThreshold" | "rejectionThreshold">;

/**
 * Multiplies the odds of a probability; 0 and 1, which have none, count as 0.01 and 0.99.
 */
export function scaleOdds(probability: number, factor: number): number {
  const inside = probability <= 0 ? 0.01 : probability >= 1 ? 0.99 : probability;
  const odds = (inside / (1 - inside)) * factor;
  return Number((odds / (1 + odds)).toPrecision(3));
}

/**
 * The largest number of four digits below a positive probability: short to paste, and it keeps that
 * probability.
 */
export function findJustBelow(probability: number): number {
  const step = 10 ** (Math.floor(Math.log10(probability)) - 3);
  const below = Number(((Math.ceil(probability / step - 1e-9) - 1) * step).toPrecision(4));
  return below > 0 && below < probability ? below : 0;
}

/** True if less than a hundredth of the confidence threshold lies between the two. */
export function areAdjacent({ confidenceThreshold, rejectionThreshold }: Thresholds): boolean {
  return confidenceThreshold - rejectionThreshold < confidenceThreshold / 100;
}

/** Thresholds next to each other: a judge of whole catalogs leaves nothing between them. */
export function placeAdjacent(confidenceThreshold: number): Thresholds {
  return { confidenceThreshold, rejectionThreshold: findJustBelow(confidenceThreshold) };
}
