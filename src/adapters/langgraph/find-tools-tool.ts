/** The finder as a tool of a ToolNode. */

import type { ToolCall } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import * as z from "zod";
import { read, readText } from "../../core/read.js";
import type { Turn } from "../../core/types.js";
import { InvalidOptionsError } from "../../errors.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import { answerFinder } from "../answer-tool-call.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { markFinderTool } from "../finder-tool.js";
import { readRun } from "../read-run.js";
import { hasMemoryKey, memoryKey } from "../thread-state.js";
import { checkSelector } from "../to-selector.js";
import { readCallMemory } from "./graph-memory.js";

/** Options of {@link findToolsTool}. */
export interface FindToolsToolOptions {
  /**
   * The tools of the agent: needed where a call is answered by a process that has not called the
   * model for this catalog, as after an interrupt.
   * @default the catalog of the thread's last model step in this process
   */
  readonly tools?: readonly unknown[] | undefined;
}

/**
 * The finder for a ToolNode; the adapters offer it to the model whenever something is hidden. What
 * it found is written to the graph's state where that has `toolsieveState`.
 *
 * @throws {InvalidOptionsError} if `selector` is none, or its `findTools` is off.
 * @example
 * const selector = createToolSelector({ mode: "enforce", findTools: true });
 * const toolNode = new ToolNode([...tools, findToolsTool(selector)]);
 */
export function findToolsTool(
  selector: ToolSelector,
  options: FindToolsToolOptions = {},
): StructuredToolInterface {
  checkSelector(selector, "findToolsTool");
  const { findTools } = selector.options;
  if (findTools === null) {
    throw new InvalidOptionsError("Expected `findTools` of the selector to be on, got false.");
  }
  const { name } = findTools;
  const answer = async (args: Record<string, unknown>, runtime: unknown): Promise<unknown> => {
    const state = read(runtime, "state");
    const id = readText(runtime, "toolCallId") ?? readText(read(runtime, "toolCall"), "id");
    const turn: Turn = {
      ...readRun(runtime as Parameters<typeof readRun>[0]),
      ...readCallMemory(state),
      messages: [],
      tools: options.tools ?? [],
      describe: describeLangChainTool,
    };
    const call: ToolCall = { name, args };
    if (id !== undefined) call.id = id;
    const { message, change } = await answerFinder(selector, turn, call);
    if (!hasMemoryKey(state)) return message;
    return new Command({ update: { messages: [message], [memoryKey]: change } });
  };
  // Whatever the model sent arrives: the selector checks it, and words errors for the model.
  const schema = z.record(z.string(), z.unknown());
  const description = "Finds tools that are not shown.";
  return markFinderTool(tool(answer, { name, description, schema }) as StructuredToolInterface);
}
