/** The LangGraph adapters: a model node, a wrapper for a node of your own, and the dynamic model of `createReactAgent`. */

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import * as z from "zod";
import type { Turn } from "../../core/types.js";
import type { ToolSelectorOptions } from "../../core/options.js";
import { functionOption, parseOptions } from "../../core/parse-options.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import { announceSelection, currentConfig, turnOfRun } from "../host.js";
import { toTurnMessages } from "../messages.js";
import { bindOffered, messagesOfState } from "./model-step.js";
import { readModelOutcome } from "../outcome.js";
import { read } from "../read.js";
import { selectingModel } from "./selecting-model.js";
import { toSelector } from "../to-selector.js";
import { describeLangChainTool } from "../tools.js";

/** What the adapters for LangGraph have in common. */
export interface NodeSelectionOptions<T> {
  /** A tool selector, or the options of a new one. */
  readonly selector: ToolSelector | ToolSelectorOptions;
  /** All tools of the agent; what is offered is a subsequence of these very objects. */
  readonly tools: readonly T[];
  /** The tool choice of the model call, in any provider's spelling. */
  readonly toolChoice?: unknown;
}

/** Options of {@link withToolSelection}. */
export interface WithToolSelectionOptions<S, T, R> extends NodeSelectionOptions<T> {
  /** Your node; it gets the tools to bind as its third argument. Records know an outcome only if it returns the model's message. */
  readonly node: (state: S, config: RunnableConfig, tools: readonly T[]) => R | Promise<R>;
  /**
   * `false` where the node fails without any tool.
   * @default true
   */
  readonly emptyAllowed?: boolean;
}

/** Options of {@link toolSelectorNode}. */
export interface ToolSelectorNodeOptions<T> extends NodeSelectionOptions<T> {
  /** A chat model without bound tools. */
  readonly model: BaseChatModel;
  /** Put before the messages of the state. */
  readonly systemPrompt?: string;
}

/** Options of {@link dynamicModel}. */
export interface DynamicModelOptions<T> extends NodeSelectionOptions<T> {
  /** A chat model without bound tools. */
  readonly model: BaseChatModel;
}

const common = {
  selector: z.custom(
    (value) => typeof value === "object" && value !== null,
    "a tool selector, or the options of one",
  ),
  tools: z.custom((value) => Array.isArray(value), "an array of tools"),
  toolChoice: z.unknown().optional(),
};
const modelSchema = z.strictObject({
  ...common,
  model: z.custom(
    (value) => typeof read(value, "bindTools") === "function",
    "a chat model with a `bindTools` method",
  ),
});
const nodeSchema = modelSchema.extend({ systemPrompt: z.string("a string").optional() });
const wrapperSchema = z.strictObject({
  ...common,
  node: functionOption(),
  emptyAllowed: z.boolean("true or false").optional(),
});

/**
 * Wraps a node of your own: it is called with the tools to bind.
 *
 * In `shadow` these are your own array, and the judge works beside the node. What the model called is read from the messages in the
 * node's result, a state update or a `Command`.
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
  parseOptions(wrapperSchema, options, "withToolSelection");
  const selector = toSelector(options.selector);
  return async (state, config = currentConfig() ?? {}) => {
    const messages = messagesOfState(state);
    const turn: Turn<T> = {
      ...turnOfRun(config),
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

/**
 * The model node of a `StateGraph`: binds the tools of the turn, calls the model, and returns its message.
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
  const { model, tools, selector, toolChoice, systemPrompt } = options;
  parseOptions(nodeSchema, options, "toolSelectorNode");
  return withToolSelection({
    selector,
    tools,
    toolChoice,
    node: async (state: unknown, config, offered) => {
      const prompt = systemPrompt === undefined ? [] : [{ role: "system", content: systemPrompt }];
      const messages = [...prompt, ...messagesOfState(state)] as BaseMessageLike[];
      const answer = await bindOffered(model, offered, toolChoice).invoke(messages, config);
      return { messages: [answer] };
    },
  });
}

/**
 * The `llm` of `createReactAgent`: the plain model, which selects and binds its tools whenever it is invoked or streamed.
 *
 * One selection per model step. `responseFormat` works: `withStructuredOutput` is the plain model's own and selects nothing.
 *
 * @throws {InvalidOptionsError} if an option is wrong, or the model cannot bind tools.
 * @example
 * const agent = createReactAgent({ llm: dynamicModel({ model, tools, selector }), tools });
 */
export function dynamicModel<T>(
  options: DynamicModelOptions<T>,
): (state: unknown, config?: RunnableConfig) => BaseChatModel {
  const { model, tools, toolChoice } = options;
  parseOptions(modelSchema, options, "dynamicModel");
  const selector = toSelector(options.selector);
  return (state, config) =>
    selectingModel({
      model,
      tools,
      toolChoice,
      selector,
      state,
      config: config ?? currentConfig(),
    });
}
