/** The parts of the selector that the selection of one turn needs. */

import type { CatalogReader } from "../core/catalog.js";
import type { ResolvedOptions } from "../core/options.js";
import type { Warn } from "../core/warn-once.js";
import type { TurnPolicy } from "./turn-policy.js";

export interface SelectContext {
  readonly options: ResolvedOptions;
  readonly reader: CatalogReader;
  readonly warn: Warn;
  /** The policy of this turn. */
  readonly policy: TurnPolicy;
  /** Epoch milliseconds of the start of the turn. */
  readonly startedAt: number;
  /** Milliseconds left for judging. */
  readonly timeoutMs: number;
}
