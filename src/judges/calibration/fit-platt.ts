/** Platt scaling: the logistic curve that fits labelled probabilities best. */

import { toLogit, type CalibrationCurve, type CalibrationPair } from "./calibration-curve.js";

/**
 * One Newton step for the two coefficients of a logistic curve; `null` if the system is singular.
 */
function stepNewton(
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
 * Platt scaling over the judge's log-odds, with the smoothed targets of Platt (1999): (N₊ + 1) /
 * (N₊ + 2) and 1 / (N₋ + 2). The slope of a judge that is worse than chance is 0: its order is
 * never reversed.
 */
export function fitPlatt(pairs: readonly CalibrationPair[]): CalibrationCurve {
  const positives = pairs.filter(({ applicable }) => applicable).length;
  const negatives = pairs.length - positives;
  const points = pairs.map(({ probability, applicable }) => ({
    x: toLogit(probability),
    target: applicable ? (positives + 1) / (positives + 2) : 1 / (negatives + 2),
  }));
  let fit = { slope: 0, intercept: Math.log((positives + 1) / (negatives + 1)) };
  const base = fit;
  for (let step = 0; step < 50; step += 1) {
    const next = stepNewton(points, fit.slope, fit.intercept);
    if (next === null || !Number.isFinite(next.slope) || !Number.isFinite(next.intercept)) break;
    const moved = Math.abs(next.slope - fit.slope) + Math.abs(next.intercept - fit.intercept);
    fit = next;
    if (moved < 1e-9) break;
  }
  return { method: "platt", ...(fit.slope > 0 ? fit : base) };
}
