/** The parts of the selector that the selection of one turn needs. */

import type { CatalogReader } from "../core/catalog.js";
import type { ResolvedOptions } from "../core/options.js";
import type { Warn } from "../core/warn-once.js";
import type { KeepTogether } from "../core/keep-together.js";
import type { Finder } from "./finder.js";
import type { KnownCatalogs } from "./known-catalogs.js";
import type { Memo } from "./memory/memo.js";
import type { TurnMemories } from "./memory/turn-memory.js";
import type { ToolSearch } from "./tool-search.js";
import type { TurnPolicy } from "./turn-policy.js";

/** What a selector keeps from turn to turn. */
export interface SelectorParts {
  readonly options: ResolvedOptions;
  readonly reader: CatalogReader;
  readonly warn: Warn;
  readonly memo: Memo;
  readonly keepTogether: KeepTogether;
  /** Each of these is `null` where its option is off. */
  readonly memories: TurnMemories | null;
  readonly shortlist: ToolSearch | null;
  readonly finder: Finder | null;
  readonly catalogs: KnownCatalogs | null;
}

export interface SelectContext extends SelectorParts {
  /** What applies to this turn. */
  readonly policy: TurnPolicy;
  /** Epoch milliseconds of the start of the turn. */
  readonly startedAt: number;
  /** Milliseconds left for judging. */
  readonly timeoutMs: number;
}
