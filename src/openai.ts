/** `toolsieve/openai`: the judge that asks an OpenAI-compatible service. Needs the package `openai`. */

export { openaiJudge, type OpenAIJudgeOptions } from "./judges/openai/openai-judge.js";
export type { OpenAIClient } from "./judges/openai/client.js";
