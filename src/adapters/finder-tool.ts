/** The finder as a LangChain tool: its definition for the model, as the selection gives it. */

import { tool } from "@langchain/core/tools";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Selection, ToolDescription } from "../core/types.js";

const tools = new WeakMap<ToolDescription, StructuredToolInterface>();

/**
 * The tool that is bound to the model. Its calls are answered by the adapter, which knows the
 * thread; the same definition is the same object.
 */
export function toFinderTool(finder: ToolDescription): StructuredToolInterface {
  const known =
    tools.get(finder) ??
    tool(async () => "This search was not answered; go on without it.", {
      name: finder.name,
      description: finder.description ?? "",
      schema: finder.parameters ?? { type: "object" },
    });
  tools.set(finder, known);
  return known;
}

/** The offered tools, with the finder at their end where the selection has one. */
export function appendFinder<T>(
  offered: readonly T[],
  selection: Selection<T> | undefined,
): readonly T[] {
  const finder = selection?.finder ?? null;
  return finder === null ? offered : [...offered, toFinderTool(finder) as T];
}

const executable = new WeakSet<object>();

/** Marks the finder of a ToolNode, so that a list which holds it by mistake does not offer it. */
export function markFinderTool<T extends object>(finder: T): T {
  executable.add(finder);
  return finder;
}

/** True for a finder that {@link markFinderTool} marked. */
export function isFinderTool(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && executable.has(tool);
}

/** The tools without that finder: the very array that came in, where it is not there. */
export function omitFinderTool<T>(tools: readonly T[]): readonly T[] {
  return tools.some(isFinderTool) ? tools.filter((tool) => !isFinderTool(tool)) : tools;
}
