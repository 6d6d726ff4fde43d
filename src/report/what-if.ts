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
import { addTo, cellsOf, whatIfGrid } from "./what-if-grid.js";
import type { Cell, Policy, RankedTurn, WhatIfGrid } from "./what-if-grid.js";
import type { WhatIfUnits } from "./what-if-units.js";

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
