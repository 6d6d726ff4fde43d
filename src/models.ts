/** `toolsieve/models`: judges and tool indexes over LangChain models. Needs `@langchain/core`. */

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
