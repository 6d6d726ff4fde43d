/**
 * A tool index that asks a model: which tool is it, and does any of them serve the request at all.
 */

import * as z from "zod";
import type { DecisionBackend } from "../../core/decision-backend.js";
import { integerFrom, numberBetween, parseOptions } from "../../core/parse-options.js";
import { cutText } from "../../core/text.js";
import type {
  ToolDescription,
  ToolIndex,
  ToolSearchRequest,
  ToolSearchResult,
} from "../../core/types.js";
import { JudgeTimeoutError } from "../../errors.js";
import { isWanted } from "../metadata-filter.js";
import {
  copyTools,
  emptyResult,
  inspectTools,
  isToolIndex,
  mergeTools,
  parseSearchRequest,
  toToolMatch,
} from "../tool-index.js";
import { decideTools, type DecideOptions, type RankedDecision } from "./decide-tools.js";

const optionsSchema = z.strictObject({
  applicabilityThreshold: numberBetween(0, 1).default(0.5),
  minimumRelevance: numberBetween(0, 1).default(0),
  shortlistedBy: z.custom<ToolIndex>(isToolIndex, "a tool index").optional(),
  topK: integerFrom(1).default(20),
  timeoutMs: integerFrom(1).default(10_000),
});

/** Options of a judged tool index, whatever it asks. */
export interface JudgedToolIndexOptions {
  /**
   * Below this probability that any tool serves the request the answer is empty; from 0 to 1.
   * @default 0.5
   */
  readonly applicabilityThreshold?: number | undefined;
  /** Tools with a smaller share of the choice are left out; from 0 to 1. @default 0 */
  readonly minimumRelevance?: number | undefined;
  /**
   * Searched first where there are more tools than one request takes.
   * @default rounds and a final
   */
  readonly shortlistedBy?: ToolIndex | undefined;
  /** Matches of a search that does not say `maxResults`, from 1. @default 20 */
  readonly topK?: number | undefined;
  /** How long a search may take, retries included. @default 10000 */
  readonly timeoutMs?: number | undefined;
}

/** Tells the options of the index from those of what it asks. */
export function splitIndexOptions<O extends JudgedToolIndexOptions>(
  options: O,
): {
  readonly index: JudgedToolIndexOptions;
  readonly backend: Omit<O, keyof JudgedToolIndexOptions>;
} {
  const { applicabilityThreshold, minimumRelevance, shortlistedBy, topK, timeoutMs, ...backend } =
    options;
  const index = { applicabilityThreshold, minimumRelevance, shortlistedBy, topK, timeoutMs };
  return { index, backend };
}

type Settings = z.output<typeof optionsSchema>;

const never = new AbortController().signal;
/** More of a query is not asked. */
const maxQueryChars = 8000;

/** Runs with a signal that also fires when the time is over; the timer ends with the work. */
async function withBudget<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (budget: Pick<DecideOptions, "signal" | "deadline">) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new JudgeTimeoutError(timeoutMs)), timeoutMs);
  try {
    const deadline = Date.now() + timeoutMs;
    return await work({ signal: AbortSignal.any([signal, timeout.signal]), deadline });
  } finally {
    clearTimeout(timer);
  }
}

function toResult(
  { applicable, ranked }: RankedDecision,
  request: ToolSearchRequest,
  { applicabilityThreshold, minimumRelevance, topK }: Settings,
): ToolSearchResult {
  if (applicable < applicabilityThreshold) return { ...emptyResult, applicable };
  const relevant = ranked.filter(({ share }) => share >= minimumRelevance);
  const matches = relevant
    .slice(0, request.maxResults ?? topK)
    .map(({ tool, share }) => toToolMatch(tool, share));
  return { matches, total: relevant.length, applicable };
}

/**
 * Creates a tool index over a backend that decides.
 *
 * A search is one request with two questions: which tool it is, and, independently, whether any of
 * them serves the request. A choice sums to one, so it alone can never say no: below
 * `applicabilityThreshold` the answer is empty, with `applicable` told. Scores are shares of the
 * choice; a session with one tool asks the second question alone. Group and filter narrow the tools
 * before anything is asked. More tools than a request takes are cut by `shortlistedBy`, or else
 * meet in rounds and a final.
 *
 * @throws {InvalidOptionsError} at construction.
 */
export function createJudgedToolIndex(
  backend: DecisionBackend,
  options: JudgedToolIndexOptions,
): ToolIndex {
  const settings = parseOptions(optionsSchema, options, "judgedToolIndex");
  const { shortlistedBy, applicabilityThreshold, timeoutMs } = settings;
  const sessions = new Map<string, ReadonlyMap<string, ToolDescription>>();

  /** The tools that are worth asking about; all of them if the other index fails. */
  async function shortlist(
    tools: readonly ToolDescription[],
    request: ToolSearchRequest,
    signal: AbortSignal,
  ): Promise<readonly ToolDescription[]> {
    if (shortlistedBy === undefined || backend.split(tools).length === 1) return tools;
    try {
      const wider = { ...request, maxResults: backend.maxTools };
      const { matches } = await shortlistedBy.search(wider, { signal });
      const names = new Set(matches.map(({ name }) => name));
      return tools.filter(({ name }) => names.has(name));
    } catch {
      signal.throwIfAborted();
      return tools;
    }
  }

  async function searchTools(
    tools: readonly ToolDescription[],
    request: ToolSearchRequest,
    signal: AbortSignal,
  ): Promise<ToolSearchResult> {
    return withBudget(timeoutMs, signal, async (budget) => {
      const listed = await shortlist(tools, request, budget.signal);
      if (listed.length === 0) return emptyResult;
      const query = cutText(request.query, maxQueryChars);
      const decision = await decideTools(query, listed, {
        backend,
        applicabilityThreshold,
        ...budget,
      });
      return toResult(decision, request, settings);
    });
  }

  const index: ToolIndex = {
    kind: "tool-index",
    async indexTools(sessionId, tools, { signal = never } = {}) {
      signal.throwIfAborted();
      const added = copyTools(tools);
      await shortlistedBy?.indexTools(sessionId, added, { signal });
      sessions.set(sessionId, mergeTools(sessions.get(sessionId), added));
    },
    indexTool: (sessionId, tool, options) => index.indexTools(sessionId, [tool], options),
    async search(given, { signal = never } = {}) {
      signal.throwIfAborted();
      const request = parseSearchRequest(given);
      const all = [...(sessions.get(request.sessionId)?.values() ?? [])];
      if (all.length === 0) return emptyResult;
      const wanted = all.filter((tool) => isWanted(tool, request));
      if (wanted.length === 0) return { ...emptyResult, note: "filter-matches-nothing" };
      if (request.query.trim() === "") return emptyResult;
      return searchTools(wanted, request, signal);
    },
    async clear(sessionId) {
      sessions.delete(sessionId);
      await shortlistedBy?.clear(sessionId);
    },
    inspect: async (sessionId, page) => inspectTools(sessions.get(sessionId), page),
  };
  return index;
}
