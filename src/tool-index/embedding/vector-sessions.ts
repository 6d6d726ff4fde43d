/** The sessions of an embedding index: tools with their vectors, as the storage has them now. */

import { listFingerprint } from "../../core/fingerprint.js";
import { canonicalJson } from "../../core/json.js";
import { checkLengths } from "./embed-texts.js";
import type { StoredSession, StoredTool, ToolStorage } from "./tool-storage.js";
import type { VectorSource } from "./vector-source.js";

export interface VectorSession extends StoredSession {
  /** In the order of the tools. */
  readonly vectors: readonly Float32Array[];
}

export interface AddedTools {
  readonly tools: readonly StoredTool[];
  /** Their vectors, by key. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  readonly signal: AbortSignal;
}

export interface VectorSessions {
  /** `undefined` for a session that holds nothing, or of which a vector is gone. */
  open(sessionId: string, signal: AbortSignal): Promise<VectorSession | undefined>;
  /** Adds tools to a session, as a whole or not at all. */
  add(sessionId: string, added: AddedTools): Promise<void>;
  clear(sessionId: string): Promise<void>;
}

/** Identifies the tools of a session, with their vectors. */
function nameRevision(tools: readonly StoredTool[]): string {
  return listFingerprint(
    tools.map(({ key, tool: { name, description, group, metadata } }) =>
      canonicalJson([key, name, description, group, metadata]),
    ),
  );
}

/** The vectors of tools in their order; `undefined` if one is missing. */
function lineUp(
  tools: readonly StoredTool[],
  vectors: ReadonlyMap<string, Float32Array>,
): readonly Float32Array[] | undefined {
  const found = tools.flatMap(({ key }) => vectors.get(key) ?? []);
  return found.length === tools.length ? found : undefined;
}

function mergeAdded(before: VectorSession | undefined, added: AddedTools): VectorSession {
  const stored = [...(before?.tools ?? []), ...added.tools];
  const tools = [...new Map(stored.map((one) => [one.tool.name, one])).values()];
  const old = before?.tools.map(({ key }, at) => [key, before.vectors[at]] as const) ?? [];
  const byKey = new Map([...old, ...added.vectors]) as Map<string, Float32Array>;
  const vectors = lineUp(tools, byKey) ?? [];
  checkLengths(vectors);
  return { revision: nameRevision(tools), tools, vectors };
}

/** Creates the sessions of an index. Writes of one session come one after the other. */
export function createVectorSessions(storage: ToolStorage, source: VectorSource): VectorSessions {
  /** What this process has loaded; the storage says whether it is still current. */
  const loaded = new Map<string, VectorSession>();
  const lastWrites = new Map<string, Promise<void>>();

  async function load(
    sessionId: string,
    stored: StoredSession,
    signal: AbortSignal,
  ): Promise<VectorSession | undefined> {
    const keys = [...new Set(stored.tools.map(({ key }) => key))];
    const vectors = lineUp(stored.tools, await source.load(keys, signal));
    // A vector that has expired in the store leaves the session incomplete: it must be indexed
    // again.
    if (vectors === undefined) return undefined;
    const session = { ...stored, vectors };
    loaded.set(sessionId, session);
    return session;
  }

  async function open(sessionId: string, signal: AbortSignal): Promise<VectorSession | undefined> {
    const known = loaded.get(sessionId);
    const stored = await storage.loadSession(sessionId, known, signal);
    if (stored === undefined) loaded.delete(sessionId);
    if (stored === undefined) return undefined;
    return stored.revision === known?.revision ? known : load(sessionId, stored, signal);
  }

  /** Runs behind the write of the session that is under way. */
  async function writeInTurn(sessionId: string, write: () => Promise<void>): Promise<void> {
    const turn = (lastWrites.get(sessionId) ?? Promise.resolve()).then(write, write);
    lastWrites.set(sessionId, turn);
    try {
      await turn;
    } finally {
      if (lastWrites.get(sessionId) === turn) lastWrites.delete(sessionId);
    }
  }

  return {
    open,
    add: (sessionId, added) =>
      writeInTurn(sessionId, async () => {
        const session = mergeAdded(await open(sessionId, added.signal), added);
        await storage.saveSession(sessionId, session, added.signal);
        loaded.set(sessionId, session);
      }),
    clear: (sessionId) =>
      writeInTurn(sessionId, async () => {
        await storage.clearSession(sessionId);
        loaded.delete(sessionId);
      }),
  };
}
