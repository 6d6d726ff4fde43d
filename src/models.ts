/** `toolsieve/models`: judges and tool indexes over LangChain models. Needs `@langchain/core`. */

import type { ToolIndex } from "./core/types.js";
import type { DecisionModel } from "./judges/langchain/decision-model-judge.js";
import {
  createModelToolChoice,
  type ModelToolChoiceOptions,
} from "./judges/langchain/model-tool-choice.js";
import {
  createJudgedToolIndex,
  splitIndexOptions,
  type JudgedToolIndexOptions,
} from "./tool-index/judged/judged-tool-index.js";

export { chatModelJudge, type ChatModelJudgeOptions } from "./judges/langchain/chat-model-judge.js";
export type { StructuredChatModel } from "./judges/langchain/chat-model-judge.js";
export {
  decisionModelJudge,
  type DecisionModelJudgeOptions,
} from "./judges/langchain/decision-model-judge.js";
export type { DecisionModel } from "./judges/langchain/decision-model-judge.js";
export {
  embeddingToolIndex,
  type EmbeddingToolIndexOptions,
} from "./tool-index/embedding/embedding-tool-index.js";
export {
  embedTools,
  type EmbedToolsOptions,
  type ToolDocument,
} from "./tool-index/embedding/tool-document.js";
export type { EmbeddingModel } from "./tool-index/embedding/embed-texts.js";
export type { ToolStore } from "./tool-index/embedding/langgraph-storage.js";

/** Options of {@link judgedToolIndex}. */
export type ModelToolIndexOptions = ModelToolChoiceOptions & JudgedToolIndexOptions;

/**
 * Creates a tool index that asks a LangChain decision model: one call per search, with a choice
 * among the tools and, independently, whether any of them serves the request. It can say that no
 * tool applies. The model is taken structurally: `@langchain/core/decisions` is not imported.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const index = judgedToolIndex(model, { shortlistedBy: createLexicalToolIndex() });
 * await index.indexTools("session-1", tools);
 * const { matches, applicable } = await index.search({ sessionId: "session-1", query: "refund my order" });
 */
export function judgedToolIndex(
  model: DecisionModel,
  options: ModelToolIndexOptions = {},
): ToolIndex {
  const { index, backend } = splitIndexOptions(options);
  return createJudgedToolIndex(createModelToolChoice(model, backend), index);
}
