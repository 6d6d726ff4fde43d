/**
 * The judge over any LangChain chat model with structured output: it states one probability per
 * tool.
 */

import * as z from "zod";
import { judgeLimitsSchema, type JudgeLimits } from "../../core/limits.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { Judge, JudgeResponse } from "../../core/types.js";
import { InvalidOptionsError } from "../../errors.js";
import { splitForPrompt, writeSystemPrompt, writeUserPrompt } from "../prompt.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { readPlainText } from "../http.js";
import {
  modelFields,
  readModelName,
  createRunConfig,
  runModel,
  type ModelJudgeOptions,
} from "./langchain-model.js";
import { askInParts } from "../request-parts.js";
import { readTokenUsage } from "../token-usage.js";
import { answerName, answerSchema, readStructured } from "./structured-answers.js";

/** A LangChain chat model, or any object with its `withStructuredOutput`. */
export interface StructuredChatModel {
  withStructuredOutput(schema: Record<string, unknown>, config?: object): StructuredRunnable;
}

interface StructuredRunnable {
  invoke(input: never, config?: object): PromiseLike<unknown>;
}

const optionsSchema = z.strictObject({
  batchSize: integerFrom(1).default(32),
  limits: judgeLimitsSchema.prefault({}),
  ...modelFields,
  ...guardFields,
});

export interface ChatModelJudgeOptions extends GuardOptions, ModelJudgeOptions {
  /**
   * Tools per request, from 1.
   *
   * @default 32
   */
  readonly batchSize?: number | undefined;
  /** How much of a tool goes into the prompt. */
  readonly limits?: JudgeLimits | undefined;
}

function bindAnswerSchema(model: StructuredChatModel): StructuredRunnable {
  const expectation = "Expected the model of chatModelJudge to support structured output";
  if (typeof read(model, "withStructuredOutput") !== "function") {
    throw new InvalidOptionsError(`${expectation}, it has no \`withStructuredOutput\`.`);
  }
  try {
    return model.withStructuredOutput(answerSchema, { name: answerName, includeRaw: true });
  } catch (error) {
    throw new InvalidOptionsError(`${expectation}, but \`withStructuredOutput\` threw.`, {
      cause: error,
    });
  }
}

function describeMessage(message: unknown): Pick<JudgeResponse, "model" | "usage"> {
  const metadata = read(message, "response_metadata");
  return {
    model: readPlainText(read(metadata, "model_name") ?? read(metadata, "model")),
    usage: readTokenUsage(read(message, "usage_metadata")),
  };
}

/**
 * A judge over any LangChain chat model, for providers without logprobs: one call per batch, in
 * which the model states a probability for each numbered tool. Answers are read by number. Such
 * probabilities are coarse, a few round values and often too sure: `calibrated(...)` puts them on
 * the scale of your own traffic.
 *
 * Its runs are tagged `nostream`, so that none of its tokens appears in `streamMode: "messages"`,
 * and traced as `toolsieve_judge`; `callbacks: []` keeps them out of `streamEvents` too. All tools
 * of a batch share one prompt: their texts are fenced as data, but it cannot be promised that a
 * hostile description moves no other tool's answer.
 *
 * Give a model without retries of its own (`maxRetries: 0`): the judge retries inside the turn's
 * budget, and has a circuit breaker; `raw: true` is the bare judge.
 *
 * @throws {InvalidOptionsError} at construction, also if the model has no structured output.
 * @example
 * const judge = chatModelJudge(new ChatOpenAI({ model: "gpt-5-mini", maxRetries: 0 }));
 * const selector = createToolSelector({ judge });
 */
export function chatModelJudge(
  model: StructuredChatModel,
  options: ChatModelJudgeOptions = {},
): Judge {
  const settings = parseOptions(optionsSchema, options, "chatModelJudge");
  const { batchSize, limits, callbacks } = settings;
  const runnable = bindAnswerSchema(model);

  const raw: Judge = {
    id: settings.id ?? `chat-model:${readModelName(model)}`,
    batchSize,
    judge({ candidates, context }, { signal }) {
      return askInParts(splitForPrompt(candidates, { batchSize, limits }), async (part) => {
        const messages = [
          { role: "system", content: writeSystemPrompt(part, "structured", limits) },
          { role: "user", content: writeUserPrompt(context) },
        ];
        const config = createRunConfig(signal, callbacks);
        const reply = await runModel(() => runnable.invoke(messages as never, config), signal);
        const probabilities = readStructured(reply, part.length);
        return { probabilities, ...describeMessage(read(reply, "raw")) };
      });
    },
  };
  return guardJudge(raw, settings);
}
