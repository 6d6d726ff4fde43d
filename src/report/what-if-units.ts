/** Units exposed and missed under every combination of the what-if. */

import type { TurnFacts } from "./turn-facts.js";
import { addTo, cellsOf } from "./what-if-grid.js";
import type { Cell, Policy, WhatIfGrid } from "./what-if-grid.js";

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
    const isClear = turns.every(({ doubts }) => doubts === 0);
    let decided: WorstExposure | null = all;
    for (const cell of this.#cells) {
      if (cell.cap === 0 && !isClear) decided = worstOf(turns, cell.pair);
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
