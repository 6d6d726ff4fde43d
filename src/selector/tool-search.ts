/**
 * Searches a catalog through a tool index; the default one is loaded when the first search needs
 * it.
 */

import type { CatalogTool } from "../core/catalog.js";
import { listFingerprint } from "../core/fingerprint.js";
import type { ToolIndex } from "../core/types.js";

/** One search. */
export interface CatalogQuery {
  readonly query: string;
  readonly group: string | null;
  readonly maxResults: number;
}

/** Searches catalogs; one that was searched before is not indexed again. */
export interface ToolSearch {
  /**
   * Names of matching tools, the best first.
   *
   * @throws what the index throws, and the signal's reason.
   */
  search(
    catalog: readonly CatalogTool[],
    query: CatalogQuery,
    signal?: AbortSignal,
  ): Promise<readonly string[]>;
}

/** Catalogs whose index is kept. */
const maxCatalogs = 64;

async function loadSessions(given: ToolIndex | undefined) {
  const [{ createToolSessions }, { lruEviction }, index] = await Promise.all([
    import("../tool-index/sessions/tool-sessions.js"),
    import("../tool-index/sessions/eviction.js"),
    given ??
      import("../tool-index/lexical/lexical-tool-index.js").then((lexical) =>
        lexical.createLexicalToolIndex(),
      ),
  ]);
  return createToolSessions({ index, eviction: lruEviction(maxCatalogs) });
}

/**
 * Creates a search over an index, lexical by default. Threads with the same catalog share a session
 * of it.
 */
export function createToolSearch(index: ToolIndex | undefined): ToolSearch {
  let sessions: ReturnType<typeof loadSessions> | undefined;
  return {
    async search(catalog, { query, group, maxResults }, signal) {
      sessions ??= loadSessions(index);
      const tools = catalog.flatMap(({ candidate }) => candidate ?? []);
      const sessionId = listFingerprint(catalog.map(({ fingerprint }) => fingerprint));
      const request = { query, group: group ?? undefined, maxResults };
      const { matches } = await (await sessions).search(sessionId, tools, request, { signal });
      return matches.map(({ name }) => name);
    },
  };
}
