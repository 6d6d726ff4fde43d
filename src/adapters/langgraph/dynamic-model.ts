/**
 * The dynamic model of `createReactAgent`: a chat model that selects its tools whenever it is
 * called.
 */

import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
import * as z from "zod";
import { parseOptions } from "../../core/parse-options.js";
import { currentConfig } from "../read-run.js";
import { checkModelApi } from "../read-model-api.js";
import { toSelector } from "../to-selector.js";
import { modelOptionField, nodeOptionFields } from "./node-options.js";
import type { NodeSelectionOptions } from "./node-options.js";
import { createToolSelectingModel } from "./tool-selecting-model.js";

/** Options of {@link dynamicModel}. */
export interface DynamicModelOptions<T> extends NodeSelectionOptions<T> {
  /** A chat model without bound tools. */
  readonly model: BaseChatModel;
}

const optionsSchema = z.strictObject({ ...nodeOptionFields, ...modelOptionField });

/**
 * The `llm` of `createReactAgent`: the plain model, which selects and binds its tools whenever it
 * is invoked or streamed.
 *
 * One selection per model step. `responseFormat` works: `withStructuredOutput` is the plain model's
 * own and selects nothing.
 *
 * @throws {InvalidOptionsError} if an option is wrong, or the model cannot bind tools.
 * @example
 * const agent = createReactAgent({ llm: dynamicModel({ model, tools, selector }), tools });
 */
export function dynamicModel<T>(
  options: DynamicModelOptions<T>,
): (state: unknown, config?: RunnableConfig) => BaseChatModel {
  parseOptions(optionsSchema, options, "dynamicModel");
  const { model, tools, toolChoice } = options;
  const selector = toSelector(options.selector);
  checkModelApi(model, selector);
  return (state, config) =>
    createToolSelectingModel({
      model,
      tools,
      toolChoice,
      selector,
      state,
      config: config ?? currentConfig(),
    });
}
