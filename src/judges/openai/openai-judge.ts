/**
 * The judge over an OpenAI-compatible service: yes or no per tool, its probability read from token
 * logprobs.
 */

import * as z from "zod";
import { judgeLimitsSchema, type JudgeLimits } from "../../core/limits.js";
import { integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { Judge, JudgeContext, JudgeResponse, ToolDescription } from "../../core/types.js";
import { warn } from "../../core/warn-once.js";
import { JudgeHttpError } from "../../errors.js";
import { splitForPrompt, writeSystemPrompt, writeUserPrompt } from "../prompt.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { readPlainText } from "../http.js";
import { clientOption, connect, officialBaseURL, type OpenAIClient, type Send } from "./client.js";
import { buildDecisionsRequest, readDecisions } from "./decisions.js";
import { listParameters, stepDown, type Dialect } from "./dialect.js";
import { isRefusable } from "./client-errors.js";
import { readLogprobs } from "./logprobs.js";
import { readStated } from "./stated.js";
import { askInParts } from "../request-parts.js";
import { baseURLOption, keyOption, modelOption } from "../service-options.js";
import { readTokenUsage } from "../token-usage.js";

const optionsSchema = z.strictObject({
  client: clientOption.optional(),
  baseURL: baseURLOption.default(officialBaseURL),
  apiKey: keyOption.optional(),
  model: modelOption,
  method: z
    .enum(["auto", "logprobs", "stated", "decisions"], "auto, logprobs, stated or decisions")
    .default("auto"),
  batchSize: integerFrom(1).optional(),
  limitField: z
    .enum(["max_completion_tokens", "max_tokens"], "max_completion_tokens or max_tokens")
    .default("max_completion_tokens"),
  limits: judgeLimitsSchema.prefault({}),
  ...guardFields,
});

type Settings = z.output<typeof optionsSchema>;

export interface OpenAIJudgeOptions extends GuardOptions {
  /**
   * A client of the `openai` package, 6.41 or later, or of the same shape; `baseURL` and `apiKey`
   * are then not used. It is asked without its own retries, logs and redirects.
   */
  readonly client?: OpenAIClient | undefined;
  /**
   * Address of the service; `OPENAI_BASE_URL` is not read.
   *
   * @default "https://api.openai.com/v1"
   */
  readonly baseURL?: string | undefined;
  /**
   * Sent as a bearer token. A key from the environment goes to OpenAI's own address only.
   *
   * @default OPENAI_API_KEY of the environment
   */
  readonly apiKey?: string | undefined;
  /** A pinned model, because an alias changes the scale that the thresholds were chosen for. */
  readonly model: string;
  /**
   * - `logprobs`: the model marks each tool yes or no, and the probability is that of the mark's
   *   token
   * - `stated`: the model states probabilities, for models that refuse logprobs; they are coarse: a
   *   few round values, often too sure. `calibrated` helps
   * - `auto`: `logprobs`, and `stated` from the first refusal of logprobs or temperature on, with
   *   one warning
   * - `decisions`: the Decisions endpoint (beta), one question per tool
   *
   * @default "auto"
   */
  readonly method?: "auto" | "logprobs" | "stated" | "decisions" | undefined;
  /**
   * Tools per request, from 1.
   *
   * @default 32; 400 with `decisions`
   */
  readonly batchSize?: number | undefined;
  /**
   * The request field that limits the reply's tokens; the other one is tried once if it is refused.
   *
   * @default "max_completion_tokens"
   */
  readonly limitField?: "max_completion_tokens" | "max_tokens" | undefined;
  /** How much of a tool goes into the prompt. */
  readonly limits?: JudgeLimits | undefined;
}

type Ask = (
  candidates: readonly ToolDescription[],
  context: JudgeContext,
  signal: AbortSignal,
) => Promise<JudgeResponse>;

function describeReply(body: unknown): Pick<JudgeResponse, "model" | "requestId" | "usage"> {
  return {
    model: readPlainText(read(body, "model")),
    requestId: readPlainText(read(body, "_request_id")),
    usage: readTokenUsage(read(body, "usage")),
  };
}

/** Asks a chat model; a refused parameter is left out of all later requests. */
function createChatAsk(send: Send, settings: Settings, id: string): Ask {
  const { model, method, limits, logger } = settings;
  let dialect: Dialect = {
    method: method === "stated" ? "stated" : "logprobs",
    limitField: settings.limitField,
    refused: new Set(),
  };

  const learn = (used: Dialect, error: unknown): boolean => {
    const parameter = JudgeHttpError.isInstance(error) ? error.parameter : null;
    if (!isRefusable(parameter)) return false;
    if (dialect !== used) return true;
    const next = stepDown(used, parameter, method !== "logprobs");
    if (next === null) return false;
    dialect = next;
    // The switch to stated probabilities was warned about; its parameters need no further warning.
    if (method === "auto" && used.method === "stated") return true;
    const change =
      next.method === used.method
        ? "it is asked without it from now on"
        : "the model is asked to state probabilities from now on, which are coarser";
    warn(logger, `Judge \`${id}\`: the service refuses \`${parameter}\`; ${change}.`);
    return true;
  };

  return async (candidates, context, signal) => {
    for (let requests = 1; ; requests += 1) {
      const used = dialect;
      const style = used.method === "stated" ? "stated" : "marks";
      const messages = [
        { role: "system", content: writeSystemPrompt(candidates, style, limits) },
        { role: "user", content: writeUserPrompt(context) },
      ];
      const request = { model, messages, ...listParameters(used, candidates.length) };
      try {
        const body = await send("/chat/completions", request, signal);
        const readAnswers = used.method === "stated" ? readStated : readLogprobs;
        const probabilities = readAnswers(body, candidates.length);
        return { probabilities, requests, ...describeReply(body) };
      } catch (error) {
        if (JudgeHttpError.isInstance(error)) error.attempts = requests;
        if (signal.aborted || !learn(used, error)) throw error;
      }
    }
  };
}

function createDecisionsAsk(send: Send, { model, limits }: Settings): Ask {
  return async (candidates, context, signal) => {
    const request = buildDecisionsRequest(model, context, candidates, limits);
    const body = await send("/decisions", request, signal);
    return { ...readDecisions(body, candidates.length), ...describeReply(body) };
  };
}

/**
 * A judge over an OpenAI-compatible chat completions service, one request per batch: the model
 * marks each tool yes or no, and the probability comes from the logprobs of the mark. The prompt
 * starts with rules and tools, the same from turn to turn, so that providers cache it; the answer
 * schema does not grow with the tools.
 *
 * The conversation (as redacted by the selector), and names, descriptions and schemas of the tools
 * leave the process. All tools of a batch share one prompt: their texts are fenced as data, but it
 * cannot be promised that a hostile description moves no other tool's answer; with `method:
 * "decisions"` each tool is a question of its own.
 *
 * Needs the package `openai`, which is loaded in the background. It comes with retries and a
 * circuit breaker; `raw: true` is the bare judge. A refused token limit, `top_logprobs` or
 * `response_format` is given up once, with a warning; any other refused parameter opens the
 * breaker.
 *
 * Protocol: OpenAI chat completions with `logprobs`, and OpenAI Decisions.
 *
 * @throws {InvalidOptionsError} at construction, also if the service is OpenAI's own and there is
 * no key.
 * @example
 * const judge = openaiJudge({ baseURL: "http://127.0.0.1:8000/v1", model: "local-model", logger: console });
 * const selector = createToolSelector({ judge });
 */
export function openaiJudge(options: OpenAIJudgeOptions): Judge {
  const settings = parseOptions(optionsSchema, options, "openaiJudge");
  const { model, method, limits } = settings;
  const isScaled = method === "stated" || method === "decisions";
  const id = isScaled ? `openai:${model}:${method}` : `openai:${model}`;
  const batchSize = settings.batchSize ?? (method === "decisions" ? 400 : 32);
  const send = connect(settings);
  const ask =
    method === "decisions" ? createDecisionsAsk(send, settings) : createChatAsk(send, settings, id);

  const raw: Judge = {
    id,
    batchSize,
    judge({ candidates, context }, { signal }) {
      const parts = splitForPrompt(candidates, { batchSize, limits });
      return askInParts(parts, (part) => ask(part, context, signal));
    },
  };
  return guardJudge(raw, settings);
}
