/** How many different tools blocks each thread sends. */

import { describeSample } from "../describe-sample.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import type { Distribution } from "../summary.js";

/** Counts distinct blocks by thread; unknown ones are left out. */
export class BlockCount {
  readonly #counts: number[] = [];

  /** Adds the turns of one unit. */
  add(turns: readonly TurnFacts[], block: "suggestedBlock" | "offeredBlock"): void {
    const blocks = new Map<string, Set<number>>();
    for (const turn of turns) {
      if (Number.isNaN(turn[block])) continue;
      const known = blocks.get(turn.thread) ?? new Set<number>();
      blocks.set(turn.thread, known.add(turn[block]));
    }
    for (const { size } of blocks.values()) this.#counts.push(size);
  }

  /** Distinct blocks per thread; `null` if none is known. */
  finish(): Distribution | null {
    return describeSample(this.#counts);
  }
}
