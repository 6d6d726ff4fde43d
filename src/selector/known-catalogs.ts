/**
 * Catalogs of recent turns, for calls that are answered where the caller's tools are not at hand.
 */

import { LRUCache } from "lru-cache";
import type { CatalogTool } from "../core/catalog.js";
import { listFingerprint } from "../core/fingerprint.js";
import type { ThreadMemory } from "../core/types.js";

/** Catalogs that are kept; the one used least recently makes room. */
const maxCatalogs = 64;

/** Catalogs by their fingerprint: threads with the same definitions share one, and no others. */
export interface KnownCatalogs {
  add(catalog: readonly CatalogTool[]): void;
  /** The catalog of the thread's last model step; empty if this process has not seen it. */
  find(memory: ThreadMemory): readonly CatalogTool[];
}

/** Creates an empty collection. */
export function createKnownCatalogs(): KnownCatalogs {
  const catalogs = new LRUCache<string, readonly CatalogTool[]>({ max: maxCatalogs });
  return {
    add(catalog) {
      catalogs.set(listFingerprint(catalog.map(({ fingerprint }) => fingerprint)), catalog);
    },
    find: ({ catalog }) => catalogs.get(catalog ?? "") ?? [],
  };
}
