/**
 * Answers a call of the finder: checks the request, searches the hidden tools, and words the answer
 * for the model.
 */

import { sha256Hex } from "../../core/fingerprint.js";
import type { ToolDescription } from "../../core/types.js";
import { renderAnswer, renderErrors, renderRepeat } from "./answer-text.js";
import { parseFindToolsRequest } from "./parse-find-tools-request.js";
import type { FindToolsRequest } from "./parse-find-tools-request.js";
import { findByName } from "./find-by-name.js";

/**
 * Searches of one kind that are answered within a run; the next ones get the answer that they were.
 */
const answersPerSearch = 2;

/** A search in the hidden tools. */
export interface FinderQuery {
  readonly query: string;
  readonly group: string | null;
  readonly maxResults: number;
}

/** What the finder needs of the turn and of the thread. */
export interface FinderScope {
  /** The tools that can be found. */
  readonly hidden: readonly ToolDescription[];
  /** Names of the tools that the model sees already. */
  readonly visible: readonly string[];
  /** Matches where a request says nothing else. */
  readonly limit: number;
  /**
   * Names of matching tools, the best first. One that fails leaves the names and groups asked for.
   */
  readonly search: (query: FinderQuery) => Promise<readonly string[]>;
  /** How often the same search was answered in this run. */
  readonly countAnswers: (digest: string) => number;
}

/** The answer to a call of the finder. */
export interface FinderAnswer {
  /** For the model. */
  readonly text: string;
  /** Names of the tools that were found; they are to be revealed. */
  readonly found: readonly string[];
  /** Identifies the search, without its text; `null` if the request was not valid. */
  readonly digest: string | null;
  /** What became of the request. */
  readonly result: "found" | "nothing" | "invalid" | "repeated";
}

/**
 * Equal for requests that ask the same, whatever the case, the blanks and the order of the names.
 */
function digestRequest({ query, names, group, limit }: FindToolsRequest): string {
  const words = query?.toLowerCase().trim().split(/\s+/u).join(" ") ?? null;
  const sorted = names.map((name) => name.toLowerCase()).toSorted();
  return sha256Hex(JSON.stringify([words, sorted, group, limit])).slice(0, 16);
}

/** The search that a request asks for beside its names; `null` if it names tools only. */
async function searchHidden(
  { query, group, limit }: FindToolsRequest,
  { hidden, search }: FinderScope,
): Promise<{ readonly names: readonly string[]; readonly failed: boolean }> {
  const listed = group === null ? hidden : hidden.filter((tool) => tool.group === group);
  if (query === null) {
    return { names: group === null ? [] : listed.map(({ name }) => name), failed: false };
  }
  const known = new Set(listed.map(({ name }) => name));
  const exact = findByName(query.trim(), listed).map(({ name }) => name);
  try {
    const matches = await search({ query, group, maxResults: limit });
    return { names: [...exact, ...matches.filter((name) => known.has(name))], failed: false };
  } catch {
    return { names: exact, failed: true };
  }
}

/** Answers a call of the finder. Never rejects. */
export async function findTools(input: unknown, scope: FinderScope): Promise<FinderAnswer> {
  const { hidden, visible, limit, countAnswers } = scope;
  const parsed = parseFindToolsRequest(hidden, input, { visible, limit });
  if (!parsed.ok) {
    return { text: renderErrors(parsed.errors), found: [], digest: null, result: "invalid" };
  }
  const { request, missed } = parsed;
  const digest = digestRequest(request);
  if (countAnswers(digest) >= answersPerSearch) {
    return { text: renderRepeat(), found: [], digest, result: "repeated" };
  }
  const { names, failed } = await searchHidden(request, scope);
  // Tools asked for by name are found whatever the limit.
  const found = [...new Set([...parsed.found, ...names])].slice(
    0,
    Math.max(request.limit, parsed.found.length),
  );
  const tools = found.flatMap((name) => hidden.find((tool) => tool.name === name) ?? []);
  const already = request.names.flatMap((name) =>
    findByName(
      name,
      visible.map((seen) => ({ name: seen })),
    ).map((tool) => tool.name),
  );
  const more = names.filter((name) => !found.includes(name)).length;
  const text = renderAnswer({ tools, missed, already: [...new Set(already)], more, failed });
  return { text, found, digest, result: found.length > 0 ? "found" : "nothing" };
}
