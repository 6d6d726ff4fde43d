/**
 * `toolsieve/openai`: the judge and the tool index that ask an OpenAI-compatible service. Needs the
 * package `openai`.
 */

import type { ToolIndex } from "./core/types.js";
import {
  createOpenAIToolChoice,
  type OpenAIToolChoiceOptions,
} from "./judges/openai/openai-tool-choice.js";
import {
  createJudgedToolIndex,
  splitIndexOptions,
  type JudgedToolIndexOptions,
} from "./tool-index/judged/judged-tool-index.js";

export { openaiJudge, type OpenAIJudgeOptions } from "./judges/openai/openai-judge.js";
export type { OpenAIClient } from "./judges/openai/client.js";

/** Options of {@link judgedToolIndex}: where the service is, and what a search answers. */
export type OpenAIToolIndexOptions = OpenAIToolChoiceOptions & JudgedToolIndexOptions;

/**
 * Creates a tool index that asks the OpenAI Decisions endpoint (beta): one request per search, with
 * a choice among the tools and, independently, whether any of them serves the request. It can say
 * that no tool applies.
 *
 * Queries, and names, descriptions and parameter names of the tools leave the process. It comes
 * with retries and a circuit breaker; a search that fails rejects.
 *
 * @throws {InvalidOptionsError} at construction, also if the service is OpenAI's own and there is
 *   no key.
 * @example
 * const index = judgedToolIndex({ model: "…", shortlistedBy: createLexicalToolIndex() });
 * await index.indexTools("session-1", tools);
 * const { matches, applicable } = await index.search({ sessionId: "session-1", query: "refund my order" });
 */
export function judgedToolIndex(options: OpenAIToolIndexOptions): ToolIndex {
  const { index, backend } = splitIndexOptions(options);
  return createJudgedToolIndex(createOpenAIToolChoice(backend), index);
}
