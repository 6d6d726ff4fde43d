/** The key of a graph's state that holds the memory of a thread. */

import { read } from "../core/read.js";
import { needsMemory } from "../core/thread-options.js";
import type { ToolSelector } from "../selector/tool-selector.js";

/** Private to middleware, and kept by every checkpointer. */
export const memoryKey = "_toolsieve";

/** True if the selector remembers anything from turn to turn. */
export function remembersThreads({ options }: ToolSelector): boolean {
  return needsMemory(options);
}

/** True if the graph's state has the key. */
export function hasMemoryKey(state: unknown): boolean {
  return typeof state === "object" && state !== null && memoryKey in state;
}

/** The memory that a state holds; `null` if it holds none. */
export function readMemoryKey(state: unknown): unknown {
  return read(state, memoryKey) ?? null;
}
