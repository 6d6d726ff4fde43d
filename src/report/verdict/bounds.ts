/**
 * Exact bounds of rates and means: Clopper–Pearson, Student's t, Newcombe; each one-sided at level
 * `alpha`.
 */

import { betaCdf, betaQuantile } from "./beta.js";

/**
 * The one-sided upper Clopper–Pearson bound of a rate: BetaInv(1 − α; K + 1, N − K), and 1 if K =
 * N.
 *
 * @param missed K, out of
 * @param units N
 */
export function computeUpperBound(missed: number, units: number, alpha: number): number {
  return missed >= units ? 1 : betaQuantile(1 - alpha, missed + 1, units - missed);
}

/**
 * The one-sided lower Clopper–Pearson bound of a rate: BetaInv(α; K, N − K + 1), and 0 if K = 0.
 */
export function computeLowerBound(missed: number, units: number, alpha: number): number {
  return missed <= 0 ? 0 : betaQuantile(alpha, missed, units - missed + 1);
}

/** Units that bring the upper bound of no miss at all down to `limit`: ⌈ln α / ln(1 − limit)⌉. */
export function countUnitsWithoutMiss(limit: number, alpha: number): number {
  return Math.ceil(Math.log(alpha) / Math.log1p(-limit) - 1e-9);
}

/** The fewest units with which `missed` misses still have an upper bound of at most `limit`. */
export function countUnitsNeeded(missed: number, limit: number, alpha: number): number {
  if (missed === 0) return countUnitsWithoutMiss(limit, alpha);
  const isEnough = (units: number): boolean => isAtMost(missed, units, { limit, alpha });
  let high = countUnitsWithoutMiss(limit, alpha) + missed;
  while (!isEnough(high)) high *= 2;
  let low = missed;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whether the upper bound is at most the limit, by one evaluation: P(X ≤ K; N, limit) ≤ α. */
function isAtMost(
  missed: number,
  units: number,
  { limit, alpha }: { readonly limit: number; readonly alpha: number },
): boolean {
  return missed < units && 1 - betaCdf(limit, missed + 1, units - missed) <= alpha;
}

/**
 * The chance that a log of `units` at a true rate of `rate` is found ready: its misses are few
 * enough for the bound.
 */
export function computeChanceOfReady(
  units: number,
  rate: number,
  level: { readonly limit: number; readonly alpha: number },
): number {
  let allowed = -1;
  while (isAtMost(allowed + 1, units, level)) allowed++;
  return allowed < 0 ? 0 : 1 - betaCdf(rate, allowed + 1, units - allowed);
}

/**
 * The `p`-quantile (p ≥ 0.5) of Student's t with `degrees` degrees of freedom, through the beta
 * distribution.
 */
export function computeStudentQuantile(p: number, degrees: number): number {
  const x = betaQuantile(2 * (1 - p), degrees / 2, 0.5);
  return Math.sqrt((degrees * (1 - x)) / x);
}

/**
 * The `p`-quantile of the normal distribution: Student's t with a million degrees of freedom has
 * the same six digits.
 */
const computeNormalQuantile = (p: number): number => computeStudentQuantile(p, 1e6);

/** A share of units, as two counts. */
export interface Share {
  readonly hits: number;
  readonly units: number;
}

/** The Wilson score interval of a share, each end one-sided. */
function wilson(
  { hits, units }: Share,
  z: number,
): { readonly low: number; readonly high: number } {
  const rate = hits / units;
  const centre = (rate + (z * z) / (2 * units)) / (1 + (z * z) / units);
  const half =
    (z * Math.sqrt((rate * (1 - rate)) / units + (z * z) / (4 * units * units))) /
    (1 + (z * z) / units);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * The difference of two shares with Newcombe's hybrid score interval (1998, method 10), each end
 * one-sided.
 *
 * @returns first minus second, with its bounds.
 */
export function compareShares(
  first: Share,
  second: Share,
  alpha: number,
): { readonly difference: number; readonly low: number; readonly high: number } {
  const z = computeNormalQuantile(1 - alpha);
  const [one, other] = [wilson(first, z), wilson(second, z)];
  const [p, q] = [first.hits / first.units, second.hits / second.units];
  return {
    difference: p - q,
    low: p - q - Math.hypot(p - one.low, other.high - q),
    high: p - q + Math.hypot(one.high - p, q - other.low),
  };
}
