/**
 * The what-if of a cohort: its recorded turns under other policies. Exploration, never part of the
 * verdict.
 */

import type { SelectionRecord } from "../../core/record.js";
import type { Exposure } from "../facts/exposures.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import type { CohortPolicy, WhatIf } from "../summary.js";
import { computeUpperBound } from "../verdict/bounds.js";
import { listVariants } from "./list-variants.js";
import type { PolicyVariant } from "./list-variants.js";
import { isHiddenUnder, rankTurn, replayTurn } from "./replay-turn.js";

/** One bit for each variant. */
export type VariantBits = Pick<TurnFacts, "exposedUnder" | "missedUnder">;

/** Sums of one variant over the turns of a cohort; duplicates count each. */
interface VariantSums {
  fallbacks: number;
  tools: number;
  removed: number;
}

/** Units exposed and missed under one variant. */
interface VariantUnits {
  units: number;
  missedUnits: number;
}

const nothing: VariantBits = { exposedUnder: 0, missedUnder: 0 };

/** Sums the turns of one cohort under every variant of its policy. */
export class WhatIfTally {
  readonly #variants: readonly PolicyVariant[];
  readonly #sums: readonly VariantSums[];
  #turns = 0;
  #leftOut = 0;

  constructor(policy: CohortPolicy) {
    this.#variants = listVariants(policy);
    this.#sums = this.#variants.map(() => ({ fallbacks: 0, tools: 0, removed: 0 }));
  }

  /**
   * Adds a turn that asked the judge. @returns under which variants it shows something, and under
   * which it misses.
   */
  add(record: SelectionRecord, exposures: readonly Exposure[]): VariantBits {
    const ranked = rankTurn(record);
    if (ranked === null) {
      this.#leftOut++;
      return nothing;
    }
    this.#turns++;
    let exposedUnder = 0;
    let missedUnder = 0;
    for (const [index, variant] of this.#variants.entries()) {
      const { fallback, tools, removedShare } = replayTurn(ranked, variant);
      const sums = this.#sums[index];
      if (sums !== undefined) {
        sums.fallbacks += fallback ? 1 : 0;
        sums.tools += tools;
        sums.removed += removedShare;
      }
      if (fallback || exposures.length === 0) continue;
      exposedUnder |= 1 << index;
      if (exposures.some((exposure) => isHiddenUnder(exposure, variant))) missedUnder |= 1 << index;
    }
    return { exposedUnder, missedUnder };
  }

  /** Takes over the sums of a cohort with the same policy. */
  merge(other: WhatIfTally): void {
    this.#turns += other.#turns;
    this.#leftOut += other.#leftOut;
    for (const [index, sums] of this.#sums.entries()) {
      const more = other.#sums[index];
      sums.fallbacks += more?.fallbacks ?? 0;
      sums.tools += more?.tools ?? 0;
      sums.removed += more?.removed ?? 0;
    }
  }

  /** @param units the copies of each unit that count, without regard to misses. */
  finish(units: WhatIfUnits, alpha: number): WhatIf {
    const turns = Math.max(1, this.#turns);
    return {
      turns: this.#turns,
      leftOut: this.#leftOut,
      rows: this.#variants.map((variant, index) => {
        const { fallbacks = 0, tools = 0, removed = 0 } = this.#sums[index] ?? {};
        const counts = units.count(index);
        return {
          ...variant,
          current: variant.changed === null,
          ...counts,
          upperBound: computeUpperBound(counts.missedUnits, counts.units, alpha),
          fallbackShare: fallbacks / turns,
          meanTools: tools / turns,
          removedShare: removed / turns,
        };
      }),
    };
  }
}

/** Counts the units of a cohort under every variant. */
export class WhatIfUnits {
  readonly #counts: VariantUnits[] = [];

  /** Adds the copies of one unit. */
  add(copies: readonly VariantBits[]): void {
    let exposed = 0;
    let missed = 0;
    for (const { exposedUnder, missedUnder } of copies) {
      exposed |= exposedUnder;
      missed |= missedUnder;
    }
    for (let index = 0; exposed >>> index > 0; index++) {
      const counts = (this.#counts[index] ??= { units: 0, missedUnits: 0 });
      counts.units += (exposed >>> index) & 1;
      counts.missedUnits += (missed >>> index) & 1;
    }
  }

  /** Units exposed and missed under the variant at a place. */
  count(index: number): Readonly<VariantUnits> {
    return this.#counts[index] ?? { units: 0, missedUnits: 0 };
  }
}
