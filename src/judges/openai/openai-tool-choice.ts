/**
 * Tool choices of the OpenAI Decisions endpoint (beta): a `choice` and a `predicate` in one
 * request.
 */

import * as z from "zod";
import type { DecisionBackend } from "../../core/decision-backend.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { Judge, JudgeResponse, ToolDescription } from "../../core/types.js";
import { JudgeResponseError } from "../../errors.js";
import { createChoiceBackend } from "../choice/choice-backend.js";
import {
  applicabilityCriteria,
  applicabilityQuestion,
  choiceQuestion,
  readShares,
  toChoiceOptions,
  toToolSummaries,
  type ChoiceOption,
} from "../choice/tool-choice.js";
import { toChoiceState } from "../jev/jev-tool-choice.js";
import { baseURLOption, keyOption, modelOption } from "../service-options.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { clientOption, connect, officialBaseURL, type OpenAIClient } from "./client.js";

const optionsSchema = z.strictObject({
  client: clientOption.optional(),
  baseURL: baseURLOption.default(officialBaseURL),
  apiKey: keyOption.optional(),
  model: modelOption,
  ...guardFields,
  maxTools: integerFrom(2).default(255),
  maxRequestTokens: integerFrom(1).default(30_000),
});

export interface OpenAIToolChoiceOptions extends GuardOptions {
  /** A client of the `openai` package, 6.41 or later; `baseURL` and `apiKey` are then not used. */
  readonly client?: OpenAIClient | undefined;
  /** Where the service is found. @default "https://api.openai.com/v1" */
  readonly baseURL?: string | undefined;
  /**
   * Sent as a bearer token.
   * @default OPENAI_API_KEY of the environment, for OpenAI's own address
   */
  readonly apiKey?: string | undefined;
  /** A pinned model that answers decisions. */
  readonly model: string;
  /** Tools of one request, from 2. @default 255 */
  readonly maxTools?: number | undefined;
  /** Estimated tokens that the tools of one request take. @default 30000 */
  readonly maxRequestTokens?: number | undefined;
}

/** The questions about some tools; about a single one there is nothing to choose. */
function toQuestions(
  tools: readonly ToolDescription[],
  options: readonly ChoiceOption[],
): readonly object[] {
  const instructions = {
    question: applicabilityQuestion,
    tools: toToolSummaries(tools),
    criteria: applicabilityCriteria,
  };
  const predicate = { type: "predicate", name: "any", instructions: JSON.stringify(instructions) };
  const choice = {
    type: "choice",
    name: "tool",
    instructions: choiceQuestion,
    choices: options.map(({ label, text }) => ({ value: label, description: text })),
  };
  return options.length < 2 ? [predicate] : [choice, predicate];
}

function readChoice(
  answer: unknown,
  options: readonly ChoiceOption[],
): readonly (number | undefined)[] {
  const listed = read(answer, "probabilities");
  const entries = Array.isArray(listed) ? listed : [];
  return readShares(
    options,
    new Map(entries.map((entry) => [read(entry, "value"), read(entry, "probability")])),
  );
}

/** Reads the answers, which come in question order. */
function readAnswers(body: unknown, options: readonly ChoiceOption[]): JudgeResponse {
  const answers = read(body, "answers");
  const expected = options.length < 2 ? 1 : 2;
  if (!Array.isArray(answers) || answers.length !== expected) {
    throw new JudgeResponseError(`The judge's reply does not hold exactly ${expected} answers.`, {
      reason: "malformed",
    });
  }
  const predicate: unknown = answers.at(-1);
  const probability = read(predicate, "probability");
  const applicable = typeof probability === "number" ? probability : undefined;
  const shares = options.length < 2 ? [applicable] : readChoice(answers[0], options);
  const isRefused = answers.some((answer) => read(answer, "type") === "refusal");
  return {
    probabilities: [applicable, ...shares],
    missing: isRefused ? "refused" : "malformed",
  };
}

/**
 * A backend of judged tool indexes that asks the OpenAI Decisions endpoint, with retries and a
 * circuit breaker.
 *
 * Protocol: `POST /decisions` of the OpenAI API, question types `choice` and `predicate`.
 *
 * @throws {InvalidOptionsError} at construction, also if the service is OpenAI's own and there is
 *   no key.
 */
export function createOpenAIToolChoice(options: OpenAIToolChoiceOptions): DecisionBackend {
  const settings = parseOptions(optionsSchema, options, "judgedToolIndex");
  const send = connect(settings);
  const { model, maxTools, maxRequestTokens: maxTokens } = settings;
  const raw: Judge = {
    id: `openai:${model}:choice`,
    scope: "catalog",
    async judge({ context, candidates: [, ...tools] }, { signal }) {
      const choices = toChoiceOptions(tools);
      const input = JSON.stringify(toChoiceState(context.request));
      const body = { model, input, questions: toQuestions(tools, choices) };
      return readAnswers(await send("/decisions", body, signal), choices);
    },
  };
  return createChoiceBackend(guardJudge(raw, settings), { maxTools, maxTokens });
}
