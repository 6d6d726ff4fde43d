/** `toolsieve/models`: judges over LangChain models. Needs `@langchain/core`. */

export { chatModelJudge, type ChatModelJudgeOptions } from "./judges/langchain/chat-model-judge.js";
export type { StructuredChatModel } from "./judges/langchain/chat-model-judge.js";
export {
  decisionModelJudge,
  type DecisionModelJudgeOptions,
} from "./judges/langchain/decision-model-judge.js";
export type { DecisionModel } from "./judges/langchain/decision-model-judge.js";
