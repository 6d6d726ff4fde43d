/** The heavy half of the embedded judge: matches a request with tools by words, and answers with calibrated probabilities. */

import type { JudgeContext, JudgeRequest, ToolDescription } from "../../core/types.js";
import { createSlices } from "./slices.js";
import { isSmallTalk, isStopWord, splitWords, stem, stemsOf } from "./words.js";

/** What matching needs of a tool: how often each stem occurs, name counted thrice, and its length. */
interface ToolText {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const maxChars = 4000;
const nameWeight = 3;
const known = new WeakMap<ToolDescription, ToolText>();

function collectSchemaText(schema: unknown, depth: number, into: string[]): void {
  if (typeof schema !== "object" || schema === null || depth > 4 || into.length > 200) return;
  const { properties, description, items } = schema as Readonly<Record<string, unknown>>;
  if (depth > 0 && typeof description === "string") into.push(description);
  collectSchemaText(items, depth + 1, into);
  if (typeof properties !== "object" || properties === null) return;
  for (const [name, property] of Object.entries(properties)) {
    into.push(name);
    collectSchemaText(property, depth + 1, into);
  }
}

function readTool(tool: ToolDescription, hints: readonly string[]): ToolText {
  const texts: string[] = [tool.description ?? "", ...hints];
  collectSchemaText(tool.parameters, 0, texts);
  const counts = new Map<string, number>();
  let length = 0;
  const add = (stems: readonly string[], weight: number): void => {
    for (const one of stems) counts.set(one, (counts.get(one) ?? 0) + weight);
    length += stems.length * weight;
  };
  add(stemsOf(tool.name), nameWeight);
  add(stemsOf(texts.join("\n").slice(0, maxChars)), 1);
  return { counts, length };
}

function queryStems(context: JudgeContext): ReadonlySet<string> {
  const texts = context.messages.filter(({ role }) => role === "user").map(({ text }) => text);
  const words = splitWords([...texts, context.request].join("\n"));
  return new Set(words.filter((word) => !isStopWord(word) && !isSmallTalk(word)).map(stem));
}

/** Weighted share of the request's words that a tool matches, saturating in the count (BM25, k1 = 1.2, b = 0.75), in [0, 1]. */
function coverage(
  query: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
  tool: ToolText,
  meanLength: number,
): number {
  let matched = 0;
  let total = 0;
  const norm = 1.2 * (0.25 + 0.75 * (tool.length / meanLength));
  for (const one of query) {
    const weight = weights.get(one) ?? 0;
    const count = tool.counts.get(one) ?? 0;
    total += weight;
    matched += (weight * count * 2.2) / (count + norm);
  }
  return total === 0 ? 0 : matched / total;
}

/** Answers one request; `hints` are example requests by tool name. */
export type Engine = (
  request: JudgeRequest,
  signal: AbortSignal,
) => Promise<readonly (number | null)[]>;

/** Builds the judge's engine. Work on a tool is kept for as long as its description object lives. */
export function createEngine(hints: ReadonlyMap<string, readonly string[]>): Engine {
  const cache = hints.size === 0 ? known : new WeakMap<ToolDescription, ToolText>();

  function textOf(tool: ToolDescription): ToolText {
    const existing = cache.get(tool);
    if (existing !== undefined) return existing;
    const text = readTool(tool, hints.get(tool.name) ?? []);
    cache.set(tool, text);
    return text;
  }

  return async ({ context, candidates }, signal) => {
    signal.throwIfAborted();
    const slices = createSlices(signal);
    const tools: ToolText[] = [];
    for (const candidate of candidates) {
      tools.push(textOf(candidate));
      await slices.pause();
    }
    const query = queryStems(context);
    const weights = new Map<string, number>();
    for (const one of query) {
      const frequency = tools.filter(({ counts }) => counts.has(one)).length;
      weights.set(one, Math.log(1 + (tools.length - frequency + 0.5) / (frequency + 0.5)));
      await slices.pause();
    }
    const meanLength = Math.max(
      1,
      tools.reduce((sum, { length }) => sum + length, 0) / tools.length,
    );
    const scores: number[] = [];
    for (const tool of tools) {
      scores.push(coverage(query, weights, tool, meanLength));
      await slices.pause();
    }
    const best = Math.max(0, ...scores);
    if (best === 0) return candidates.map(() => null);
    return scores.map((score) => 1 / (1 + Math.exp(-(-7 + 4 * score + 5 * (score / best)))));
  };
}
