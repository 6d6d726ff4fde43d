/** Finds tools with one name, which the host cannot carry through a middleware. */

import { Runnable } from "@langchain/core/runnables";
import { readText } from "../core/read.js";

function isExecutable(tool: unknown): boolean {
  try {
    return Runnable.isRunnable(tool);
  } catch {
    return false;
  }
}

/**
 * Tools to offer, and the names of those that were left out because a later tool has the same name.
 */
export interface UniqueTools<T> {
  /** The very array that came in, where nothing was left out. */
  readonly tools: readonly T[];
  readonly duplicates: readonly string[];
}

/**
 * Keeps the last of several executable tools with one name.
 *
 * `createAgent` refuses the others as soon as any middleware wraps a model call. Plain dicts pass
 * that check, and the same object twice does as well; both stay.
 */
export function keepLastOfEachName<T>(tools: readonly T[]): UniqueTools<T> {
  const names = tools.map((tool) => (isExecutable(tool) ? readText(tool, "name") : undefined));
  const last = new Map(names.map((name, index) => [name, tools[index]]));
  const isShadowed = tools.map(
    (tool, index) => names[index] !== undefined && last.get(names[index]) !== tool,
  );
  if (!isShadowed.includes(true)) return { tools, duplicates: [] };
  return {
    tools: tools.filter((_tool, index) => isShadowed[index] !== true),
    duplicates: [
      ...new Set(names.filter((name, index) => name !== undefined && isShadowed[index] === true)),
    ].filter((name) => name !== undefined),
  };
}
