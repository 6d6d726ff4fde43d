/** Tool choices in the System One protocol: a `choice` and a `noul` in one request. */

import * as z from "zod";
import type { DecisionBackend } from "../../core/decision-backend.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import { cleanText } from "../../core/text.js";
import type { Judge, JudgeResponse, ToolDescription } from "../../core/types.js";
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
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { readAnswers, readProbability } from "./jev-protocol.js";
import { connectJev, jevServiceFields, type JevServiceOptions } from "./jev-service.js";

/** Ids of the questions; the model does not see them. */
const choiceId = "tool";
const applicabilityId = "any";

/** The questions about some tools; about a single one there is nothing to choose. */
export function toChoiceQuestions(
  tools: readonly ToolDescription[],
  options: readonly ChoiceOption[],
): Readonly<Record<string, object>> {
  const applicability = {
    type: "noul",
    instructions: { question: applicabilityQuestion, tools: toToolSummaries(tools) },
    criteria: applicabilityCriteria,
  };
  if (options.length < 2) return { [applicabilityId]: applicability };
  const choice = {
    type: "choice",
    instructions: choiceQuestion,
    criteria: Object.fromEntries(options.map(({ label, text }) => [label, text])),
  };
  return { [choiceId]: choice, [applicabilityId]: applicability };
}

function readChoice(
  answer: unknown,
  options: readonly ChoiceOption[],
): readonly (number | undefined)[] {
  const probabilities = read(answer, "probabilities");
  const isRecord = typeof probabilities === "object" && probabilities !== null;
  return readShares(options, new Map(isRecord ? Object.entries(probabilities) : []));
}

/** Reads the answers by question id: first whether any tool serves, then the share of each. */
export function readChoiceAnswers(
  answers: ReadonlyMap<string, unknown>,
  options: readonly ChoiceOption[],
): JudgeResponse {
  const applicable = readProbability(answers.get(applicabilityId));
  const choice = answers.get(choiceId);
  const shares = options.length < 2 ? [applicable] : readChoice(choice, options);
  const isRefused = [choice, answers.get(applicabilityId)].some(
    (answer) => read(answer, "type") === "refusal",
  );
  return {
    probabilities: [applicable, ...shares],
    missing: isRefused ? "refused" : "malformed",
  };
}

/** What the model reads of the query. */
export const toChoiceState = (query: string): object => ({ request: cleanText(query) });

const optionsSchema = z.strictObject({
  ...jevServiceFields,
  ...guardFields,
  maxTools: integerFrom(2).default(255),
  maxRequestTokens: integerFrom(1).default(30_000),
});

export interface JevToolChoiceOptions extends JevServiceOptions, GuardOptions {
  /** Tools of one request, from 2. The service takes 255 options. @default 255 */
  readonly maxTools?: number | undefined;
  /**
   * Estimated tokens that the tools of one request take; the service takes 32,000 with the query.
   * @default 30000
   */
  readonly maxRequestTokens?: number | undefined;
}

/**
 * A backend of judged tool indexes that asks TypeSafe Jev, with retries and a circuit breaker.
 *
 * Protocol: `POST /v1/systemone` of the TypeSafe API, question types `choice` and `noul`.
 *
 * @throws {InvalidOptionsError} at construction, also if there is no key.
 */
export function createJevToolChoice(options: JevToolChoiceOptions): DecisionBackend {
  const settings = parseOptions(optionsSchema, options, "judgedToolIndex");
  const askJev = connectJev(settings);
  const raw: Judge = {
    id: `jev:${settings.model}:choice`,
    scope: "catalog",
    async judge({ context, candidates: [, ...tools] }, { signal }) {
      const choices = toChoiceOptions(tools);
      const questions = toChoiceQuestions(tools, choices);
      const reply = await askJev({ state: toChoiceState(context.request), questions }, signal);
      return readChoiceAnswers(readAnswers(reply.value, Object.keys(questions)), choices);
    },
  };
  const { maxTools, maxRequestTokens: maxTokens } = settings;
  return createChoiceBackend(guardJudge(raw, settings), { maxTools, maxTokens });
}
