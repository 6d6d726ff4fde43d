/**
 * The nouns of a selection, in the order in which data meets them: turn, candidate, judgment,
 * selection, record. Read this first.
 */

import type { SelectionRecord } from "./record.js";

/**
 * `off`: nothing is called or recorded. `shadow`: everything is recorded, nothing changes.
 * `enforce`: tools are hidden.
 */
export type Mode = "off" | "shadow" | "enforce";

/** A JSON Schema (draft 2020-12) of a tool's arguments, as a plain object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A tool as a judge sees it. */
export interface ToolDescription {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonSchema | undefined;
  /** Where the tool comes from: an MCP server, a toolkit. */
  readonly group?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool that may be hidden: it has a name, and nothing pins it. */
export type Candidate = ToolDescription;

/** A call that an assistant message makes. */
export interface NamedCall {
  readonly id?: string | undefined;
  readonly name: string;
}

/** One message of the conversation, reduced to the fields that a selection needs. */
export interface TurnMessage {
  /**
   * `system`, `user`, `assistant`, `tool`; other roles are treated as system text and never shown
   * to a judge.
   */
  readonly role: string;
  /** The text blocks of the message, joined with a newline; `""` if it has none. */
  readonly text: string;
  readonly id?: string | undefined;
  /** Calls that an assistant message makes. */
  readonly toolCalls?: readonly NamedCall[] | undefined;
  /** On a tool result: the tool that answered. */
  readonly toolName?: string | undefined;
}

/** Changes to the policy for one turn; an invalid one is ignored and warned about. */
export interface TurnOverrides {
  readonly mode?: Mode | undefined;
  readonly maxTools?: number | undefined;
  /** Added to the selector's own `alwaysInclude`. */
  readonly alwaysInclude?: readonly string[] | undefined;
}

/** A request that is about to be sent to the model. */
export interface Turn<T = unknown> {
  /** Oldest first. */
  readonly messages: readonly TurnMessage[];
  /** The caller's own tool objects; a selection is always a subsequence of them. */
  readonly tools: readonly T[];
  /**
   * Reads a tool; `null` pins it (never judged, never hidden).
   * @default understands OpenAI, Anthropic, MCP, Bedrock and LangChain shapes
   */
  readonly describe?: ((tool: T) => ToolDescription | null) | undefined;
  /** The tool choice of the request, in any provider's spelling. */
  readonly toolChoice?: unknown;
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
  /** User, tenant or job: the unit of evidence where threads of one are alike. */
  readonly groupId?: string | undefined;
  /** The caller's cancellation. */
  readonly signal?: AbortSignal | undefined;
  readonly overrides?: TurnOverrides | undefined;
  /**
   * `false` where an empty tool list is dangerous (structured-response strategies).
   * @default true
   */
  readonly emptyAllowed?: boolean | undefined;
  /**
   * The memory of the thread as the host's state holds it, `null` where that holds none yet.
   * Absent: the selector remembers threads by their id in this process.
   */
  readonly memory?: unknown;
  /**
   * For a host whose state can be read here and is written elsewhere: what this process begins with
   * where it knows nothing of the thread.
   */
  readonly savedMemory?: unknown;
  /** The API of OpenAI that the model at hand is called with, where that takes `allowed_tools`. */
  readonly allowedToolsApi?: "chat" | "responses" | undefined;
  /**
   * Runs the judge calls of this turn in a scope of the host, such as a tagged trace. Must return
   * what `judge` returns.
   */
  readonly judgeScope?: (<R>(judge: () => Promise<R>) => Promise<R>) | undefined;
}

/** The conversation as a judge sees it: redacted, bounded, without the system prompt. */
export interface JudgeContext {
  /** The user's current request. */
  readonly request: string;
  /** Oldest first; includes the current request where it falls into the window. */
  readonly messages: readonly JudgeMessage[];
}

export interface JudgeMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** One batch: all candidates are judged against one context. */
export interface JudgeRequest {
  readonly context: JudgeContext;
  readonly candidates: readonly ToolDescription[];
}

export interface JudgeOptions {
  /** Fires when the caller cancels or our budget ends (`reason` is then a `JudgeTimeoutError`). */
  readonly signal: AbortSignal;
  /** When the budget ends, in epoch milliseconds. */
  readonly deadline?: number | undefined;
}

/** Tokens that a judge used, as its provider reported them. */
export interface JudgeUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens?: number | undefined;
}

export interface JudgeResponse {
  /**
   * In candidate order, each in [0, 1]; `null`: the judge cannot tell; `undefined`: no valid answer
   * for this one.
   */
  readonly probabilities: readonly (number | null | undefined)[];
  /** The model that answered. */
  readonly model?: string | undefined;
  readonly requestId?: string | undefined;
  /** Absent: unknown. A judge that costs nothing reports zeros. */
  readonly usage?: JudgeUsage | undefined;
  /**
   * HTTP requests made, retries included.
   * @default 1
   */
  readonly requests?: number | undefined;
  /** @default 0 */
  readonly retries?: number | undefined;
  /** The answer came from a cache. */
  readonly cached?: boolean | undefined;
  /**
   * Why `undefined` answers are missing, where the judge knows: it refused single questions, or a
   * part of it failed.
   */
  readonly missing?: "refused" | "malformed" | "error" | undefined;
}

/**
 * Gives for each candidate the probability that carrying out the request involves it. Applies no
 * threshold.
 */
export interface Judge {
  /** Stable and specific: `jev:jev-1.13.0`. Part of the policy fingerprint and of every record. */
  readonly id: string;
  judge(request: JudgeRequest, options: JudgeOptions): Promise<JudgeResponse>;
  /** A hard limit of the backend on candidates per call, if it has one. */
  readonly batchSize?: number | undefined;
  /**
   * `catalog`: an answer depends on the other tools, so all candidates come in one request.
   *
   * @default "tool"
   */
  readonly scope?: "tool" | "catalog" | undefined;
  /** A ranking judge's own cap on the tools that are offered. */
  readonly maxTools?: number | undefined;
  /** Where its probabilities live on another scale than 0.8 and 0.2. */
  readonly thresholds?: { readonly confidence: number; readonly rejection: number } | undefined;
  /** Computes ahead and keeps per-tool data, such as vectors. */
  readonly prepare?:
    | ((
        candidates: readonly ToolDescription[],
        options: { readonly signal: AbortSignal },
      ) => Promise<void>)
    | undefined;
}

/** The shortest judge: probabilities in candidate order, `null` where it cannot tell. */
export type JudgeFunction = (
  request: JudgeRequest,
  options: JudgeOptions,
) => Promise<readonly (number | null)[]> | readonly (number | null)[];

/**
 * The meaning of one answer under the thresholds.
 *
 * - `applicable`: p ≥ confidenceThreshold
 * - `not-applicable`: p ≤ rejectionThreshold
 * - `uncertain`: between the two
 * - `abstained`: the judge said that it cannot tell
 * - `unjudged`: no valid answer (error, timeout, refusal, malformed)
 * - `not-awaited`: we stopped waiting, because the answer could change nothing
 */
export type Verdict =
  | "applicable"
  | "not-applicable"
  | "uncertain"
  | "abstained"
  | "unjudged"
  | "not-awaited";

/** The answer for one candidate. */
export interface Judgment {
  readonly probability: number | null;
  readonly verdict: Verdict;
}

/** Why a tool is never judged and never hidden. */
export type PinReason =
  | "always-include"
  | "provider-tool"
  | "tool-choice"
  | "history"
  | "no-description"
  | "revealed";

/**
 * Why a tool was kept or hidden: its verdict, its pin, or one of these.
 *
 * - `over-cap`: cut by `maxTools`
 * - `fallback`: the full catalog was restored; `fallback-cap`: hidden because a fallback is bounded
 *   by `fallbackMaxTools`
 * - `skipped`: the turn judged nothing
 * - `sticky`: visible earlier in the run or thread
 * - `revealed`: found through `find_tools`
 * - `kept-together`: a tool that needs it was kept
 * - `not-shortlisted`: hidden before the judge was asked
 */
export type ToolReason =
  | Verdict
  | PinReason
  | "over-cap"
  | "fallback"
  | "fallback-cap"
  | "skipped"
  | "sticky"
  | "kept-together"
  | "not-shortlisted";

export interface ToolOutcome {
  /** `null` for provider tools without a name. */
  readonly name: string | null;
  readonly probability: number | null;
  readonly verdict: Verdict | null;
  readonly kept: boolean;
  readonly reason: ToolReason;
}

export type SelectionStatus = "decided" | "uncertain" | "failed" | "skipped" | "cancelled";

export type SelectionReason =
  | "selected"
  | "none-applicable"
  | "uncertain"
  | "abstained"
  | "unjudged"
  | "timeout"
  | "judge-error"
  | "refused"
  | "empty-not-allowed"
  | "mode-off"
  | "no-candidates"
  | "no-user-text"
  | "tool-choice-none"
  | "too-few-candidates"
  | "not-sampled"
  | "cancelled";

/** The outcome of a turn. */
export interface Selection<T = unknown> {
  /**
   * The tools to offer now, with the mode applied; the caller's own array where nothing changes.
   */
  readonly tools: readonly T[];
  /** The tools that enforce would offer. */
  readonly suggested: readonly T[];
  readonly status: SelectionStatus;
  /** The full catalog was restored. */
  readonly fallback: boolean;
  readonly reason: SelectionReason;
  /** The mode of this turn was enforce, fallback or not. */
  readonly enforced: boolean;
  /** In catalog order. */
  readonly outcomes: readonly ToolOutcome[];
  /** The finder to offer beside `tools`; `null` where `findTools` is off or nothing is hidden. */
  readonly finder: ToolDescription | null;
  /**
   * With `enforcement: "allowed-tools"`: `tools` is the whole catalog, and this tool choice says
   * which may be called.
   */
  readonly toolChoice?: unknown;
  /** As it would be written, with `outcome: null`. */
  readonly record: SelectionRecord;
}

/** Token usage of the agent's own model, as it reported it. */
export interface ModelUsage {
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

/** The calls and the usage of one model step. */
export interface ModelOutcome {
  /** Names of the tools that it called, in order. */
  readonly called: readonly string[];
  readonly usage?: ModelUsage | undefined;
  readonly model?: string | undefined;
}

/** A condition on the metadata of a tool: a plain JSON object, so that it travels. */
export type MetadataFilter =
  | { readonly op: "eq"; readonly key: string; readonly value: unknown }
  | { readonly op: "in"; readonly key: string; readonly values: readonly unknown[] }
  | { readonly op: "and" | "or"; readonly filters: readonly MetadataFilter[] }
  | { readonly op: "not"; readonly filter: MetadataFilter };

export interface ToolSearchRequest {
  readonly sessionId: string;
  readonly query: string;
  /** A positive integer. */
  readonly maxResults?: number | undefined;
  readonly filter?: MetadataFilter | undefined;
  /** Only tools of this group. */
  readonly group?: string | undefined;
}

export interface ToolMatch {
  readonly name: string;
  /** In [0, 1]; comparable within one index only. */
  readonly score: number;
  readonly summary?: string | undefined;
  readonly group?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolSearchResult {
  /** The best first. */
  readonly matches: readonly ToolMatch[];
  /** Matches before `maxResults`. */
  readonly total: number;
  /** Probability that any tool serves the request, where the index judges that; in [0, 1]. */
  readonly applicable?: number | undefined;
  /** Why a search found nothing. */
  readonly note?: "stop-words-only" | "filter-matches-nothing" | undefined;
}

/**
 * A per-session search over a catalog. An unknown or empty session answers empty, without a call.
 */
export interface ToolIndex {
  readonly kind: "tool-index";
  /**
   * Adds tools to a session; entries of the same name are replaced, and of duplicates the last
   * wins.
   */
  indexTools(
    sessionId: string,
    tools: readonly ToolDescription[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<void>;
  indexTool(
    sessionId: string,
    tool: ToolDescription,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<void>;
  search(
    request: ToolSearchRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolSearchResult>;
  clear(sessionId: string): Promise<void>;
  inspect?(
    sessionId: string,
    page?: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  ): Promise<{ readonly total: number; readonly tools: readonly ToolMatch[] }>;
}

/** Which sessions' indexes are cleared, and when. */
export interface EvictionStrategy {
  /** Sessions to clear now, before the catalog's fingerprint is compared. */
  onAccess(sessionId: string): Iterable<string>;
  /** After a session was cleared, for whatever reason. */
  onRemoved(sessionId: string): void;
}

/** What is remembered of a tool across turns: its name and the fingerprint of its definition. */
export interface RememberedTool {
  readonly name: string;
  /** A tool that was redescribed since has another one, and is forgotten. */
  readonly fingerprint: string;
}

/** The judgment of a tool that later steps of a run use again; `null`: the judge could not tell. */
export interface RememberedJudgment extends RememberedTool {
  readonly probability: number | null;
}

/**
 * What a thread remembers across turns: plain JSON, bounded, versioned. One memory serves sticky
 * selection, revealed tools, re-used judgments, the guard and the loop guard of the finder.
 */
export interface ThreadMemory {
  readonly v: 1;
  /** Tools that were visible, oldest first. */
  readonly sticky: readonly RememberedTool[];
  /** Hidden tools that the model found, visible from then on; oldest first. */
  readonly revealed: readonly RememberedTool[];
  /** Tools called earlier in the thread, oldest first. */
  readonly called: readonly string[];
  /** Fingerprint of the catalog of the last model step. */
  readonly catalog: string | null;
  /** Names hidden at the last model step, for the finder and the guard. */
  readonly hidden: readonly string[];
  /** What happened since the last model step, for its record. */
  readonly events: MemoryEvents;
  /**
   * Searches, as JSON, that a process without the catalog could not answer: they are answered at the
   * next model step.
   */
  readonly pending: readonly string[];
  /** What belongs to the current user message; forgotten at the next one. */
  readonly run: RunMemory | null;
}

/** What happened in a thread between two model steps. */
export interface MemoryEvents {
  /** Calls of the finder. */
  readonly searches: number;
  /** Tools that they revealed. */
  readonly found: number;
  /** Names of the tools whose calls the guard stopped. */
  readonly stopped: readonly string[];
}

/** What is remembered within one run: the answer to one user message. */
export interface RunMemory {
  /** Id of the last user message, or its ordinal and a digest of its text. */
  readonly request: string;
  /** Names of tools that became visible in this run, and are sticky since. */
  readonly shown: readonly string[];
  /** The judgments that are re-used by later steps. */
  readonly judged: readonly RememberedJudgment[];
  /** Digests of searches already answered, with how often. */
  readonly searches: readonly { readonly digest: string; readonly count: number }[];
}

/**
 * What one step changes in the memory of its thread. Steps that run at the same time each say their
 * own change; these are applied one after the other, so that none undoes another.
 */
export interface MemoryChange {
  /** The run that the change belongs to; another one than the memory's begins a new run. */
  readonly request?: string | undefined;
  /** Tools that were redescribed or removed, as they were remembered: they leave every list. */
  readonly forget?: readonly RememberedTool[] | undefined;
  /** Names that leave `sticky`. */
  readonly unstick?: readonly string[] | undefined;
  readonly stick?: readonly RememberedTool[] | undefined;
  readonly reveal?: readonly RememberedTool[] | undefined;
  readonly called?: readonly string[] | undefined;
  readonly catalog?: string | undefined;
  readonly hidden?: readonly string[] | undefined;
  readonly judged?: readonly RememberedJudgment[] | undefined;
  /** A call of the finder: the digest of the search, `null` if it was not valid. */
  readonly searched?: string | null | undefined;
  /** A search, as JSON, that waits for the next model step. */
  readonly pending?: string | undefined;
  /** The name of a tool whose call the guard stopped. */
  readonly stopped?: string | undefined;
  /** The events so far are in a record: counting begins anew. */
  readonly recorded?: boolean | undefined;
}

/** Where records go. A sink that throws or stalls never affects a turn. */
export interface Sink {
  write(record: SelectionRecord): void | Promise<void>;
  flush?(): Promise<void>;
  close?(): Promise<void>;
}

/** Receives warnings; `console` fits. Never receives conversation text. */
export interface Logger {
  warn(message: string): void;
  debug?(message: string): void;
}
