/** Reads what the model did from whatever a model step returned: a message, a state update, a command, a list of these. */

import type { ModelOutcome, ModelUsage } from "../core/types.js";
import { callsOf, toMessage } from "./messages.js";
import { isList, mapReadable, read, readText } from "./read.js";

/** How deep messages may lie in a result: command, update, messages, message. */
const maxDepth = 4;

const isMessage = (value: unknown): boolean => readText(value, "type") === "ai";

/** A message object, or the plain `{ role: "assistant", … }` that a node may return as well. */
const isAssistant = (value: unknown): boolean =>
  isMessage(value) || readText(value, "role") === "assistant";

function assistantMessages(result: unknown, depth = 0): readonly unknown[] {
  if (depth > maxDepth || typeof result !== "object" || result === null) return [];
  if (isList(result)) return result.flatMap((item) => assistantMessages(item, depth + 1));
  if (isAssistant(result)) return [result];
  return [read(result, "messages"), read(result, "update")].flatMap((inner) =>
    assistantMessages(inner, depth + 1),
  );
}

function tokens(value: unknown, key: string): number | undefined {
  const count = read(value, key);
  return typeof count === "number" && Number.isFinite(count) && count >= 0
    ? Math.round(count)
    : undefined;
}

function usageOf(message: unknown): ModelUsage | undefined {
  const usage = read(message, "usage_metadata");
  const inputTokens = tokens(usage, "input_tokens");
  const outputTokens = tokens(usage, "output_tokens");
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const details = read(usage, "input_token_details");
  const cacheReadTokens = tokens(details, "cache_read");
  const cacheWriteTokens = tokens(details, "cache_creation");
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}

function modelOf(message: unknown): string | undefined {
  const metadata = read(message, "response_metadata");
  return readText(metadata, "model_name") ?? readText(metadata, "model");
}

function add(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function sum(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cacheReadTokens = add(one.cacheReadTokens, other.cacheReadTokens);
  const cacheWriteTokens = add(one.cacheWriteTokens, other.cacheWriteTokens);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}

/**
 * The outcome of a model step; `null` where the result holds no new message of the model, and what it did is unknown.
 *
 * @param result what the step returned.
 * @param sent the messages that went in; a node may return them again, and their calls are no news.
 */
export function readModelOutcome(result: unknown, sent: readonly unknown[]): ModelOutcome | null {
  const old = new Set(sent);
  const added = assistantMessages(result).filter((message) => !old.has(message));
  const fresh = mapReadable(added, (message) =>
    isMessage(message) ? message : toMessage(message),
  );
  if (fresh.length === 0) return null;
  const usages = fresh.map(usageOf).filter((usage) => usage !== undefined);
  const usage = usages.length === 0 ? undefined : usages.reduce(sum);
  const model = fresh.map(modelOf).find((name) => name !== undefined);
  return {
    called: fresh.flatMap((message) => callsOf(message).map(({ name }) => name)),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
  };
}
