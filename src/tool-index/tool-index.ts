/**
 * What every tool index has in common: how it is recognised, and how it checks what it is given.
 */

import * as z from "zod";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import { read } from "../core/read.js";
import { cutText } from "../core/text.js";
import type {
  ToolDescription,
  ToolIndex,
  ToolMatch,
  ToolSearchRequest,
  ToolSearchResult,
} from "../core/types.js";
import { InvalidOptionsError } from "../errors.js";
import { metadataFilterSchema } from "./metadata-filter.js";

/**
 * True for a tool index of any copy of this package, or of your own.
 *
 * @example
 * isToolIndex(createLexicalToolIndex()); // true
 */
export function isToolIndex(value: unknown): value is ToolIndex {
  const methods = ["indexTools", "indexTool", "search", "clear"];
  return (
    read(value, "kind") === "tool-index" &&
    methods.every((method) => typeof read(value, method) === "function")
  );
}

const requestSchema = z.strictObject({
  sessionId: z.string("a string"),
  query: z.string("a string"),
  maxResults: integerFrom(1).optional(),
  filter: metadataFilterSchema.optional(),
  group: z.string("a string").optional(),
});

/**
 * Checks a search request.
 *
 * @throws {InvalidOptionsError} if a field is unknown, of the wrong type or out of range.
 */
export function parseSearchRequest(request: ToolSearchRequest): ToolSearchRequest {
  return parseOptions(requestSchema, request, "a tool search");
}

/**
 * Copies tools, so that later changes to the caller's objects change no index.
 *
 * @throws {InvalidOptionsError} if one of them has no name.
 */
export function copyTools(tools: readonly ToolDescription[]): readonly ToolDescription[] {
  return tools.map((tool, position) => {
    if (typeof read(tool, "name") !== "string" || tool.name === "") {
      throw new InvalidOptionsError(
        `Expected the tool at position ${position} to have a name, got none.`,
      );
    }
    return Object.isFrozen(tool) ? tool : { ...tool };
  });
}

/** Tools by name; of tools with one name the last wins, in the place of the first. */
export function mergeTools(
  known: ReadonlyMap<string, ToolDescription> | undefined,
  added: readonly ToolDescription[],
): ReadonlyMap<string, ToolDescription> {
  const merged = new Map(known);
  for (const tool of added) merged.set(tool.name, tool);
  return merged;
}

/** The answer to a search of an unknown or empty session. */
export const emptyResult: ToolSearchResult = { matches: [], total: 0 };

const summaryChars = 200;

/** The first sentence of a description. */
function summarizeDescription(description: unknown): string | undefined {
  if (typeof description !== "string") return undefined;
  const [sentence = ""] = description.trim().split(/(?<=[.!?。！？])\s|\n/u, 1);
  return sentence === "" ? undefined : cutText(sentence, summaryChars);
}

/** What a search tells of a tool. */
export function toToolMatch(tool: ToolDescription, score: number): ToolMatch {
  const match: { -readonly [K in keyof ToolMatch]: ToolMatch[K] } = { name: tool.name, score };
  match.summary = summarizeDescription(tool.description);
  match.group = tool.group;
  match.metadata = tool.metadata;
  return match;
}

/** A page of a session's tools, in the order in which they were added. */
export function inspectTools(
  tools: ReadonlyMap<string, ToolDescription> | undefined,
  page: { readonly offset?: number | undefined; readonly limit?: number | undefined } = {},
): { readonly total: number; readonly tools: readonly ToolMatch[] } {
  const { offset = 0, limit = 100 } = page;
  const all = [...(tools?.values() ?? [])];
  return {
    total: all.length,
    tools: all.slice(offset, offset + limit).map((tool) => toToolMatch(tool, 0)),
  };
}
