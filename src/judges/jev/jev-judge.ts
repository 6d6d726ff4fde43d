/**
 * The judge over TypeSafe Jev (System One): one request per batch, one yes/no question per tool.
 */

import { splitToFit } from "../../core/batch.js";
import * as z from "zod";
import { InvalidOptionsError } from "../../errors.js";
import { judgeLimitsSchema, type JudgeLimits } from "../../core/limits.js";
import { functionOption, integerFrom, parseOptions } from "../../core/parse-options.js";
import type { Judge, JudgeRequest } from "../../core/types.js";
import { guardJudge, guardFields, type GuardOptions } from "../wrappers/guard-judge.js";
import { postJson } from "../http.js";
import { toPromptTool, type PromptTool } from "../prompt-tool.js";
import { readNoulReply, toNoulQuestion, type NoulQuestion } from "./jev-protocol.js";
import { askInParts, estimateTokens, toPromptConversation } from "../request-parts.js";
import { baseURLOption, readKey, keyOption, modelOption } from "../service-options.js";

const service = "https://api.typesafe.ai";

const urlPath = "a path that starts with `/`";

const optionsSchema = z.strictObject({
  apiKey: keyOption.optional(),
  baseURL: baseURLOption.default(service),
  path: z.string(urlPath).startsWith("/", urlPath).default("/v1/systemone"),
  model: modelOption.default("jev-1.13.0"),
  batchSize: integerFrom(1).default(64),
  maxRequestTokens: integerFrom(1).default(60_000),
  limits: judgeLimitsSchema.prefault({}),
  fetch: functionOption<typeof globalThis.fetch>().optional(),
  ...guardFields,
});

type Settings = z.output<typeof optionsSchema>;

export interface JevJudgeOptions extends GuardOptions {
  /**
   * Sent as a bearer token. A key from the environment goes to the service's own address only.
   *
   * @default TYPESAFE_API_KEY, then JEV_API_KEY, of the environment
   */
  readonly apiKey?: string | undefined;
  /**
   * Address of the service, or of one with the same protocol.
   *
   * @default "https://api.typesafe.ai"
   */
  readonly baseURL?: string | undefined;
  /**
   * Appended to `baseURL`; OpenRouter has `/decisions` under `https://openrouter.ai/api/alpha`.
   *
   * @default "/v1/systemone"
   */
  readonly path?: string | undefined;
  /**
   * A pinned model, because an alias changes the scale that the thresholds were chosen for.
   *
   * @default "jev-1.13.0"
   */
  readonly model?: string | undefined;
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
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The key to send; `undefined` for a compatible service without one. */
function resolveKey({ apiKey, baseURL }: Settings): string | undefined {
  if (apiKey !== undefined) return apiKey;
  if (new URL(baseURL).origin !== service) return undefined;
  const key = readKey("TYPESAFE_API_KEY", "JEV_API_KEY");
  if (key !== undefined) return key;
  throw new InvalidOptionsError(
    "Expected `apiKey`, or TYPESAFE_API_KEY in the environment, to be a key of visible ASCII characters, got none.",
  );
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
  const url = new URL(settings.baseURL).href.replace(/\/+$/, "") + settings.path;
  const key = resolveKey(settings);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };

  const raw: Judge = {
    id: `jev:${settings.model}`,
    batchSize: settings.batchSize,
    judge(request, { signal }) {
      const state = toPromptConversation(request.context);
      const questions = toQuestions(request, settings);
      const parts = splitQuestions(questions, estimateTokens(JSON.stringify(state)), settings);
      return askInParts(parts, async (part) => {
        const body = JSON.stringify({
          model: settings.model,
          state,
          questions: Object.fromEntries(part.map(({ id, question }) => [id, question])),
        });
        const reply = await postJson({ url, headers, body, signal, fetch: settings.fetch });
        return readNoulReply(
          reply,
          part.map(({ id }) => id),
        );
      });
    },
  };
  return guardJudge(raw, settings);
}
