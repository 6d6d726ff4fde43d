/**
 * Where vectors and the tools of sessions are kept: in this process, or in a LangGraph store that
 * processes share.
 */

import type { ToolDescription } from "../../core/types.js";

/** A tool of a session; its vector is found by the key. */
export interface StoredTool {
  readonly tool: ToolDescription;
  readonly key: string;
}

/** The tools of a session at one time. */
export interface StoredSession {
  /** Changes whenever the tools do. */
  readonly revision: string;
  readonly tools: readonly StoredTool[];
}

/** Keeps vectors by the hash of the text they stand for, and sessions by id. */
export interface ToolStorage {
  /** The vectors that are there, by key. */
  loadVectors(
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Float32Array>>;
  saveVectors(vectors: ReadonlyMap<string, Float32Array>, signal: AbortSignal): Promise<void>;
  /** The session; `known` itself if its revision is the current one. */
  loadSession(
    sessionId: string,
    known: StoredSession | undefined,
    signal: AbortSignal,
  ): Promise<StoredSession | undefined>;
  /** Replaces the session as a whole. */
  saveSession(sessionId: string, session: StoredSession, signal: AbortSignal): Promise<void>;
  clearSession(sessionId: string): Promise<void>;
}

/** A storage that keeps nothing but the sessions: this process alone holds them. */
export function createMemoryStorage(): ToolStorage {
  const sessions = new Map<string, StoredSession>();
  return {
    loadVectors: async () => new Map(),
    saveVectors: async () => undefined,
    loadSession: async (sessionId) => sessions.get(sessionId),
    async saveSession(sessionId, session) {
      sessions.set(sessionId, session);
    },
    async clearSession(sessionId) {
      sessions.delete(sessionId);
    },
  };
}
