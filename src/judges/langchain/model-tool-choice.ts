/** Tool choices of a LangChain decision model: a `choice` and a `noul` in one call. */

import * as z from "zod";
import type { DecisionBackend } from "../../core/decision-backend.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { Judge } from "../../core/types.js";
import { InvalidOptionsError } from "../../errors.js";
import { createChoiceBackend } from "../choice/choice-backend.js";
import { toChoiceOptions } from "../choice/tool-choice.js";
import { readChoiceAnswers, toChoiceQuestions, toChoiceState } from "../jev/jev-tool-choice.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import type { DecisionModel } from "./decision-model-judge.js";
import {
  modelFields,
  readModelName,
  createRunConfig,
  runModel,
  type ModelJudgeOptions,
} from "./langchain-model.js";

const optionsSchema = z.strictObject({
  ...modelFields,
  ...guardFields,
  maxTools: integerFrom(2).default(255),
  maxRequestTokens: integerFrom(1).default(30_000),
});

export interface ModelToolChoiceOptions extends GuardOptions, ModelJudgeOptions {
  /** Tools of one request, from 2. @default 255 */
  readonly maxTools?: number | undefined;
  /** Estimated tokens that the tools of one request take. @default 30000 */
  readonly maxRequestTokens?: number | undefined;
}

/** The answers by id: `answers`, or the views of older models. */
function readAnswers(reply: unknown): ReadonlyMap<string, unknown> {
  const views = ["nouls", "choices", "answers"]
    .map((view) => read(reply, view))
    .filter((view) => typeof view === "object" && view !== null);
  return new Map(views.flatMap((view) => Object.entries(view)));
}

/**
 * A backend of judged tool indexes that asks a LangChain decision model, taken structurally, with
 * retries and a circuit breaker.
 *
 * @throws {InvalidOptionsError} at construction.
 */
export function createModelToolChoice(
  model: DecisionModel,
  options: ModelToolChoiceOptions,
): DecisionBackend {
  if (typeof read(model, "invoke") !== "function") {
    throw new InvalidOptionsError(
      `Expected the model of judgedToolIndex to have an \`invoke\`, got a value of type ${typeof model}.`,
    );
  }
  const settings = parseOptions(optionsSchema, options, "judgedToolIndex");
  const { callbacks, maxTools, maxRequestTokens: maxTokens } = settings;
  const raw: Judge = {
    id: settings.id ?? `decision-model:${readModelName(model)}:choice`,
    scope: "catalog",
    async judge({ context, candidates: [, ...tools] }, { signal }) {
      const choices = toChoiceOptions(tools);
      const questions = toChoiceQuestions(tools, choices);
      const input = { state: toChoiceState(context.request), questions } as never;
      const reply = await runModel(
        () => model.invoke(input, createRunConfig(signal, callbacks)),
        signal,
      );
      return readChoiceAnswers(readAnswers(reply), choices);
    },
  };
  return createChoiceBackend(guardJudge(raw, settings), { maxTools, maxTokens });
}
