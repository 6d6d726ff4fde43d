/** Wraps a LangGraph node of your own, which gets the tools to bind. */

import type { RunnableConfig } from "@langchain/core/runnables";
import * as z from "zod";
import { booleanOption, functionOption, parseOptions } from "../../core/parse-options.js";
import type { MemoryChange, Selection, Turn } from "../../core/types.js";
import { announceSelection } from "../announce-selection.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { appendFinder, omitFinderTool } from "../finder-tool.js";
import { toTurnMessages } from "../read-messages.js";
import { readModelOutcome } from "../read-outcome.js";
import { currentConfig, readRun } from "../read-run.js";
import { hasMemoryKey, readMemoryKey, remembersThreads } from "../thread-state.js";
import { toSelector } from "../to-selector.js";
import { readStateMessages } from "./bind-tools.js";
import { addMemory } from "./graph-memory.js";
import { nodeOptionFields } from "./node-options.js";
import type { NodeSelectionOptions } from "./node-options.js";

/** Options of {@link withToolSelection}. */
export interface WithToolSelectionOptions<S, T, R> extends NodeSelectionOptions<T> {
  /**
   * Your node; it gets the tools to bind as its third argument, with the finder at their end where
   * it is offered. Records know an outcome only if it returns the model's message. With
   * `enforcement: "allowed-tools"` the fourth argument holds the tool choice to bind.
   */
  readonly node: (
    state: S,
    config: RunnableConfig,
    tools: readonly T[],
    selection?: Selection<T>,
  ) => R | Promise<R>;
  /** The API of OpenAI that the node's model is called with, where that takes `allowed_tools`. */
  readonly allowedToolsApi?: "chat" | "responses" | undefined;
  /**
   * `false` where the node fails without any tool.
   * @default true
   */
  readonly emptyAllowed?: boolean | undefined;
}

const optionsSchema = z.strictObject({
  ...nodeOptionFields,
  node: functionOption(),
  emptyAllowed: booleanOption().optional(),
  allowedToolsApi: z.enum(["chat", "responses"], '"chat" or "responses"').optional(),
});

/**
 * Wraps a node of your own: it is called with the tools to bind.
 *
 * In `shadow` these are your own array, and the judge works beside the node. What the model called
 * is read from the messages in the node's result, a state update or a `Command`.
 *
 * @throws {InvalidOptionsError} if an option is wrong.
 * @example
 * const agent = withToolSelection({
 *   selector,
 *   tools,
 *   node: async (state: typeof MessagesAnnotation.State, config, offered) => ({
 *     messages: [await model.bindTools([...offered]).invoke(state.messages, config)],
 *   }),
 * });
 * const graph = new StateGraph(MessagesAnnotation).addNode("agent", agent);
 */
export function withToolSelection<S, T, R>(
  options: WithToolSelectionOptions<S, T, R>,
): (state: S, config?: RunnableConfig) => Promise<R> {
  parseOptions(optionsSchema, options, "withToolSelection");
  const { node, toolChoice, emptyAllowed, allowedToolsApi } = options;
  const selector = toSelector(options.selector);
  const tools = omitFinderTool(options.tools);
  return async (state, config = currentConfig() ?? {}) => {
    const messages = readStateMessages(state);
    const turn: Turn<T> = {
      ...readRun(config),
      messages: toTurnMessages(messages),
      tools,
      describe: describeLangChainTool,
      toolChoice,
      emptyAllowed: emptyAllowed ?? true,
      memory: remembersThreads(selector) && hasMemoryKey(state) ? readMemoryKey(state) : undefined,
      allowedToolsApi,
    };
    let change: MemoryChange | null = null;
    const result = await selector.run(turn, {
      callModel: async (offered, selection) =>
        node(state, config, appendFinder(offered, selection), selection),
      onSelection: (selection) => announceSelection(selection, config),
      readOutcome: (answer) => readModelOutcome(answer, messages),
      saveMemory: (saved) => {
        change = saved;
      },
    });
    return addMemory(result, change);
  };
}
