/**
 * Turns a judge of choices into what a tool index asks; retries and the circuit breaker come with
 * the judge.
 */

import { splitToFit } from "../../core/batch.js";
import type { DecisionBackend } from "../../core/decision-backend.js";
import type { Judge, ToolDescription } from "../../core/types.js";
import { JudgeResponseError } from "../../errors.js";
import { classifyFailure } from "../failure.js";
import { estimateTokens } from "../request-parts.js";
import { toChoiceOptions, toToolSummaries } from "./tool-choice.js";

/**
 * Stands for all tools: a judge of choices answers whether any of them serves, then the share of
 * each.
 */
const anyTool: ToolDescription = { name: "any" };

export interface ChoiceBackendOptions {
  /** The most tools of one request. */
  readonly maxTools: number;
  /** The most estimated tokens that the tools of one request take in the choice. */
  readonly maxTokens: number;
}

function measureTokens(tool: ToolDescription): number {
  const written = JSON.stringify([toChoiceOptions([tool]), toToolSummaries([tool])]);
  return estimateTokens(written);
}

/**
 * Creates a backend.
 *
 * @param judge answers one probability for {@link anyTool}, which comes first, and one per tool;
 *   for a single tool it is
 *   asked about that tool alone, beside it.
 */
export function createChoiceBackend(judge: Judge, options: ChoiceBackendOptions): DecisionBackend {
  const { maxTools, maxTokens } = options;
  return {
    maxTools,
    split: (tools) =>
      splitToFit(tools, [
        { measure: () => 1, limit: maxTools },
        { measure: measureTokens, limit: maxTokens },
      ]),
    isTooLarge: (error) => classifyFailure(error) === "limit",
    async decide(query, tools, judgeOptions) {
      const context = { request: query, messages: [{ role: "user" as const, text: query }] };
      const request = { context, candidates: [anyTool, ...tools] };
      const { probabilities, missing } = await judge.judge(request, judgeOptions);
      const answers = probabilities.filter((answer) => typeof answer === "number");
      const [applicable, ...shares] = answers;
      if (applicable === undefined || answers.length < probabilities.length) {
        throw new JudgeResponseError("The judge left a question of the tool search unanswered.", {
          reason: missing === "refused" ? "refused" : "malformed",
        });
      }
      return { applicable, shares };
    },
  };
}
