/**
 * The arithmetic of tuning: the hardest calls of each unit, the quantile that the recall allows,
 * and the check. Pure.
 */

import { hashToShare } from "../../core/fingerprint.js";
import { computeUpperBound } from "../verdict/bounds.js";
import type { Unit } from "../units/evidence-log.js";
import type { CohortPolicy } from "../summary.js";
import { areAdjacent, findJustBelow, placeAdjacent } from "../thresholds.js";

/** Options to paste into `createToolSelector`. */
export type TunedOptions = Pick<
  CohortPolicy,
  "confidenceThreshold" | "rejectionThreshold" | "maxTools"
>;

/** How options do on units that they were not fitted on. */
export interface TuneCheck {
  readonly units: number;
  readonly missedUnits: number;
  /** `null` without units. */
  readonly recall: number | null;
  /** One-sided upper bound of the miss rate. */
  readonly upperBound: number;
}

/** The hardest calls of one unit. */
export interface HardestCalls {
  readonly unit: Unit;
  /** The smallest probability of a called tool, and that tool. */
  readonly probability: number;
  readonly tool: string;
  /** The worst place of a called tool by probability. */
  readonly rank: number;
  /** A called tool was not even judged. */
  readonly isOutsideShortlist: boolean;
}

/** The part of the units that thresholds are fitted on. */
export const fitShare = 0.6;

/** Splits by a hash of its own, so that it is independent of which threads are enforced. */
export const isFitted = ({ kind, id }: Unit): boolean =>
  hashToShare(`tune:${kind}:${id}`) < fitShare;

/** Over all exposures, in fallbacks and after a miss too; `null` if none has a probability. */
export function findHardestCalls(unit: Unit): HardestCalls | null {
  const exposures = unit.copies.flatMap((copy) => copy.exposures);
  const judged = exposures.filter(({ probability }) => probability !== null);
  const [first, ...rest] = judged;
  if (first === undefined) return null;
  const least = rest.reduce(
    (lowest, next) => ((next.probability ?? 1) < (lowest.probability ?? 1) ? next : lowest),
    first,
  );
  return {
    unit,
    probability: least.probability ?? 0,
    tool: least.tool,
    rank: judged.reduce((worst, { rank }) => Math.max(worst, rank), 1),
    isOutsideShortlist: exposures.some(({ reason }) => reason === "not-shortlisted"),
  };
}

/** Half of the misses that the target allows go to the threshold, half to the cap. */
const splitMisses = (targetRecall: number): number => (1 - targetRecall) / 2;

/** k: the place of the quantile among n units, by split-conformal prediction. */
export const findPlace = (targetRecall: number, units: number): number =>
  Math.floor(splitMisses(targetRecall) * (units + 1) + 1e-9);

/** Units that a recall needs to be fitted on. */
export const countUnitsToFit = (targetRecall: number): number =>
  Math.ceil(1 / splitMisses(targetRecall) - 1 - 1e-9);

/** Where the allowed misses end, by probability and by rank. */
export interface Quantiles {
  readonly hardest: HardestCalls;
  readonly maxTools: number;
}

/** The k-th hardest unit by probability, and the k-th widest rank; `null` if k is 0. */
export function findQuantiles(units: readonly HardestCalls[], k: number): Quantiles | null {
  const byProbability = units.toSorted((one, other) => one.probability - other.probability);
  const byRank = units.toSorted((one, other) => other.rank - one.rank);
  const hardest = byProbability[k - 1];
  const widest = byRank[k - 1];
  return hardest === undefined || widest === undefined ? null : { hardest, maxTools: widest.rank };
}

/**
 * Options that keep the hardest call. A threshold at or above the confidence threshold raises that
 * too; thresholds next to each other, as of a judge of whole catalogs, stay next to each other.
 */
export function fitOptions({ hardest, maxTools }: Quantiles, policy: CohortPolicy): TunedOptions {
  if (areAdjacent(policy)) return { ...placeAdjacent(hardest.probability), maxTools };
  const rejectionThreshold = findJustBelow(hardest.probability);
  const confidenceThreshold =
    rejectionThreshold < policy.confidenceThreshold
      ? policy.confidenceThreshold
      : hardest.probability;
  return { confidenceThreshold, rejectionThreshold, maxTools };
}

/**
 * Counts a unit as missed where the options would hide one of its calls; fallbacks, which save
 * some, are not counted on.
 */
export function checkTuned(
  units: readonly HardestCalls[],
  { rejectionThreshold, maxTools }: TunedOptions,
): TuneCheck {
  const missed = units.filter(
    ({ probability, rank, isOutsideShortlist }) =>
      probability <= rejectionThreshold || rank > maxTools || isOutsideShortlist,
  ).length;
  return {
    units: units.length,
    missedUnits: missed,
    recall: units.length === 0 ? null : 1 - missed / units.length,
    upperBound: computeUpperBound(missed, units.length, 0.05),
  };
}
