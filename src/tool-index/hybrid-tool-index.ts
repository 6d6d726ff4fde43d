/** Two indexes as one: each finds what the other misses, and their orders are fused. */

import * as z from "zod";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import type { ToolIndex, ToolMatch, ToolSearchRequest, ToolSearchResult } from "../core/types.js";
import { InvalidOptionsError } from "../errors.js";
import { isToolIndex, parseSearchRequest } from "./tool-index.js";

const optionsSchema = z.strictObject({
  topK: integerFrom(1).default(20),
  depth: integerFrom(1).default(100),
});

export interface HybridToolIndexOptions {
  /** Matches of a search that does not say `maxResults`, from 1. @default 20 */
  readonly topK?: number | undefined;
  /**
   * Matches that each of the two is asked for, from 1; more if a search wants more.
   * @default 100
   */
  readonly depth?: number | undefined;
}

/**
 * How little the first ranks count more than the later ones (Cormack, Clarke and Buettcher 2009).
 */
const rankOffset = 60;

/** Reciprocal rank fusion; 1 is the first of both. */
function fuse(results: readonly ToolSearchResult[]): readonly ToolMatch[] {
  const fused = new Map<string, { readonly match: ToolMatch; score: number }>();
  for (const { matches } of results) {
    for (const [rank, match] of matches.entries()) {
      const entry = fused.get(match.name) ?? { match, score: 0 };
      entry.score += (rankOffset + 1) / (rankOffset + 1 + rank) / results.length;
      fused.set(match.name, entry);
    }
  }
  return Array.from(fused.values(), ({ match, score }) => ({
    ...match,
    score: Math.min(1, score),
  })).sort((a, b) => b.score - a.score);
}

/** Waits for all; rejects with the first failure only when none runs any more. */
async function settleAll<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/**
 * Fuses two indexes by reciprocal rank: a tool that either ranks high comes high, whatever the
 * scales of their scores. A lexical index beside one that knows meanings (`embeddingToolIndex`) is
 * the usual pair.
 *
 * A search fails if either fails. `applicable` and `note` are told where one of the two tells them.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const index = createHybridToolIndex(createLexicalToolIndex(), embeddingToolIndex({ embeddings, topK: 50 }));
 */
export function createHybridToolIndex(
  first: ToolIndex,
  second: ToolIndex,
  options: HybridToolIndexOptions = {},
): ToolIndex {
  if (!isToolIndex(first) || !isToolIndex(second) || first === second) {
    throw new InvalidOptionsError("Expected createHybridToolIndex to get two tool indexes.");
  }
  const { topK, depth } = parseOptions(optionsSchema, options, "createHybridToolIndex");
  const members = [first, second];
  const index: ToolIndex = {
    kind: "tool-index",
    async indexTools(sessionId, tools, options) {
      await settleAll(members.map((member) => member.indexTools(sessionId, tools, options)));
    },
    indexTool: (sessionId, tool, options) => index.indexTools(sessionId, [tool], options),
    async search(given, options) {
      const request = parseSearchRequest(given);
      const wanted = request.maxResults ?? topK;
      const deep: ToolSearchRequest = { ...request, maxResults: Math.max(depth, wanted) };
      const results = await settleAll(members.map((member) => member.search(deep, options)));
      const matches = fuse(results);
      const told = <K extends "applicable" | "note">(key: K): ToolSearchResult[K] =>
        results.find((result) => result[key] !== undefined)?.[key];
      const result: { -readonly [K in keyof ToolSearchResult]: ToolSearchResult[K] } = {
        matches: matches.slice(0, wanted),
        total: Math.max(matches.length, ...results.map(({ total }) => total)),
      };
      const applicable = told("applicable");
      if (applicable !== undefined) result.applicable = applicable;
      const note = matches.length === 0 ? told("note") : undefined;
      if (note !== undefined) result.note = note;
      return result;
    },
    async clear(sessionId) {
      await settleAll(members.map((member) => member.clear(sessionId)));
    },
    async inspect(sessionId, page) {
      const inspector = members.find((member) => member.inspect !== undefined);
      return (await inspector?.inspect?.(sessionId, page)) ?? { total: 0, tools: [] };
    },
  };
  return index;
}
