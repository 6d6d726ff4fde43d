/**
 * One model call of a LangGraph agent: which messages it sends, and the model with the offered
 * tools bound.
 */

import type { BaseChatModel, BindToolsInput } from "@langchain/core/language_models/chat_models";
import { readList } from "../../core/read.js";

/** The messages that a step of this state sends: those of a pre-model hook where there are any. */
export function readStateMessages(state: unknown): readonly unknown[] {
  if (Array.isArray(state)) return state;
  const prepared = readList(state, "llmInputMessages");
  return prepared.length > 0 ? prepared : readList(state, "messages");
}

/** A model that is ready to be called. */
export type BoundModel = ReturnType<NonNullable<BaseChatModel["bindTools"]>>;

/**
 * The model with these tools bound; the plain model where there are none, because some providers
 * refuse an empty list.
 */
export function bindTools(
  model: BaseChatModel,
  tools: readonly unknown[],
  toolChoice: unknown,
): BoundModel {
  if (tools.length === 0 || model.bindTools === undefined) return model;
  const options: { tool_choice?: unknown } = {};
  if (toolChoice !== undefined) options.tool_choice = toolChoice;
  return model.bindTools([...tools] as BindToolsInput[], options as object);
}
