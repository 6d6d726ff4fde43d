/** The axes of the what-if, and what it needs of one turn. Pure. */

import type { SelectionRecord } from "../core/record.js";
import type { CohortPolicy } from "./summary.js";

/** The axes of the what-if; at most 30 threshold pairs, so that one number holds a bit for each. */
export interface WhatIfGrid {
  readonly confidenceThresholds: readonly number[];
  readonly rejectionThresholds: readonly number[];
  readonly maxTools: readonly number[];
}

/** Multiplies the odds of a probability. The ends are moved inside first, so that they too have neighbours. */
function scaleOdds(probability: number, factor: number): number {
  const inside = Math.min(0.99, Math.max(0.01, probability));
  const odds = (inside / (1 - inside)) * factor;
  return Number((odds / (1 + odds)).toPrecision(3));
}

function around(threshold: number, factors: readonly number[]): readonly number[] {
  const values = factors.map((factor) => scaleOdds(threshold, factor));
  return [...new Set([...values, threshold])].sort((a, b) => a - b);
}

/** Thresholds around those of the policy, in steps of their odds, so that judges on any scale get a useful grid. */
export function whatIfGrid(policy: CohortPolicy): WhatIfGrid {
  const { confidenceThreshold, rejectionThreshold, maxTools } = policy;
  const caps = [Math.ceil(maxTools / 2), maxTools, maxTools * 2, maxTools * 4];
  return {
    rejectionThresholds: around(rejectionThreshold, [1 / 16, 1 / 4, 1 / 2, 2, 4]),
    confidenceThresholds: around(confidenceThreshold, [1 / 4, 1 / 2, 2, 4]),
    maxTools: [...new Set(caps)],
  };
}

/** The judged candidates of a turn whose every answer is a number, the most probable first; `null` for other turns. */
function rankedCandidates(
  record: SelectionRecord,
): readonly SelectionRecord["tools"][number][] | null {
  const judged = record.tools.filter(({ verdict }) => verdict !== null);
  if (judged.length === 0 || judged.some(({ probability }) => probability === null)) return null;
  return judged.sort((a, b) => (b.probability ?? 0) - (a.probability ?? 0));
}

/** The tools of one turn, folded along the axes of a grid: all that the what-if needs of them. */
export interface RankedTurn {
  /** Definition tokens of all judged candidates. */
  readonly tokens: number;
  /** For each rejection threshold of the grid. */
  readonly byRejection: readonly {
    /** Candidates above it. */
    readonly above: number;
    /** The smallest probability above it; `null` if there is none. */
    readonly lowest: number | null;
    /** For each cap of the grid: definition tokens of the candidates that are kept. */
    readonly keptTokens: readonly number[];
  }[];
}

/** Folds the tools of a record; `null` unless every judged candidate has a probability. */
export function rankTurn(record: SelectionRecord, grid: WhatIfGrid): RankedTurn | null {
  const ranked = rankedCandidates(record);
  if (ranked === null) return null;
  const probabilities = ranked.map(({ probability }) => probability ?? 0);
  let sum = 0;
  const tokens = [0, ...ranked.map((tool) => (sum += tool.tokens ?? 0))];
  const byRejection = grid.rejectionThresholds.map((rejection) => {
    const above = countAbove(probabilities, rejection);
    return {
      above,
      lowest: probabilities[above - 1] ?? null,
      keptTokens: grid.maxTools.map((cap) => tokens[Math.min(cap, above)] ?? 0),
    };
  });
  return { tokens: sum, byRejection };
}

/** One valid combination of the axes, by their indexes. */
export interface Cell {
  readonly rejection: number;
  readonly confidence: number;
  readonly cap: number;
  /** Number of its threshold pair, and its own. */
  readonly pair: number;
  readonly index: number;
}

export type Policy = CohortPolicy["onUncertain"];

/** Every valid combination; the cells of a threshold pair follow one another, by cap. */
export function cellsOf(grid: WhatIfGrid): readonly Cell[] {
  const { rejectionThresholds, confidenceThresholds, maxTools } = grid;
  return rejectionThresholds.flatMap((low, rejection) =>
    confidenceThresholds.flatMap((high, confidence) => {
      const pair = rejection * confidenceThresholds.length + confidence;
      if (low >= high) return [];
      return maxTools.map((_, cap) => ({
        rejection,
        confidence,
        cap,
        pair,
        index: pair * maxTools.length + cap,
      }));
    }),
  );
}

/** How many of the descending values exceed a threshold. */
function countAbove(descending: readonly number[], threshold: number): number {
  let count = 0;
  while (count < descending.length && (descending[count] ?? 0) > threshold) count++;
  return count;
}

/** Adds to one of many sums. */
export function addTo(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] ?? 0) + value;
}
