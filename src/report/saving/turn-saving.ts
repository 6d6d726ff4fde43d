/** The arithmetic of savings: one turn, the break-even, and the lower bound of a mean. Pure. */

import { computeStudentQuantile } from "../verdict/bounds.js";
import { sum } from "../../core/sum.js";
import type { TurnRatios } from "./prices.js";
import type { TurnFacts } from "../facts/turn-facts.js";

/** What one turn would have saved, before its judge is paid. */
export interface TurnSaving {
  /** a·R: the removed tokens at the price that they had. */
  readonly removed: number;
  /**
   * B·(w − r)·max(0, c − R): what was read from the cache and would have had to be written again.
   */
  readonly cacheBreak: number;
}

/**
 * The saving of a turn whose model answered.
 *
 * @param isBroken B: the tools block differs from the previous one, opens a thread, or comes after
 * the cache's lifetime.
 */
export function computeTurnSaving(
  turn: TurnFacts,
  ratios: TurnRatios,
  isBroken: boolean,
): TurnSaving {
  const difference = turn.fullTokens - turn.suggestedTokens;
  const removed = Number.isNaN(difference) ? 0 : difference;
  const { cacheReadTokens: read, cacheWriteTokens: written } = turn;
  const price = read > 0 ? ratios.cacheRead : written > 0 ? ratios.cacheWrite : 1;
  return {
    removed: price * removed,
    cacheBreak: isBroken ? (ratios.cacheWrite - ratios.cacheRead) * Math.max(0, read - removed) : 0,
  };
}

/** Turns between block changes at which the saving pays for the broken cache; `null`: never. */
export function computeBreakEven(means: {
  readonly full: number;
  readonly selected: number;
  readonly history: number;
  readonly judge: number;
  readonly ratios: Pick<TurnRatios, "cacheRead" | "cacheWrite">;
}): number | null {
  const { cacheRead, cacheWrite } = means.ratios;
  const gain = cacheRead * (means.full - means.selected) - means.judge;
  if (gain <= 0) return null;
  return ((cacheWrite - cacheRead) * (means.selected + means.history)) / gain;
}

/**
 * One-sided lower bound of a mean: mean − t(1 − α; n − 1)·s/√n; `null` for fewer than two values.
 */
export function boundMean(values: readonly number[], alpha: number): number | null {
  const count = values.length;
  if (count < 2) return null;
  const mean = sum(values) / count;
  const variance = sum(values.map((value) => (value - mean) ** 2)) / (count - 1);
  return mean - computeStudentQuantile(1 - alpha, count - 1) * Math.sqrt(variance / count);
}
