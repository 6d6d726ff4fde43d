/** The shortlist: in large catalogs only the best matches of an index reach the judge. */

import { requestText, lastUserIndex } from "../core/context.js";
import type { ResolvedOptions } from "../core/options.js";
import type { TurnMessage } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";
import type { TurnInput } from "./read-turn.js";
import type { ToolSearch } from "./tool-search.js";

/** Characters of the conversation that are searched with. */
const queryChars = 4000;

/** The current user text, and on later steps of the loop the textual tool results. */
function buildSearchText(
  messages: readonly TurnMessage[],
  redact: (text: string, role: string) => string,
): string {
  const request = requestText(messages) ?? "";
  const results = messages
    .slice(lastUserIndex(messages) + 1)
    .filter(({ role, text }) => role === "tool" && text.trim() !== "");
  const texts = [
    redact(request, "user"),
    ...results.map(({ text }) => redact(text.slice(0, queryChars), "tool")),
  ];
  return texts.join("\n").slice(0, queryChars);
}

/** What the shortlist needs of the selector. */
export interface ShortlistContext {
  readonly options: ResolvedOptions;
  readonly shortlist: ToolSearch | null;
  readonly warn: Warn;
}

/**
 * True for each candidate that reaches the judge. Sticky tools do in any case; an index that fails,
 * is late or finds nothing lets all of them through.
 */
export async function shortlistCandidates(
  input: TurnInput,
  { options, shortlist: index, warn }: ShortlistContext,
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  const { candidates, catalog, messages, memory } = input;
  const all = candidates.map(() => true);
  const { shortlist, redact = (text: string) => text } = options;
  if (shortlist === null || index === null || candidates.length <= shortlist.over) return all;
  const query = buildSearchText(messages, redact);
  if (query.trim() === "") return all;
  try {
    const pinned = catalog.length - candidates.length;
    const maxResults = shortlist.size + pinned;
    const names = await index.search(catalog, { query, group: null, maxResults }, signal);
    const isCandidate = new Set(candidates.map(({ name }) => name));
    const best = new Set(names.filter((name) => isCandidate.has(name)).slice(0, shortlist.size));
    if (best.size === 0) return all;
    return candidates.map(({ name }) => best.has(name) || memory?.sticky.has(name) === true);
  } catch {
    if (!signal.aborted) warn("shortlist", "The shortlist failed: all candidates are judged.");
    return all;
  }
}
