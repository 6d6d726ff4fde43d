/**
 * The what-if: recorded turns under other thresholds, caps and policies. Exploration, never part of the verdict.
 *
 * With every probability known, the policy of `core/select.ts` has a closed form: the kept candidates are the first ones
 * by probability, as many as exceed the rejection threshold and fit under the cap; and under `onUncertain: "fallback"` any
 * probability strictly between the thresholds restores the catalog. That makes hundreds of combinations cheap enough
 * for every turn of a large log; the tests hold it against `decide`.
 */

import type { SelectionRecord } from "../core/record.js";
import { upperBound } from "./bounds.js";
import type { CohortPolicy, WhatIf, WhatIfRow } from "./summary.js";
import type { TurnFacts } from "./turn-facts.js";

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
export function rankedCandidates(
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
interface Cell {
  readonly rejection: number;
  readonly confidence: number;
  readonly cap: number;
  /** Number of its threshold pair, and its own. */
  readonly pair: number;
  readonly index: number;
}

type Policy = CohortPolicy["onUncertain"];

function cellsOf(grid: WhatIfGrid): readonly Cell[] {
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

/** What a cohort's turns would offer, summed. */
interface Sums {
  readonly turns: Float64Array;
  /** Tools of the whole catalogs. */
  readonly catalogTools: Float64Array;
  /** By cap: tools offered, and the share of the definition tokens removed. */
  readonly tools: Float64Array;
  readonly removed: Float64Array;
}

/**
 * Sums of one cohort; turns of duplicates are counted each.
 *
 * For one rejection threshold, the confidence thresholds from some place on leave a turn in doubt. Turns are summed by
 * that place, and the columns of the grid are sums over places.
 */
export class WhatIfTally {
  readonly grid: WhatIfGrid;
  #turns = 0;
  #leftOut = 0;
  /** Places per rejection threshold: one for each confidence threshold, and one for "never in doubt". */
  readonly #places: number;
  readonly #sums: Sums;

  constructor(policy: CohortPolicy) {
    this.grid = whatIfGrid(policy);
    this.#places = this.grid.confidenceThresholds.length + 1;
    const places = this.grid.rejectionThresholds.length * this.#places;
    const cells = places * this.grid.maxTools.length;
    this.#sums = {
      turns: new Float64Array(places),
      catalogTools: new Float64Array(places),
      tools: new Float64Array(cells),
      removed: new Float64Array(cells),
    };
  }

  /**
   * Adds a turn that asked the judge.
   *
   * @param ranked `null` for a turn with an answer missing.
   * @returns the bits of the threshold pairs that would fall back, or `NaN`.
   */
  add(ranked: RankedTurn | null, catalog: SelectionRecord["catalog"]): number {
    if (ranked === null) {
      this.#leftOut++;
      return NaN;
    }
    this.#turns++;
    const { maxTools, confidenceThresholds } = this.grid;
    const full = catalog.definitionTokens ?? 0;
    const pinned = Math.max(0, catalog.tools - catalog.candidates);
    let doubts = 0;
    for (const [row, { above, lowest, keptTokens }] of ranked.byRejection.entries()) {
      const first = firstDoubt(confidenceThresholds, lowest);
      const place = row * this.#places + first;
      addTo(this.#sums.turns, place, 1);
      addTo(this.#sums.catalogTools, place, catalog.tools);
      for (const [cap, limit] of maxTools.entries()) {
        const removed = full === 0 ? 0 : (ranked.tokens - (keptTokens[cap] ?? 0)) / full;
        addTo(this.#sums.tools, place * maxTools.length + cap, pinned + Math.min(limit, above));
        addTo(this.#sums.removed, place * maxTools.length + cap, Math.max(0, removed));
      }
      for (let column = first; column < confidenceThresholds.length; column++) {
        doubts += 2 ** (row * confidenceThresholds.length + column);
      }
    }
    return doubts;
  }

  /** Takes over the sums of a cohort with the same policy. */
  merge(other: WhatIfTally): void {
    this.#turns += other.#turns;
    this.#leftOut += other.#leftOut;
    for (const name of ["turns", "catalogTools", "tools", "removed"] as const) {
      other.#sums[name].forEach((value, index) => addTo(this.#sums[name], index, value));
    }
  }

  /** The mean turn under one combination. */
  #meansOf(
    { rejection, confidence, cap }: Cell,
    onUncertain: Policy,
  ): Pick<WhatIfRow, "fallbackShare" | "meanTools" | "removedShare"> {
    const means = { fallbackShare: 0, meanTools: 0, removedShare: 0 };
    const turns = Math.max(1, this.#turns);
    for (let first = 0; first < this.#places; first++) {
      const place = rejection * this.#places + first;
      const cell = place * this.grid.maxTools.length + cap;
      const { turns: counts, catalogTools, tools, removed } = this.#sums;
      if (onUncertain === "fallback" && first <= confidence) {
        means.fallbackShare += (counts[place] ?? 0) / turns;
        means.meanTools += (catalogTools[place] ?? 0) / turns;
      } else {
        means.meanTools += (tools[cell] ?? 0) / turns;
        means.removedShare += (removed[cell] ?? 0) / turns;
      }
    }
    return means;
  }

  /**
   * The finished what-if.
   *
   * @param units the copies of each unit that count, without regard to misses.
   */
  finish(units: WhatIfUnits, policy: CohortPolicy, alpha: number): WhatIf {
    const boundOf = rememberedBound(alpha);
    const rows = cellsOf(this.grid).flatMap((cell) =>
      (["fallback", "keep"] as const).map((onUncertain): WhatIfRow => {
        const counts = units.countsOf(cell, onUncertain);
        const combination = {
          confidenceThreshold: this.grid.confidenceThresholds[cell.confidence] ?? NaN,
          rejectionThreshold: this.grid.rejectionThresholds[cell.rejection] ?? NaN,
          maxTools: this.grid.maxTools[cell.cap] ?? NaN,
          onUncertain,
        };
        return {
          ...combination,
          current: isSamePolicy(combination, policy),
          ...counts,
          upperBound: boundOf(counts.missedUnits, counts.units),
          ...this.#meansOf(cell, onUncertain),
        };
      }),
    );
    return { turns: this.#turns, leftOut: this.#leftOut, ...this.grid, rows };
  }
}

/** The place of the first confidence threshold that leaves the smallest kept probability in doubt. */
function firstDoubt(confidenceThresholds: readonly number[], lowest: number | null): number {
  const place = lowest === null ? -1 : confidenceThresholds.findIndex((high) => lowest < high);
  return place === -1 ? confidenceThresholds.length : place;
}

/** Most rows share their counts, and a bound takes a while. */
function rememberedBound(alpha: number): (missed: number, units: number) => number {
  const known = new Map<string, number>();
  return (missed, units) => {
    const key = `${missed} ${units}`;
    const bound = known.get(key) ?? upperBound(missed, units, alpha);
    known.set(key, bound);
    return bound;
  };
}

function isSamePolicy(one: CohortPolicy, other: CohortPolicy): boolean {
  return (
    one.confidenceThreshold === other.confidenceThreshold &&
    one.rejectionThreshold === other.rejectionThreshold &&
    one.maxTools === other.maxTools &&
    one.onUncertain === other.onUncertain
  );
}

/** How many of the descending values exceed a threshold. */
function countAbove(descending: readonly number[], threshold: number): number {
  let count = 0;
  while (count < descending.length && (descending[count] ?? 0) > threshold) count++;
  return count;
}

/** Units exposed and missed under each combination. */
export class WhatIfUnits {
  readonly #grid: WhatIfGrid;
  /** The cells of a pair follow one another, by cap. */
  readonly #cells: readonly Cell[];
  readonly #exposed: Readonly<Record<Policy, Float64Array>>;
  readonly #missed: Readonly<Record<Policy, Float64Array>>;

  constructor(grid: WhatIfGrid) {
    this.#grid = grid;
    this.#cells = cellsOf(grid);
    const size = (this.#cells.at(-1)?.index ?? 0) + 1;
    const counts = (): Record<Policy, Float64Array> => ({
      fallback: new Float64Array(size),
      keep: new Float64Array(size),
    });
    this.#exposed = counts();
    this.#missed = counts();
  }

  countsOf({ index }: Cell, policy: Policy): { units: number; missedUnits: number } {
    return {
      units: this.#exposed[policy][index] ?? 0,
      missedUnits: this.#missed[policy][index] ?? 0,
    };
  }

  /** Adds the copies of one unit. */
  add(copies: readonly TurnFacts[]): void {
    const turns = copies.filter(
      ({ doubts, exposures }) => !Number.isNaN(doubts) && exposures.length > 0,
    );
    if (turns.length === 0) return;
    const all = worstOf(turns);
    let decided: WorstExposure | null = null;
    for (const cell of this.#cells) {
      if (cell.cap === 0) decided = worstOf(turns, cell.pair);
      this.#count(cell, "keep", all);
      this.#count(cell, "fallback", decided);
    }
  }

  #count({ index, rejection, cap }: Cell, policy: Policy, worst: WorstExposure | null): void {
    if (worst === null) return;
    addTo(this.#exposed[policy], index, 1);
    const isRejected = worst.probability <= (this.#grid.rejectionThresholds[rejection] ?? 0);
    const isCut = worst.rank > (this.#grid.maxTools[cap] ?? 0);
    if (isRejected || isCut) addTo(this.#missed[policy], index, 1);
  }
}

/** The least probable and the worst placed called tool of some turns. */
interface WorstExposure {
  readonly probability: number;
  readonly rank: number;
}

/** @param pair leaves out turns that this threshold pair would fall back on. @returns `null` without a turn. */
function worstOf(turns: readonly TurnFacts[], pair?: number): WorstExposure | null {
  let probability = Infinity;
  let rank = 0;
  for (const { doubts, exposures } of turns) {
    if (pair !== undefined && Math.floor(doubts / 2 ** pair) % 2 === 1) continue;
    for (const exposure of exposures) {
      probability = Math.min(probability, exposure.probability ?? -1);
      rank = Math.max(rank, exposure.rank);
    }
  }
  return probability === Infinity ? null : { probability, rank };
}

function addTo(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] ?? 0) + value;
}
