/**
 * Vectors and sessions in a LangGraph `BaseStore`: embedded once, found by every process that
 * shares the store.
 */

import pMap from "p-map";
import * as z from "zod";
import { untilAborted } from "../../core/abort.js";
import { sha256Hex } from "../../core/fingerprint.js";
import { toJson } from "../../core/json.js";
import { read } from "../../core/read.js";
import { cutText } from "../../core/text.js";
import type { StoredSession, StoredTool, ToolStorage } from "./tool-storage.js";

/** The part of LangGraph's `BaseStore` that is used. */
export interface ToolStore {
  get(namespace: string[], key: string): Promise<{ readonly value: object } | null>;
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
  ): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
}

/** An option that is a LangGraph store. */
export const toolStoreOption: z.ZodCustom<ToolStore, ToolStore> = z.custom<ToolStore>(
  (value) => ["get", "put", "delete"].every((method) => typeof read(value, method) === "function"),
  "a LangGraph store (`get`, `put` and `delete`)",
);

const concurrency = 8;

/** Of a description a summary is needed. */
const maxDescriptionChars = 500;

/** Vectors as base64 of 32-bit floats, low byte first: a quarter of their size as decimal text. */
function writeVector(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) view.setFloat32(at * 4, value, true);
  let binary = "";
  for (let at = 0; at < view.byteLength; at += 1) binary += String.fromCharCode(view.getUint8(at));
  return btoa(binary);
}

/** `undefined` for anything but such a text. */
function readVector(text: unknown): Float32Array | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    if (bytes.length % 4 !== 0) return undefined;
    const view = new DataView(bytes.buffer);
    const vector = Float32Array.from({ length: bytes.length / 4 }, (_, at) =>
      view.getFloat32(at * 4, true),
    );
    return vector.every(Number.isFinite) ? vector : undefined;
  } catch {
    return undefined;
  }
}

const storedToolSchema = z.object({
  key: z.string(),
  tool: z.object({
    name: z.string().min(1),
    description: z.string().optional().catch(undefined),
    group: z.string().optional().catch(undefined),
    metadata: z.record(z.string(), z.unknown()).optional().catch(undefined),
  }),
});
const headSchema = z.object({ revision: z.string() });
const bodySchema = z.object({ tools: z.string() });
const toolListSchema = z.array(storedToolSchema);

/** What a search needs of a tool; its schema has done its work when the vector is there. */
function toStored({ key, tool }: StoredTool): object {
  const { name, group } = tool;
  const description = cutText(tool.description ?? "", maxDescriptionChars);
  const metadata: unknown =
    tool.metadata === undefined ? undefined : parseJson(toJson(tool.metadata) ?? "{}");
  return { key, tool: { name, description, group, metadata } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tools as one JSON text within the JSON of the item: a database refuses NUL characters and half
 * surrogate pairs, and here both are spelt in plain letters.
 */
function writeTools(tools: readonly StoredTool[]): string {
  return JSON.stringify(tools.map(toStored));
}

/** `undefined` for anything but such a text. */
function readStoredTools(value: unknown): readonly StoredTool[] | undefined {
  const body = bodySchema.safeParse(value);
  const tools = toolListSchema.safeParse(body.success ? parseJson(body.data.tools) : undefined);
  return tools.success ? tools.data : undefined;
}

/**
 * Creates a storage in a store.
 *
 * Items carry `index: false`, so that a store with a vector index of its own does not embed them
 * again. Labels of namespaces are hashes or fixed words: some stores match them by prefix or forbid
 * characters. A session is written before the item that points to it, so that a reader sees the old
 * tools or the new ones, never a part.
 *
 * @param readModel names the embedding model: vectors of two models are never mixed.
 */
export function createStoreStorage(
  store: ToolStore,
  readModel: () => Promise<string>,
): ToolStorage {
  let label: Promise<string> | undefined;
  /** The first call stands alone: some stores create their tables with it, and fail on two at once. */
  const openStore = async (): Promise<string> => {
    const name = sha256Hex(await readModel()).slice(0, 32);
    await store.get(["toolsieve", "sessions", name], "first call");
    return name;
  };
  const openSpace = async (kind: "vectors" | "sessions"): Promise<string[]> => {
    label ??= openStore().catch((error: unknown) => {
      label = undefined;
      throw error;
    });
    return ["toolsieve", kind, await label];
  };
  const headKey = (sessionId: string): string => sha256Hex(sessionId);
  const bodyKey = (sessionId: string, revision: string): string =>
    sha256Hex(`${sha256Hex(sessionId)}:${revision}`);

  async function readItem(
    kind: "vectors" | "sessions",
    key: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    const item = await untilAborted(store.get(await openSpace(kind), key), signal);
    return read(item, "value");
  }

  async function writeItem(
    kind: "vectors" | "sessions",
    key: string,
    value: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    await untilAborted(store.put(await openSpace(kind), key, value, false), signal);
  }

  async function readRevision(sessionId: string, signal: AbortSignal): Promise<string | undefined> {
    const head = headSchema.safeParse(await readItem("sessions", headKey(sessionId), signal));
    return head.success ? head.data.revision : undefined;
  }

  return {
    async loadVectors(keys, signal) {
      const load = async (key: string): Promise<readonly [string, Float32Array | undefined]> => [
        key,
        readVector(read(await readItem("vectors", key, signal), "vector")),
      ];
      const found = new Map<string, Float32Array>();
      for (const [key, vector] of await pMap(keys, load, { concurrency })) {
        if (vector !== undefined) found.set(key, vector);
      }
      return found;
    },
    async saveVectors(vectors, signal) {
      const save = ([key, vector]: readonly [string, Float32Array]): Promise<void> =>
        writeItem("vectors", key, { vector: writeVector(vector) }, signal);
      await pMap(vectors, save, { concurrency });
    },
    async loadSession(sessionId, known, signal) {
      const revision = await readRevision(sessionId, signal);
      if (revision === undefined || revision === known?.revision) {
        return revision === undefined ? undefined : known;
      }
      const item = await readItem("sessions", bodyKey(sessionId, revision), signal);
      const tools = readStoredTools(item);
      return tools === undefined ? undefined : { revision, tools };
    },
    async saveSession(sessionId, { revision, tools }: StoredSession, signal) {
      const before = await readRevision(sessionId, signal);
      if (before === revision) return;
      const body = { tools: writeTools(tools) };
      await writeItem("sessions", bodyKey(sessionId, revision), body, signal);
      await writeItem("sessions", headKey(sessionId), { revision }, signal);
      if (before !== undefined)
        await store.delete(await openSpace("sessions"), bodyKey(sessionId, before));
    },
    async clearSession(sessionId) {
      const revision = await readRevision(sessionId, new AbortController().signal);
      if (revision === undefined) return;
      await store.delete(await openSpace("sessions"), headKey(sessionId));
      await store.delete(await openSpace("sessions"), bodyKey(sessionId, revision));
    },
  };
}
