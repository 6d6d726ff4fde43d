/** Savings of the same turns with `sticky`. */

import type { NetSaving, StickySaving } from "../summary.js";
import type { Turn } from "../units/fold-copies.js";
import { SavingTally } from "./net-saving.js";
import type { ResolvedPrices } from "./prices.js";
import { replaySticky } from "./replay-sticky.js";
import type { FindBlock } from "./replay-sticky.js";

const scopes = ["run", "thread"] as const;

/** Sums the savings of a cohort with each scope of `sticky`. */
export class StickySavings {
  readonly #tallies: readonly {
    readonly sticky: StickySaving["sticky"];
    readonly tally: SavingTally;
  }[];
  readonly #findBlock: FindBlock;
  #isKnown = true;

  constructor(prices: ResolvedPrices, mainModel: string | null, findBlock: FindBlock) {
    this.#findBlock = findBlock;
    this.#tallies = scopes.map((sticky) => ({
      sticky,
      tally: new SavingTally(prices, mainModel),
    }));
  }

  /** Adds the turns of a unit that count. */
  add(turns: readonly Turn[]): void {
    for (const { sticky, tally } of this.#tallies) {
      const replayed = this.#isKnown ? replaySticky(turns, sticky, this.#findBlock) : null;
      if (replayed === null) this.#isKnown = false;
      else tally.add(replayed);
    }
  }

  /** Empty if the tools of some block are unknown. */
  finish(alpha: number): readonly StickySaving[] {
    if (!this.#isKnown) return [];
    return this.#tallies.map(({ sticky, tally }) => pickSticky(sticky, tally.finish(alpha)));
  }
}

function pickSticky(
  sticky: StickySaving["sticky"],
  { mean, lowerBound, blockChanges, brokenPrefixes, definitionTokens }: NetSaving,
): StickySaving {
  return {
    sticky,
    mean,
    lowerBound,
    blockChanges,
    brokenPrefixes,
    suggestedTokens: definitionTokens.suggested,
  };
}
