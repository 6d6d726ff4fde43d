/** Creates what a selector keeps from turn to turn; what no option needs is not created. */

import type { CatalogReader } from "../core/catalog.js";
import { compileKeepTogether } from "../core/keep-together.js";
import type { ResolvedOptions } from "../core/options.js";
import { needsMemory } from "../core/thread-options.js";
import type { Warn } from "../core/warn-once.js";
import { createFinder } from "./finder.js";
import { createKnownCatalogs } from "./known-catalogs.js";
import { createMemo } from "./memory/memo.js";
import { createTurnMemories } from "./memory/turn-memory.js";
import type { SelectorParts } from "./select-context.js";
import { createToolSearch } from "./tool-search.js";

export function createParts(
  options: ResolvedOptions,
  reader: CatalogReader,
  warn: Warn,
): SelectorParts {
  const { findTools, shortlist } = options;
  const search = findTools === null ? null : createToolSearch(findTools.index);
  return {
    options,
    reader,
    warn,
    memo: createMemo(),
    keepTogether: compileKeepTogether(options.keepTogether),
    memories: needsMemory(options) ? createTurnMemories(options) : null,
    shortlist: shortlist === null ? null : createToolSearch(shortlist.index),
    catalogs: findTools !== null || options.guard ? createKnownCatalogs() : null,
    finder: findTools === null || search === null ? null : createFinder(findTools, reader, search),
  };
}
