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
import type { Exposure, TurnFacts } from "./turn-facts.js";

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

/** Sums of one cohort; turns of duplicates are counted each. */
export class WhatIfTally {
  readonly grid: WhatIfGrid;
  #turns = 0;
  #leftOut = 0;
  /** By threshold pair: turns that fall back. */
  readonly #fallbacks: Float64Array;
  /** By rejection and cap, then by pair and cap: tools offered, and the share of the definition tokens removed. */
  readonly #kept: { readonly tools: Float64Array; readonly removed: Float64Array };
  readonly #decided: { readonly tools: Float64Array; readonly removed: Float64Array };

  constructor(policy: CohortPolicy) {
    this.grid = whatIfGrid(policy);
    const { rejectionThresholds, confidenceThresholds, maxTools } = this.grid;
    const keptCells = rejectionThresholds.length * maxTools.length;
    const pairs = rejectionThresholds.length * confidenceThresholds.length;
    const sums = (cells: number): { tools: Float64Array; removed: Float64Array } => ({
      tools: new Float64Array(cells),
      removed: new Float64Array(cells),
    });
    this.#fallbacks = new Float64Array(pairs);
    this.#kept = sums(keptCells);
    this.#decided = sums(pairs * maxTools.length);
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
    const full = catalog.definitionTokens ?? 0;
    const pinned = Math.max(0, catalog.tools - catalog.candidates);
    let doubts = 0;
    ranked.byRejection.forEach(({ above, lowest, keptTokens }, row) => {
      const offered = this.grid.maxTools.map((cap, index) => {
        const kept = keptTokens[index] ?? 0;
        const removed = full === 0 ? 0 : Math.max(0, (ranked.tokens - kept) / full);
        return { tools: pinned + Math.min(cap, above), removed };
      });
      offered.forEach((cell, cap) => addCell(this.#kept, this.#keptCell(row, cap), cell));
      this.grid.confidenceThresholds.forEach((confidence, column) => {
        const pair = this.#pair(row, column);
        const isDoubtful = lowest !== null && lowest < confidence;
        if (isDoubtful) doubts += 2 ** pair;
        if (isDoubtful) addOne(this.#fallbacks, pair);
        offered.forEach((cell, cap) =>
          addCell(
            this.#decided,
            pair * this.grid.maxTools.length + cap,
            isDoubtful ? { tools: catalog.tools, removed: 0 } : cell,
          ),
        );
      });
    });
    return doubts;
  }

  /** Takes over the sums of a cohort with the same policy. */
  merge(other: WhatIfTally): void {
    this.#turns += other.#turns;
    this.#leftOut += other.#leftOut;
    addAll(this.#fallbacks, other.#fallbacks);
    for (const key of ["tools", "removed"] as const) {
      addAll(this.#kept[key], other.#kept[key]);
      addAll(this.#decided[key], other.#decided[key]);
    }
  }

  #pair(row: number, column: number): number {
    return row * this.grid.confidenceThresholds.length + column;
  }

  #keptCell(row: number, cap: number): number {
    return row * this.grid.maxTools.length + cap;
  }

  /**
   * The finished what-if.
   *
   * @param units the copies of each unit that count, without regard to misses.
   */
  finish(units: WhatIfUnits, policy: CohortPolicy, alpha: number): WhatIf {
    const turns = Math.max(1, this.#turns);
    const boundOf = rememberedBound(alpha);
    const rows = cellsOf(this.grid).flatMap((cell) =>
      (["fallback", "keep"] as const).map((onUncertain): WhatIfRow => {
        const isKeep = onUncertain === "keep";
        const index = isKeep ? this.#keptCell(cell.rejection, cell.cap) : cell.index;
        const sums = isKeep ? this.#kept : this.#decided;
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
          fallbackShare: isKeep ? 0 : (this.#fallbacks[cell.pair] ?? 0) / turns,
          meanTools: (sums.tools[index] ?? 0) / turns,
          removedShare: (sums.removed[index] ?? 0) / turns,
        };
      }),
    );
    return { turns: this.#turns, leftOut: this.#leftOut, ...this.grid, rows };
  }
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

function addCell(
  sums: { readonly tools: Float64Array; readonly removed: Float64Array },
  index: number,
  cell: { readonly tools: number; readonly removed: number },
): void {
  sums.tools[index] = (sums.tools[index] ?? 0) + cell.tools;
  sums.removed[index] = (sums.removed[index] ?? 0) + cell.removed;
}

function addAll(target: Float64Array, source: Float64Array): void {
  source.forEach((value, index) => {
    target[index] = (target[index] ?? 0) + value;
  });
}

/** Units exposed and missed under each combination. */
export class WhatIfUnits {
  readonly #grid: WhatIfGrid;
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
    for (const cell of this.#cells) {
      const decided = turns.filter(({ doubts }) => Math.floor(doubts / 2 ** cell.pair) % 2 === 0);
      this.#count(cell, "keep", turns);
      this.#count(cell, "fallback", decided);
    }
  }

  #count(cell: Cell, policy: Policy, turns: readonly TurnFacts[]): void {
    if (turns.length === 0) return;
    addOne(this.#exposed[policy], cell.index);
    if (turns.some(({ exposures }) => exposures.some((call) => this.#isMissed(cell, call)))) {
      addOne(this.#missed[policy], cell.index);
    }
  }

  #isMissed(cell: Cell, { probability, rank }: Exposure): boolean {
    const rejection = this.#grid.rejectionThresholds[cell.rejection] ?? 0;
    const cap = this.#grid.maxTools[cell.cap] ?? 0;
    return probability === null || probability <= rejection || rank > cap;
  }
}

function addOne(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}
