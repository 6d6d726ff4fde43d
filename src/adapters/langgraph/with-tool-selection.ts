/** Wraps a LangGraph node of your own, which gets the tools to bind. */

import type { RunnableConfig } from "@langchain/core/runnables";
import * as z from "zod";
import { booleanOption, functionOption, parseOptions } from "../../core/parse-options.js";
import type { Turn } from "../../core/types.js";
import { announceSelection } from "../announce-selection.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { toTurnMessages } from "../read-messages.js";
import { readModelOutcome } from "../read-outcome.js";
import { currentConfig, readRun } from "../read-run.js";
import { toSelector } from "../to-selector.js";
import { readStateMessages } from "./bind-tools.js";
import { nodeOptionFields } from "./node-options.js";
import type { NodeSelectionOptions } from "./node-options.js";

/** Options of {@link withToolSelection}. */
export interface WithToolSelectionOptions<S, T, R> extends NodeSelectionOptions<T> {
  /**
   * Your node; it gets the tools to bind as its third argument. Records know an outcome only if it
   * returns the model's message.
   */
  readonly node: (state: S, config: RunnableConfig, tools: readonly T[]) => R | Promise<R>;
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
  const { tools, node, toolChoice, emptyAllowed } = options;
  parseOptions(optionsSchema, options, "withToolSelection");
  const selector = toSelector(options.selector);
  return async (state, config = currentConfig() ?? {}) => {
    const messages = readStateMessages(state);
    const turn: Turn<T> = {
      ...readRun(config),
      messages: toTurnMessages(messages),
      tools,
      describe: describeLangChainTool,
      toolChoice,
      emptyAllowed: emptyAllowed ?? true,
    };
    return selector.run(turn, {
      callModel: async (offered) => node(state, config, offered),
      onSelection: (selection) => announceSelection(selection, config),
      readOutcome: (result) => readModelOutcome(result, messages),
    });
  };
}
