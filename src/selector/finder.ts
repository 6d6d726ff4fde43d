/** The finder of a selector: its definition from the hidden tools, and its answers. */

import { LRUCache } from "lru-cache";
import type { CatalogReader, CatalogTool } from "../core/catalog.js";
import { toJson } from "../core/json.js";
import type { ResolvedThreadOptions } from "../core/thread-options.js";
import type { MemoryChange, ThreadMemory, ToolDescription, ToolOutcome } from "../core/types.js";
import { findToolsSchema } from "../tool-index/find-tools/find-tools-schema.js";
import { findTools } from "../tool-index/find-tools/find-tools.js";
import type { FinderAnswer } from "../tool-index/find-tools/find-tools.js";
import { applyMemoryChange, maxPendingChars, toRememberedTool } from "./memory/thread-memory.js";
import type { TurnMemory } from "./memory/turn-memory.js";
import type { ToolSearch } from "./tool-search.js";

type FindToolsOptions = NonNullable<ResolvedThreadOptions["findTools"]>;

/** Definitions that are kept, so that a tools block stays the same from turn to turn. */
const maxDefinitions = 64;

const purpose =
  "Finds tools that you are not shown. There are more tools than those you see: when none of them fits the task, search here before you say that something cannot be done. What is found can be called from your next step on.";

/** Answers the calls of the finder, and defines it. */
export interface Finder {
  /**
   * The finder for the hidden tools of a turn; `null` if none is hidden, or if the user has a tool
   * of this name.
   */
  define(catalog: readonly CatalogTool[], outcomes: readonly ToolOutcome[]): CatalogTool | null;
  /** The answer for the model, and what the thread remembers of it. Never rejects. */
  answer(
    input: unknown,
    memory: ThreadMemory,
    catalog: readonly CatalogTool[],
  ): Promise<FinderAnswer & { readonly change: MemoryChange }>;
}

/** The answer where this process has not seen the catalog: after an interrupt, for example. */
function answerLater(input: unknown): FinderAnswer & { readonly change: MemoryChange } {
  const json = toJson(input) ?? "null";
  const isKept = json.length <= maxPendingChars;
  const text = isKept
    ? "The search is made with your next step: the tools that match will be among yours then."
    : "The request is not valid: it is too long.";
  const change: MemoryChange = { searched: null, pending: isKept ? json : undefined };
  return { text, found: [], digest: null, result: isKept ? "nothing" : "invalid", change };
}

/**
 * Answers the searches that waited for the catalog, and adds what they found to the turn's memory.
 */
export async function answerPending(
  memory: TurnMemory,
  catalog: readonly CatalogTool[],
  finder: Finder,
): Promise<TurnMemory> {
  const { before } = memory;
  if (before.pending.length === 0 || catalog.length === 0) return memory;
  const answers = await Promise.all(
    before.pending.map((json) => finder.answer(JSON.parse(json), before, catalog)),
  );
  const reveal = answers.flatMap(({ change }) => change.reveal ?? []);
  return {
    ...memory,
    before: applyMemoryChange(before, { reveal }),
    revealed: new Set([...memory.revealed, ...reveal.map(({ name }) => name)]),
    change: { ...memory.change, reveal },
  };
}

/** Creates the finder of a selector. */
export function createFinder(
  options: FindToolsOptions,
  reader: CatalogReader,
  search: ToolSearch,
): Finder {
  const definitions = new LRUCache<string, CatalogTool>({ max: maxDefinitions });
  const describe = (tool: ToolDescription): ToolDescription => tool;

  function defineFor(hidden: readonly ToolDescription[]): CatalogTool {
    const parameters = findToolsSchema(hidden, { limit: options.limit });
    const key = JSON.stringify(parameters);
    const known =
      definitions.get(key) ??
      reader.read({ name: options.name, description: purpose, parameters }, describe);
    definitions.set(key, known);
    return known;
  }

  return {
    define(catalog, outcomes) {
      if (catalog.some(({ description }) => description?.name === options.name)) return null;
      const hidden = catalog.flatMap(({ description }, index) =>
        description === null || outcomes[index]?.kept !== false ? [] : description,
      );
      return hidden.length === 0 ? null : defineFor(hidden);
    },
    async answer(input, memory, catalog) {
      if (catalog.length === 0 && memory.catalog !== null) return answerLater(input);
      const revealed = new Set(memory.revealed.map(({ name }) => name));
      const hiddenNames = new Set(memory.hidden.filter((name) => !revealed.has(name)));
      const described = catalog.flatMap((tool) =>
        tool.candidate === null ? [] : { tool, candidate: tool.candidate },
      );
      // A thread of which nothing is known has nothing visible for certain.
      const isHidden = (name: string): boolean => memory.catalog === null || hiddenNames.has(name);
      const hidden = described.filter(({ candidate }) => isHidden(candidate.name));
      const visible = described.flatMap(({ candidate: { name } }) => (isHidden(name) ? [] : name));
      const answer = await findTools(input, {
        hidden: hidden.map(({ candidate }) => candidate),
        visible,
        limit: options.limit,
        // Visible tools match as well, and are left out afterwards.
        search: (query) =>
          search.search(catalog, { ...query, maxResults: query.maxResults + visible.length }),
        countAnswers: (digest) =>
          memory.run?.searches.find((known) => known.digest === digest)?.count ?? 0,
      });
      const found = new Set(answer.found);
      const reveal = hidden
        .filter(({ candidate }) => found.has(candidate.name))
        .map(({ tool, candidate }) => toRememberedTool(candidate.name, tool.fingerprint));
      return { ...answer, change: { reveal, searched: answer.digest } };
    },
  };
}
