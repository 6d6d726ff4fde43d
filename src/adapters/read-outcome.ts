/**
 * Reads the model's calls and usage from the result of a step: a message, a state update, a
 * command, a list of these.
 */

import { read, readText } from "../core/read.js";
import { sum, sumStated } from "../core/sum.js";
import type { ModelOutcome, ModelUsage } from "../core/types.js";
import { listCalls, mapMessages, toMessage } from "./read-messages.js";

/** How deep messages may lie in a result: command, update, messages, message. */
const maxDepth = 4;

const isMessage = (value: unknown): boolean => readText(value, "type") === "ai";

/** A message object, or the plain `{ role: "assistant", … }` that a node may return as well. */
const isAssistant = (value: unknown): boolean =>
  isMessage(value) || readText(value, "role") === "assistant";

function findAssistantMessages(result: unknown, depth = 0): readonly unknown[] {
  if (depth > maxDepth || typeof result !== "object" || result === null) return [];
  if (Array.isArray(result)) {
    return result.flatMap((item) => findAssistantMessages(item, depth + 1));
  }
  if (isAssistant(result)) return [result];
  return [read(result, "messages"), read(result, "update")].flatMap((inner) =>
    findAssistantMessages(inner, depth + 1),
  );
}

function readTokens(value: unknown, key: string): number | undefined {
  const count = read(value, key);
  return typeof count === "number" && Number.isFinite(count) && count >= 0
    ? Math.round(count)
    : undefined;
}

function readUsage(message: unknown): readonly ModelUsage[] {
  const usage = read(message, "usage_metadata");
  const inputTokens = readTokens(usage, "input_tokens");
  const outputTokens = readTokens(usage, "output_tokens");
  if (inputTokens === undefined || outputTokens === undefined) return [];
  const details = read(usage, "input_token_details");
  const cacheReadTokens = readTokens(details, "cache_read");
  const cacheWriteTokens = readTokens(details, "cache_creation");
  return [{ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }];
}

/** The usage of several calls together; providers leave a cache field out where it is 0. */
function sumUsages(usages: readonly ModelUsage[]): ModelUsage | undefined {
  if (usages.length === 0) return undefined;
  return {
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
    cacheReadTokens: sumStated(usages.map(({ cacheReadTokens }) => cacheReadTokens)),
    cacheWriteTokens: sumStated(usages.map(({ cacheWriteTokens }) => cacheWriteTokens)),
  };
}

function readModelName(message: unknown): string | undefined {
  const metadata = read(message, "response_metadata");
  return readText(metadata, "model_name") ?? readText(metadata, "model");
}

/**
 * The outcome of a model step; `null` (unknown) where the result holds no new message of the model.
 *
 * @param result the returned value of the step.
 * @param sent the messages that went in; a node may return them again, and their calls are no news.
 */
export function readModelOutcome(result: unknown, sent: readonly unknown[]): ModelOutcome | null {
  const old = new Set(sent);
  const added = findAssistantMessages(result).filter((message) => !old.has(message));
  const fresh = mapMessages(added, (message) =>
    isMessage(message) ? message : toMessage(message),
  );
  if (fresh.length === 0) return null;
  return {
    called: fresh.flatMap((message) => listCalls(message).map(({ name }) => name)),
    usage: sumUsages(fresh.flatMap(readUsage)),
    model: fresh.map(readModelName).find((name) => name !== undefined),
  };
}
