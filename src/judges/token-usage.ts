/** Token usage as services and clients report it, in any of their spellings. */

import { readCount } from "../core/judge-reply.js";
import { read } from "../core/read.js";
import type { JudgeUsage } from "../core/types.js";

/** A field name, or the path to a nested one. */
type Spelling = readonly [field: string, nested?: string];

const inputSpellings: readonly Spelling[] = [["input_tokens"], ["inputTokens"], ["prompt_tokens"]];
const outputSpellings: readonly Spelling[] = [
  ["output_tokens"],
  ["outputTokens"],
  ["completion_tokens"],
];
const cachedSpellings: readonly Spelling[] = [
  ["cached_input_tokens"],
  ["cachedInputTokens"],
  ["prompt_tokens_details", "cached_tokens"],
  ["input_token_details", "cache_read"],
];

/** The first spelling that holds a number counts. */
function readTokens(usage: unknown, spellings: readonly Spelling[]): number | null {
  const values = spellings.map(([field, nested]) => {
    const value = read(usage, field);
    return nested === undefined ? value : read(value, nested);
  });
  return readCount(values.find((value) => typeof value === "number"));
}

/** Reads token usage; `undefined` unless input and output are whole numbers from 0. */
export function readTokenUsage(usage: unknown): JudgeUsage | undefined {
  const inputTokens = readTokens(usage, inputSpellings);
  const outputTokens = readTokens(usage, outputSpellings);
  if (inputTokens === null || outputTokens === null) return undefined;
  const cachedInputTokens = readTokens(usage, cachedSpellings) ?? undefined;
  return { inputTokens, outputTokens, cachedInputTokens };
}
