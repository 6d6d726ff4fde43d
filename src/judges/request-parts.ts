/** Conversations as data for prompts; batches asked in parts, and their responses merged. */

import { JudgeHttpError, JudgeResponseError } from "../errors.js";
import { sum, sumStated } from "../core/sum.js";
import { cleanText } from "../core/text.js";
import type { JudgeContext, JudgeMessage, JudgeResponse, JudgeUsage } from "../core/types.js";
import { classifyFailure } from "./failure.js";

/** The conversation in a prompt; keys in a fixed order, because the order can shift answers. */
export interface PromptConversation {
  readonly request: string;
  readonly recent: readonly JudgeMessage[];
}

/** Renders the conversation as plain data, without invisible characters. */
export function toPromptConversation(context: JudgeContext): PromptConversation {
  return {
    request: cleanText(context.request),
    recent: context.messages.map(({ role, text }) => ({ role, text: cleanText(text) })),
  };
}

/**
 * Estimates the tokens of a text, rather too many: three ASCII characters or one other UTF-16 unit
 * each.
 */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < 128) ascii += 1;
  }
  return Math.ceil(ascii / 3) + text.length - ascii;
}

function sumUsage(responses: readonly JudgeResponse[]): JudgeUsage | undefined {
  const usages = responses.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const isUnknown = responses.some(({ usage, requests }) => usage === undefined && requests !== 0);
  if (usages.length === 0 || isUnknown) return undefined;
  return {
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
    cachedInputTokens: sumStated(usages.map(({ cachedInputTokens }) => cachedInputTokens)),
  };
}

/** Reasons of missing answers; of several, the first in this list counts. */
const missingReasons = ["error", "malformed", "refused"] as const;

/**
 * One response for several: answers in order, counts and usage summed; usage is unknown if that of
 * any request is. It is cached if all of them are.
 */
export function mergeResponses(responses: readonly JudgeResponse[]): JudgeResponse {
  const [first] = responses;
  if (first !== undefined && responses.length === 1) return first;
  return {
    probabilities: responses.flatMap(({ probabilities }) => probabilities),
    requests: sum(responses.map(({ requests }) => requests ?? 1)),
    retries: sum(responses.map(({ retries }) => retries ?? 0)),
    model: responses.findLast((response) => response.model !== undefined)?.model,
    requestId: first?.requestId,
    usage: sumUsage(responses),
    cached: (first?.cached === true && responses.every(({ cached }) => cached)) || undefined,
    missing: missingReasons.find((reason) => responses.some(({ missing }) => missing === reason)),
  };
}

/** Halvings of a part, at most: enough for an estimate that is wrong by a factor of eight. */
const maxHalvings = 3;

type AskPart<T> = (items: readonly T[]) => Promise<JudgeResponse>;

/** Asks part after part. `spent` requests were made before; response and error count them too. */
async function askEach<T>(
  parts: readonly (readonly T[])[],
  ask: AskPart<T>,
  spent: number,
): Promise<JudgeResponse> {
  const responses: JudgeResponse[] = [];
  try {
    for (const part of parts) responses.push(await ask(part));
  } catch (error) {
    const answered = responses.reduce((sum, { requests }) => sum + (requests ?? 1), spent);
    if (JudgeHttpError.isInstance(error) || JudgeResponseError.isInstance(error)) {
      error.attempts += answered;
    }
    throw error;
  }
  const merged = mergeResponses(responses);
  return spent === 0 ? merged : { ...merged, requests: (merged.requests ?? 1) + spent };
}

async function askHalving<T>(
  items: readonly T[],
  ask: AskPart<T>,
  halvings: number,
): Promise<JudgeResponse> {
  let spent = 0;
  try {
    return await ask(items);
  } catch (error) {
    const tooLarge = JudgeHttpError.isInstance(error) && classifyFailure(error) === "limit";
    if (!tooLarge || items.length < 2 || halvings === 0) throw error;
    spent = error.attempts;
  }
  const middle = Math.ceil(items.length / 2);
  const halves = [items.slice(0, middle), items.slice(middle)];
  return askEach(halves, (half) => askHalving(half, ask, halvings - 1), spent);
}

/**
 * Asks part after part (services queue the requests of one account anyway) and merges the answers.
 * A part that the service calls too large is halved, up to three times.
 *
 * @throws the first failure, with all requests made in its `attempts`; the remaining parts are then
 * not asked.
 */
export function askInParts<T>(
  parts: readonly (readonly T[])[],
  ask: AskPart<T>,
): Promise<JudgeResponse> {
  return askEach(parts, (part) => askHalving(part, ask, maxHalvings), 0);
}
