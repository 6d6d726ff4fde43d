/** `toolsieve/models`: judges over LangChain models. Needs `@langchain/core`. */

export { chatModelJudge, type ChatModelJudgeOptions } from "./judges/chat-model.js";
export type { StructuredChatModel } from "./judges/chat-model.js";
export { decisionModelJudge, type DecisionModelJudgeOptions } from "./judges/decision-model.js";
export type { DecisionModel } from "./judges/decision-model.js";
