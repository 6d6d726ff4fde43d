/**
 * One index for many sessions: tools are indexed when they change, one writer per session, and
 * sessions are evicted.
 */

import * as z from "zod";
import { catalogFingerprint } from "../../core/fingerprint.js";
import { untilAborted } from "../../core/abort.js";
import { parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type {
  EvictionStrategy,
  ToolDescription,
  ToolIndex,
  ToolSearchRequest,
  ToolSearchResult,
} from "../../core/types.js";
import { copyTools, isToolIndex } from "../tool-index.js";
import { lruEviction } from "./eviction.js";
import { createSessionLock, type SessionLock } from "./session-lock.js";

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A search over the tools of a session, whatever was indexed for it before. */
export interface ToolSessions {
  /** Indexes the tools if they have changed since the session's last search, then searches them. */
  search(
    sessionId: string,
    tools: readonly ToolDescription[],
    request: Omit<ToolSearchRequest, "sessionId">,
    options?: CallOptions,
  ): Promise<ToolSearchResult>;
  /** Clears a session. */
  evict(sessionId: string): Promise<void>;
  /** Sessions that are indexed now. */
  readonly size: number;
}

const optionsSchema = z.strictObject({
  index: z.custom<ToolIndex>(isToolIndex, "a tool index"),
  eviction: z
    .custom<EvictionStrategy>(
      (value) =>
        typeof read(value, "onAccess") === "function" &&
        typeof read(value, "onRemoved") === "function",
      "an eviction strategy",
    )
    .default(() => lruEviction(1000)),
});

export interface ToolSessionsOptions {
  readonly index: ToolIndex;
  /** Which sessions are cleared, and when. @default lruEviction(1000) */
  readonly eviction?: EvictionStrategy | undefined;
}

interface Session {
  readonly lock: SessionLock;
  /** Searches and removals under way. */
  users: number;
  /** Of the catalog that the index holds; `null`: none, or one that failed under way. */
  fingerprint: string | null;
}

interface Catalog {
  readonly tools: readonly ToolDescription[];
  readonly fingerprint: string;
}

const never = new AbortController().signal;

/** Only matches that the catalog holds: another process may have indexed more. */
function keepKnown(result: ToolSearchResult, tools: readonly ToolDescription[]): ToolSearchResult {
  const names = new Set(tools.map(({ name }) => name));
  const matches = result.matches.filter(({ name }) => names.has(name));
  const skipped = result.matches.length - matches.length;
  return skipped === 0 ? result : { ...result, matches, total: result.total - skipped };
}

/**
 * Creates the sessions of an index.
 *
 * On a search, in this order: the eviction strategy says which sessions to clear, and is told of
 * each that was; the catalog's fingerprint (names, descriptions, schemas, groups, metadata) is
 * compared with that of what the index holds; if it differs, the session is cleared and indexed
 * anew, which is no removal; then it is searched. Searches of a session run beside each other;
 * indexing it waits for them, and they for it. A session in use is cleared when its searches have
 * ended, and no one waits for that. If indexing fails, the search rejects, the session holds
 * nothing, and the next search tries again.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const sessions = createToolSessions({ index: createLexicalToolIndex(), eviction: lruEviction(500) });
 * const { matches } = await sessions.search("user-7", tools, { query: "refund an order", maxResults: 20 });
 */
export function createToolSessions(options: ToolSessionsOptions): ToolSessions {
  const { index, eviction } = parseOptions(optionsSchema, options, "createToolSessions");
  const sessions = new Map<string, Session>();
  /**
   * Sessions that the strategy was told are gone, while a search may fill them again: one that
   * cleared itself on its own access, or that was evicted in use. They are cleared on the next
   * access of another session.
   */
  const untracked = new Set<string>();

  /**
   * Runs with the session of an id; one that holds nothing is forgotten when its last user leaves.
   */
  async function use<T>(sessionId: string, work: (session: Session) => Promise<T>): Promise<T> {
    const session = sessions.get(sessionId) ?? {
      lock: createSessionLock(),
      users: 0,
      fingerprint: null,
    };
    sessions.set(sessionId, session);
    session.users += 1;
    try {
      return await work(session);
    } finally {
      session.users -= 1;
      if (session.users === 0 && session.fingerprint === null) sessions.delete(sessionId);
    }
  }

  async function evict(sessionId: string): Promise<void> {
    untracked.delete(sessionId);
    try {
      if (!sessions.has(sessionId)) return;
      await use(sessionId, ({ lock }) => lock.write(() => clear(sessionId), never));
    } finally {
      eviction.onRemoved(sessionId);
      if (sessions.has(sessionId)) untracked.add(sessionId);
    }
  }

  async function clear(sessionId: string): Promise<void> {
    const session = sessions.get(sessionId);
    if (session === undefined || session.fingerprint === null) return;
    session.fingerprint = null;
    await index.clear(sessionId);
  }

  /** Clears what the strategy wants cleared; a failure of another session's is not the caller's. */
  async function evictOnAccess(sessionId: string): Promise<void> {
    const wanted = new Set(eviction.onAccess(sessionId));
    untracked.delete(sessionId);
    const isOwn = wanted.has(sessionId);
    const others = [...wanted, ...untracked].filter((id) => id !== sessionId);
    const removals = [...new Set(others)].map((id) => {
      const isIdle = (sessions.get(id)?.users ?? 0) === 0;
      const removal = evict(id).catch(() => undefined);
      return isIdle ? removal : Promise.resolve();
    });
    await Promise.all(removals);
    if (isOwn) await evict(sessionId);
  }

  async function reindex(sessionId: string, catalog: Catalog, signal: AbortSignal): Promise<void> {
    const session = sessions.get(sessionId);
    if (session === undefined || session.fingerprint === catalog.fingerprint) return;
    await clear(sessionId);
    await index.indexTools(sessionId, catalog.tools, { signal });
    session.fingerprint = catalog.fingerprint;
  }

  return {
    get size() {
      return Array.from(sessions.values()).filter(({ fingerprint }) => fingerprint !== null).length;
    },
    evict,
    async search(sessionId, given, request, { signal = never } = {}) {
      signal.throwIfAborted();
      const tools = copyTools(given);
      const catalog = { tools, fingerprint: catalogFingerprint(tools) };
      const find = (): Promise<ToolSearchResult> =>
        index.search({ ...request, sessionId }, { signal });
      return use(sessionId, async (session) => {
        await untilAborted(evictOnAccess(sessionId), signal);
        const found = await session.lock.read(
          async () => (session.fingerprint === catalog.fingerprint ? find() : null),
          signal,
        );
        if (found !== null) return keepKnown(found, tools);
        const reindexAndFind = async (): Promise<ToolSearchResult> => {
          await reindex(sessionId, catalog, signal);
          return find();
        };
        return keepKnown(await session.lock.write(reindexAndFind, signal), tools);
      });
    },
  };
}
