/**
 * The judge over a LangChain decision model: one yes/no question per tool, in the wording that Jev
 * gets.
 */

import * as z from "zod";
import { judgeLimitsSchema, type JudgeLimits } from "../../core/limits.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { Judge } from "../../core/types.js";
import { InvalidOptionsError } from "../../errors.js";
import { splitForPrompt } from "../prompt.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { readPlainText } from "../http.js";
import { readNoulReply, toNoulQuestion } from "../jev/jev-protocol.js";
import {
  modelFields,
  readModelName,
  createRunConfig,
  runModel,
  type ModelJudgeOptions,
} from "./langchain-model.js";
import { toPromptTool } from "../prompt-tool.js";
import { askInParts, toPromptConversation } from "../request-parts.js";

/**
 * A `BaseDecisionModel` of `@langchain/core/decisions` (1.4.0 or later), or any object with its
 * `invoke`.
 */
export interface DecisionModel {
  invoke(
    input: { state: Record<string, never>; questions: Record<string, never> },
    config?: object,
  ): PromiseLike<unknown>;
}

const optionsSchema = z.strictObject({
  batchSize: integerFrom(1).default(64),
  limits: judgeLimitsSchema.prefault({}),
  ...modelFields,
  ...guardFields,
});

export interface DecisionModelJudgeOptions extends GuardOptions, ModelJudgeOptions {
  /**
   * Questions per request, from 1.
   *
   * @default 64
   */
  readonly batchSize?: number | undefined;
  /** How much of a tool goes into its question. */
  readonly limits?: JudgeLimits | undefined;
}

/**
 * Collects the answers by id, of `answers` and of the older view `nouls`; `undefined` if there is
 * neither.
 */
function collectAnswers(reply: unknown): Record<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  const views = [read(reply, "nouls"), read(reply, "answers")].filter(
    (view) => typeof view === "object" && view !== null,
  );
  for (const [id, answer] of views.flatMap((view) => Object.entries(view))) {
    if (!found.has(id) || read(answer, "type") === "noul") found.set(id, answer);
  }
  return views.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * A judge over a LangChain decision model. A batch is one call with one question per tool; a
 * question depends on its own tool alone. The model is taken structurally:
 * `@langchain/core/decisions` is not imported.
 *
 * Its runs are tagged `nostream`, so that nothing appears in `streamMode: "messages"`; `callbacks:
 * []` keeps them out of `streamEvents` too. A model class that rejects a reply with one answer
 * missing voids the whole batch. It comes with retries and a circuit breaker; `raw: true` is the
 * bare judge.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = decisionModelJudge(model, { logger: console });
 * const selector = createToolSelector({ judge });
 */
export function decisionModelJudge(
  model: DecisionModel,
  options: DecisionModelJudgeOptions = {},
): Judge {
  if (typeof read(model, "invoke") !== "function") {
    throw new InvalidOptionsError(
      `Expected the model of decisionModelJudge to have an \`invoke\`, got a value of type ${typeof model}.`,
    );
  }
  const settings = parseOptions(optionsSchema, options, "decisionModelJudge");
  const { batchSize, limits, callbacks } = settings;

  const raw: Judge = {
    id: settings.id ?? `decision-model:${readModelName(model)}`,
    batchSize,
    judge({ candidates, context }, { signal }) {
      const state = toPromptConversation(context);
      return askInParts(splitForPrompt(candidates, { batchSize, limits }), async (part) => {
        const questions = part.map((candidate, index) => [
          `t${index}`,
          toNoulQuestion(toPromptTool(candidate, limits)),
        ]);
        const input = { state, questions: Object.fromEntries(questions) as object } as never;
        const reply = await runModel(
          () => model.invoke(input, createRunConfig(signal, callbacks)),
          signal,
        );
        const value = {
          answers: collectAnswers(reply),
          model: read(reply, "model"),
          usage: read(reply, "usage_metadata"),
        };
        const requestId = readPlainText(read(reply, "requestId"));
        return readNoulReply(
          { value, requestId },
          part.map((_, index) => `t${index}`),
        );
      });
    },
  };
  return guardJudge(raw, settings);
}
