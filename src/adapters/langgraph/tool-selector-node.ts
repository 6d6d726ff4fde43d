/** The model node of a LangGraph graph, with the tools of the turn bound. */

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import * as z from "zod";
import { parseOptions } from "../../core/parse-options.js";
import { checkModelApi, readModelApi } from "../read-model-api.js";
import { toSelector } from "../to-selector.js";
import { bindTools, readStateMessages } from "./bind-tools.js";
import { modelOptionField, nodeOptionFields } from "./node-options.js";
import type { NodeSelectionOptions } from "./node-options.js";
import { withToolSelection } from "./with-tool-selection.js";

/** Options of {@link toolSelectorNode}. */
export interface ToolSelectorNodeOptions<T> extends NodeSelectionOptions<T> {
  /** A chat model without bound tools. */
  readonly model: BaseChatModel;
  /** Put before the messages of the state. */
  readonly systemPrompt?: string | undefined;
}

const optionsSchema = z.strictObject({
  ...nodeOptionFields,
  ...modelOptionField,
  systemPrompt: z.string("a string").optional(),
});

/**
 * The model node of a `StateGraph`: binds the tools of the turn, calls the model, and returns its
 * message.
 *
 * @returns a node `(state, config) => ({ messages: [AIMessage] })` for any state with `messages`.
 * @throws {InvalidOptionsError} if an option is wrong, or the model cannot bind tools.
 * @example
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("agent", toolSelectorNode({ model, tools, selector }))
 *   .addNode("tools", new ToolNode(tools))
 *   .addEdge(START, "agent")
 *   .addConditionalEdges("agent", toolsCondition)
 *   .addEdge("tools", "agent")
 *   .compile();
 */
export function toolSelectorNode<T>(
  options: ToolSelectorNodeOptions<T>,
): (state: unknown, config?: RunnableConfig) => Promise<{ messages: AIMessage[] }> {
  parseOptions(optionsSchema, options, "toolSelectorNode");
  const { model, tools, selector, toolChoice, systemPrompt } = options;
  const ours = toSelector(selector);
  checkModelApi(model, ours);
  return withToolSelection({
    selector: ours,
    tools,
    toolChoice,
    allowedToolsApi: readModelApi(model, tools),
    node: async (state: unknown, config, offered, selection) => {
      const prompt = systemPrompt === undefined ? [] : [{ role: "system", content: systemPrompt }];
      const messages = [...prompt, ...readStateMessages(state)] as BaseMessageLike[];
      const choice = selection?.toolChoice ?? toolChoice;
      const answer = await bindTools(model, offered, choice).invoke(messages, config);
      return { messages: [answer] };
    },
  });
}
