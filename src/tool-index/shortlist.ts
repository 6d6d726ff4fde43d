/**
 * Cuts a large catalog down to the tools that are worth a judge's time; keeps all of it whenever in
 * doubt.
 */

import * as z from "zod";
import { untilAborted } from "../core/abort.js";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import { read } from "../core/read.js";
import type { Candidate } from "../core/types.js";
import type { ToolSessions } from "./sessions/tool-sessions.js";

/**
 * How long a search may go on after it was given up: a large catalog that takes longer to index
 * than a turn can wait is then ready for the next one.
 */
const backgroundMs = 60_000;

const optionsSchema = z.strictObject({
  sessions: z.custom<ToolSessions>(
    (value) => typeof read(value, "search") === "function",
    "tool sessions",
  ),
  size: integerFrom(1).default(128),
  over: integerFrom(1).default(256),
  timeoutMs: integerFrom(1).default(1000),
});

export interface ShortlistOptions {
  readonly sessions: ToolSessions;
  /** Candidates that go to the judge. @default 128 */
  readonly size?: number | undefined;
  /** Catalogs of up to so many candidates are left whole. @default 256 */
  readonly over?: number | undefined;
  /**
   * A search that takes longer is not waited for; indexing goes on for the next turn.
   * @default 1000
   */
  readonly timeoutMs?: number | undefined;
}

export interface ShortlistRequest {
  readonly sessionId: string;
  readonly candidates: readonly Candidate[];
  /** `null`: there is nothing to search with. */
  readonly searchText: string | null;
  /** The caller's cancellation. */
  readonly signal: AbortSignal;
}

/**
 * Why a catalog was left whole: it is small, there was nothing to search with, nothing was found,
 * or the index failed or was late. `shortlisted`: it was cut.
 */
export type ShortlistReason =
  | "shortlisted"
  | "small"
  | "no-search-text"
  | "no-match"
  | "error"
  | "timeout";

export interface ShortlistResult {
  /** True for the candidates that go to the judge, by position. */
  readonly isListed: readonly boolean[];
  readonly reason: ShortlistReason;
}

/**
 * Picks the candidates of a turn that go to the judge. Rejects only when the caller's signal
 * aborts.
 */
export type Shortlist = (request: ShortlistRequest) => Promise<ShortlistResult>;

/**
 * Creates a shortlist over the sessions of an index. It falls open: a search that fails, is late or
 * finds nothing leaves all candidates to the judge.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const shortlist = createShortlist({ sessions: createToolSessions({ index: createLexicalToolIndex() }) });
 * const { isListed } = await shortlist({ sessionId: "thread-1", candidates, searchText: "refund", signal });
 */
export function createShortlist(options: ShortlistOptions): Shortlist {
  const { sessions, size, over, timeoutMs } = parseOptions(
    optionsSchema,
    options,
    "createShortlist",
  );
  const keepAll = (candidates: readonly Candidate[], reason: ShortlistReason): ShortlistResult => ({
    isListed: candidates.map(() => true),
    reason,
  });
  return async ({ sessionId, candidates, searchText, signal }) => {
    signal.throwIfAborted();
    if (candidates.length <= over || candidates.length <= size) return keepAll(candidates, "small");
    if (searchText === null) return keepAll(candidates, "no-search-text");
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const request = { query: searchText, maxResults: size };
      const search = sessions.search(sessionId, candidates, request, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(backgroundMs)]),
      });
      const { matches } = await untilAborted(search, AbortSignal.any([signal, timeout]));
      if (matches.length === 0) return keepAll(candidates, "no-match");
      const names = new Set(matches.map(({ name }) => name));
      return { isListed: candidates.map(({ name }) => names.has(name)), reason: "shortlisted" };
    } catch {
      signal.throwIfAborted();
      return keepAll(candidates, timeout.aborted ? "timeout" : "error");
    }
  };
}
