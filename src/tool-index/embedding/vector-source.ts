/**
 * Finds the vectors of texts: in this process, in the storage, and from the model only what neither
 * has.
 */

import { LRUCache } from "lru-cache";
import { onAbort, untilAborted } from "../../core/abort.js";
import { sha256Hex } from "../../core/fingerprint.js";
import { embedTexts, toUnitVector, type EmbeddingSettings } from "./embed-texts.js";
import type { ToolDocument } from "./tool-document.js";
import type { ToolStorage } from "./tool-storage.js";

type Vectors = ReadonlyMap<string, Float32Array>;

/** Embedding under way, for one or several who wait for it. */
interface Job {
  readonly result: Promise<Vectors>;
  /** Waits for the result; the last one who stops waiting stops the job. */
  join(signal: AbortSignal): Promise<Vectors>;
}

function startJob(run: (signal: AbortSignal) => Promise<Vectors>): Job {
  const controller = new AbortController();
  const result = run(controller.signal);
  result.catch(() => undefined);
  let waiters = 0;
  return {
    result,
    async join(signal) {
      waiters += 1;
      const stop = onAbort(signal, () => {
        waiters -= 1;
        if (waiters === 0) controller.abort(signal.reason);
      });
      try {
        return await untilAborted(result, signal);
      } finally {
        stop();
      }
    },
  };
}

export interface VectorSource {
  /**
   * The vectors of texts, by key.
   *
   * @param texts by the SHA-256 of each.
   */
  find(texts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Vectors>;
  /** The vectors of keys, as far as they are there; nothing is embedded. */
  load(keys: readonly string[], signal: AbortSignal): Promise<Vectors>;
}

/** Vectors that the sessions of this process share. */
const maxVectors = 20_000;

/** Creates a source. A text is embedded once, also if several ask for it at one time. */
export function createVectorSource(
  settings: EmbeddingSettings,
  storage: ToolStorage,
  documents: readonly Pick<ToolDocument, "content" | "vector">[],
): VectorSource {
  const known = new LRUCache<string, Float32Array>({ max: maxVectors });
  const jobs = new Map<string, Job>();
  for (const { content, vector } of documents) known.set(sha256Hex(content), toUnitVector(vector));

  async function load(keys: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const found = new Map<string, Float32Array>();
    for (const key of keys) {
      const vector = known.get(key);
      if (vector !== undefined) found.set(key, vector);
    }
    const rest = keys.filter((key) => !found.has(key));
    if (rest.length === 0) return found;
    for (const [key, vector] of await storage.loadVectors(rest, signal)) {
      known.set(key, vector);
      found.set(key, vector);
    }
    return found;
  }

  async function embed(texts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Vectors> {
    const found = new Map(await load([...texts.keys()], signal));
    const missing = [...texts].filter(([key]) => !found.has(key));
    const vectors = await embedTexts(
      missing.map(([, text]) => text),
      settings,
      signal,
    );
    const embedded = new Map(
      missing.map(([key], at) => [key, vectors[at] as Float32Array] as const),
    );
    await storage.saveVectors(embedded, signal);
    for (const [key, vector] of embedded) {
      known.set(key, vector);
      found.set(key, vector);
    }
    return found;
  }

  function start(texts: ReadonlyMap<string, string>): Job {
    const job = startJob((signal) => embed(texts, signal));
    for (const key of texts.keys()) jobs.set(key, job);
    const forget = (): void => {
      for (const key of texts.keys()) if (jobs.get(key) === job) jobs.delete(key);
    };
    job.result.then(forget, forget);
    return job;
  }

  return {
    load,
    async find(texts, signal) {
      signal.throwIfAborted();
      const open = new Set<Job>();
      const fresh = new Map<string, string>();
      for (const [key, text] of texts) {
        const job = jobs.get(key);
        if (job === undefined) fresh.set(key, text);
        else open.add(job);
      }
      if (fresh.size > 0) open.add(start(fresh));
      const parts = await Promise.all(Array.from(open, (job) => job.join(signal)));
      return new Map(parts.flatMap((part) => [...part]));
    },
  };
}
