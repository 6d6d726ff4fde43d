/**
 * The judge over TypeSafe Jev (System One): one request per batch, one yes/no question per tool.
 */

import { splitToFit } from "../../core/batch.js";
import * as z from "zod";
import { judgeLimitsSchema, type JudgeLimits } from "../../core/limits.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import type { Judge, JudgeRequest } from "../../core/types.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { toPromptTool, type PromptTool } from "../prompt-tool.js";
import { readNoulReply, toNoulQuestion, type NoulQuestion } from "./jev-protocol.js";
import { askInParts, estimateTokens, toPromptConversation } from "../request-parts.js";
import { connectJev, jevServiceFields, type JevServiceOptions } from "./jev-service.js";

const optionsSchema = z.strictObject({
  ...jevServiceFields,
  batchSize: integerFrom(1).default(64),
  maxRequestTokens: integerFrom(1).default(60_000),
  limits: judgeLimitsSchema.prefault({}),
  ...guardFields,
});

type Settings = z.output<typeof optionsSchema>;

export interface JevJudgeOptions extends JevServiceOptions, GuardOptions {
  /**
   * Questions per request, from 1.
   *
   * @default 64
   */
  readonly batchSize?: number | undefined;
  /**
   * Estimated tokens of one request; a batch over it is split. The service takes 64,000.
   *
   * @default 60000
   */
  readonly maxRequestTokens?: number | undefined;
  /** How much of a tool goes into its question. */
  readonly limits?: JudgeLimits | undefined;
}

interface IdentifiedQuestion {
  readonly id: string;
  readonly question: NoulQuestion;
}

/** Questions by position, because names can be duplicates or `__proto__`. */
function toQuestions(request: JudgeRequest, settings: Settings): readonly IdentifiedQuestion[] {
  return request.candidates.map((candidate, index) => ({
    id: `t${index}`,
    question: toNoulQuestion(toPromptTool(candidate, settings.limits)),
  }));
}

function countChars({ name, description, parameters }: PromptTool): number {
  return name.length + description.length + (parameters?.length ?? 0);
}

function splitQuestions(
  questions: readonly IdentifiedQuestion[],
  stateTokens: number,
  settings: Settings,
) {
  return splitToFit(questions, [
    { measure: () => 1, limit: settings.batchSize },
    {
      measure: ({ question }) => countChars(question.instructions.tool),
      limit: settings.limits.batchChars,
    },
    {
      measure: ({ question }) => estimateTokens(JSON.stringify(question)),
      limit: settings.maxRequestTokens - stateTokens,
    },
  ]);
}

/**
 * A judge over TypeSafe Jev, a decision model: for each tool it gives the probability that carrying
 * out the current request involves it. A batch is one request; a batch that is too large is split,
 * never trimmed.
 *
 * The conversation (as redacted by the selector), and names, descriptions and schemas of the tools
 * leave the process. It comes with retries and a circuit breaker; `raw: true` is the bare judge. It
 * also speaks to services of the same protocol: give their `baseURL`, their `path` and, explicitly,
 * their key.
 *
 * Protocol: `POST /v1/systemone` of the TypeSafe API, question type `noul`.
 *
 * @throws {InvalidOptionsError} at construction, also if there is no key.
 * @example
 * const judge = jevJudge({ apiKey: "…", logger: console });
 * const selector = createToolSelector({ judge, batchSize: 64 });
 */
export function jevJudge(options: JevJudgeOptions = {}): Judge {
  const settings = parseOptions(optionsSchema, options, "jevJudge");
  const askJev = connectJev(settings);

  const raw: Judge = {
    id: `jev:${settings.model}`,
    batchSize: settings.batchSize,
    judge(request, { signal }) {
      const state = toPromptConversation(request.context);
      const questions = toQuestions(request, settings);
      const parts = splitQuestions(questions, estimateTokens(JSON.stringify(state)), settings);
      return askInParts(parts, async (part) => {
        const asked = Object.fromEntries(part.map(({ id, question }) => [id, question]));
        const reply = await askJev({ state, questions: asked }, signal);
        return readNoulReply(
          reply,
          part.map(({ id }) => id),
        );
      });
    },
  };
  return guardJudge(raw, settings);
}
