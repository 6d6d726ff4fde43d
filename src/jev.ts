/**
 * `toolsieve/jev`: the judge and the tool index that ask TypeSafe Jev, or a service of the same
 * protocol.
 */

import type { ToolIndex } from "./core/types.js";
import { createJevToolChoice, type JevToolChoiceOptions } from "./judges/jev/jev-tool-choice.js";
import {
  createJudgedToolIndex,
  splitIndexOptions,
  type JudgedToolIndexOptions,
} from "./tool-index/judged/judged-tool-index.js";

export { jevJudge, type JevJudgeOptions } from "./judges/jev/jev-judge.js";

/** Options of {@link judgedToolIndex}: where the service is, and what a search answers. */
export type JevToolIndexOptions = JevToolChoiceOptions & JudgedToolIndexOptions;

/**
 * Creates a tool index that asks TypeSafe Jev: one request per search, with a choice among the
 * tools and, independently, whether any of them serves the request. It can say that no tool
 * applies.
 *
 * Queries, and names, descriptions and parameter names of the tools leave the process. All tools of
 * a request share one prompt: it cannot be promised that a hostile description moves no other
 * tool's score. It comes with retries and a circuit breaker; a search that fails rejects.
 *
 * @throws {InvalidOptionsError} at construction, also if there is no key.
 * @example
 * const index = judgedToolIndex({ apiKey: "…", shortlistedBy: createLexicalToolIndex() });
 * await index.indexTools("session-1", tools);
 * const { matches, applicable } = await index.search({ sessionId: "session-1", query: "refund my order" });
 */
export function judgedToolIndex(options: JevToolIndexOptions = {}): ToolIndex {
  const { index, backend } = splitIndexOptions(options);
  return createJudgedToolIndex(createJevToolChoice(backend), index);
}
