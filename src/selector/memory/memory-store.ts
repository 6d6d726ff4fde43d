/**
 * Memory of threads in this process, for hosts without a state: bounded, by thread id, never across
 * threads.
 */

import { LRUCache } from "lru-cache";
import type { MemoryChange, ThreadMemory } from "../../core/types.js";
import { applyMemoryChange, emptyMemory } from "./thread-memory.js";

/** Remembers threads by their id; the thread that was used least recently makes room. */
export interface MemoryStore {
  /** Threads that are remembered. */
  readonly size: number;
  /** An empty memory for an unknown thread, and for none; or the one that `saved` gives. */
  read(threadId: string | undefined, saved?: () => ThreadMemory): ThreadMemory;
  /** Without a thread id nothing is remembered. */
  change(threadId: string | undefined, change: MemoryChange, saved?: () => ThreadMemory): void;
}

/** Creates a store for so many threads. */
export function createMemoryStore(maxThreads: number): MemoryStore {
  const threads = new LRUCache<string, ThreadMemory>({ max: maxThreads });
  const nothing = (): ThreadMemory => emptyMemory;
  const read = (threadId: string | undefined, saved = nothing): ThreadMemory =>
    (threadId === undefined ? undefined : threads.get(threadId)) ?? saved();
  return {
    get size() {
      return threads.size;
    },
    read,
    change(threadId, change, saved) {
      if (threadId === undefined) return;
      threads.set(threadId, applyMemoryChange(read(threadId, saved), change));
    },
  };
}
