/**
 * The OpenAI Decisions protocol (beta): one predicate per tool, one probability or refusal per
 * answer.
 */

import { read } from "../../core/read.js";
import type { ResolvedJudgeLimits } from "../../core/limits.js";
import type { JudgeContext, JudgeResponse, ToolDescription } from "../../core/types.js";
import { JudgeResponseError } from "../../errors.js";
import { toNoulQuestion } from "../jev/jev-protocol.js";
import { toPromptTool } from "../prompt-tool.js";
import { toPromptConversation } from "../request-parts.js";
import { readTokenUsage } from "../token-usage.js";

/**
 * A question depends on its own tool alone: a hostile description can move no probability but its
 * own.
 */
function toPredicate(tool: ToolDescription, limits: ResolvedJudgeLimits): object {
  const { instructions, criteria } = toNoulQuestion(toPromptTool(tool, limits));
  return {
    type: "predicate",
    instructions: JSON.stringify({ ...instructions, criteria }),
  };
}

/** The body of `POST /decisions`. */
export function buildDecisionsRequest(
  model: string,
  context: JudgeContext,
  candidates: readonly ToolDescription[],
  limits: ResolvedJudgeLimits,
): object {
  return {
    model,
    input: JSON.stringify(toPromptConversation(context)),
    questions: candidates.map((candidate) => toPredicate(candidate, limits)),
  };
}

function readProbability(answer: unknown): number | undefined {
  const probability = read(answer, "probability");
  const isPredicate = read(answer, "type") === "predicate" && typeof probability === "number";
  return isPredicate && probability >= 0 && probability <= 1 ? probability : undefined;
}

/**
 * Reads the answers, which come in question order. A refusal, or an answer that is no probability,
 * leaves its one tool without an answer.
 *
 * @throws {JudgeResponseError} `malformed` if there is not exactly one answer per question.
 */
export function readDecisions(
  body: unknown,
  count: number,
): Pick<JudgeResponse, "probabilities" | "missing" | "usage"> {
  const answers = read(body, "answers");
  if (!Array.isArray(answers) || answers.length !== count) {
    throw new JudgeResponseError(`The judge's reply does not hold exactly ${count} answers.`, {
      reason: "malformed",
    });
  }
  const probabilities = answers.map(readProbability);
  const missing = answers.filter((_, index) => probabilities[index] === undefined);
  const isRefused = missing.every((answer) => read(answer, "type") === "refusal");
  return {
    probabilities,
    usage: readTokenUsage(read(body, "usage")),
    missing: missing.length === 0 ? undefined : isRefused ? "refused" : "malformed",
  };
}
