/** The vectors of texts that come back again and again, such as those of tools: computed once, in the background. */

import { LRUCache } from "lru-cache";
import * as z from "zod";
import { untilAborted } from "../core/abort.js";
import { sha256Hex } from "../core/fingerprint.js";
import { functionOption, integerFrom, parseOptions } from "../core/parse-options.js";
import { quietly } from "../core/quietly.js";
import { waitAtMost } from "../core/timers.js";
import type { EmbeddedTextEncoder } from "./text-encoder.js";
import { vectorFromBytes, vectorToBytes } from "./vector-bytes.js";

/** Keeps vectors longer than the process lives. Whatever it throws or loses is computed again. */
export interface VectorCache {
  /** The bytes that were saved under a key (64 hex digits); `null` if there are none. */
  load(key: string): Promise<Uint8Array | null>;
  save(key: string, bytes: Uint8Array): Promise<void>;
}

const cacheSchema = z.custom<VectorCache>(
  (value) => typeof value === "object" && value !== null && "load" in value && "save" in value,
  "an object with `load` and `save`",
);

/** What a store needs of an encoder. */
export type VectorSource = Pick<EmbeddedTextEncoder, "id" | "dimensions" | "encodeAll">;

const optionsSchema = z.strictObject({
  encoder: functionOption<() => Promise<VectorSource>>(),
  /**
   * The most vectors in memory; those that were not asked for longest go first. One takes its text, of at most 1,024 characters, and
   * four bytes a dimension: 20,000 take some 40 MB.
   * @default 20_000
   */
  maxVectors: integerFrom(1).default(20_000),
  /** Where vectors are looked up before they are computed, and saved afterwards. */
  cache: cacheSchema.optional(),
});

/** Options of {@link createVectorStore}; `encoder` says what computes, and is called when the first vector is needed. */
export type VectorStoreOptions = z.input<typeof optionsSchema>;

/** Vectors by the content of their texts. Vectors are shared: do not write to them. */
export interface VectorStore {
  /** Number of vectors in memory. */
  readonly size: number;
  /** The vector of a text, if it is there. */
  get(text: string): Float32Array | undefined;
  /**
   * The vectors that are there; the others are computed in the background, each once, whoever asks. Of a list that is longer than the
   * store, only as many as fit.
   */
  getAll(texts: readonly string[]): readonly (Float32Array | undefined)[];
  /**
   * Resolves when the vectors of these texts are there.
   *
   * @throws the signal's reason as soon as it aborts, or the error of the encoder.
   */
  prepare(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** Texts that are looked up and computed together. */
const batchSize = 32;

/** How long a batch waits for the cache. */
const cacheTimeoutMs = 2000;

/** Longer texts are kept as their hash. */
const maxKeyLength = 1024;

/** A text whose vector is being computed. */
interface Request {
  readonly key: string;
  readonly text: string;
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

function createRequest(key: string, text: string): Request {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const done = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  // Most requests have nobody who waits for them.
  done.catch(() => undefined);
  return { key, text, done, resolve, reject };
}

function toKey(text: string): string {
  return text.length <= maxKeyLength ? text : sha256Hex(text);
}

/**
 * A store of vectors over an encoder.
 *
 * @throws {InvalidOptionsError} on a misspelt or wrong option.
 * @example
 * const store = createVectorStore({ encoder: loadTextEncoder });
 * await store.prepare(["get_weather: forecast of a city"]);
 * store.get("get_weather: forecast of a city"); // a Float32Array
 */
export function createVectorStore(options: VectorStoreOptions): VectorStore {
  const { encoder, maxVectors, cache } = parseOptions(optionsSchema, options, "createVectorStore");
  const vectors = new LRUCache<string, Float32Array>({ max: maxVectors });
  const requests = new Map<string, Request>();
  const persistence = cache === undefined ? null : createPersistence(cache);
  let isWorking = false;

  function finish(request: Request, vector: Float32Array): void {
    vectors.set(request.key, vector);
    requests.delete(request.key);
    request.resolve();
  }

  async function compute(batch: readonly Request[]): Promise<void> {
    const loaded = await encoder();
    const known = (await persistence?.load(batch, loaded)) ?? [];
    const missing = batch.filter((request, index) => {
      const vector = known[index] ?? null;
      if (vector !== null) finish(request, vector);
      return vector === null;
    });
    await loaded.encodeAll(
      missing.map(({ text }) => text),
      {
        isBackground: true,
        onVector(vector, index) {
          const request = missing[index] as Request;
          finish(request, vector);
          persistence?.save(request, vector, loaded);
        },
      },
    );
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    try {
      while (requests.size > 0) await compute([...requests.values()].slice(0, batchSize));
    } catch (error) {
      for (const request of requests.values()) request.reject(error);
      requests.clear();
    } finally {
      isWorking = false;
    }
  }

  function request(key: string, text: string): Request {
    const known = requests.get(key);
    if (known !== undefined) return known;
    const created = createRequest(key, text);
    requests.set(key, created);
    quietly(work);
    return created;
  }

  /** Requests what is missing, as far as it fits beside what is there. */
  function requestMissing(texts: readonly string[]): readonly Request[] {
    const keys = new Map(texts.map((text) => [toKey(text), text]));
    const missing = [...keys].filter(([key]) => !vectors.has(key));
    const room = maxVectors - (keys.size - missing.length);
    return missing.slice(0, room).map(([key, text]) => request(key, text));
  }

  return {
    get size() {
      return vectors.size;
    },
    get: (text) => vectors.get(toKey(text)),
    getAll(texts) {
      const found = texts.map((text) => vectors.get(toKey(text)));
      if (found.includes(undefined)) requestMissing(texts);
      return found;
    },
    async prepare(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const done = Promise.all(requestMissing(texts).map((request) => request.done));
      await (signal === undefined ? done : untilAborted(done, signal));
    },
  };
}

/** A cache behind which nothing fails, and nothing waits for long. */
function createPersistence(cache: VectorCache) {
  const buildKey = (text: string, { id }: VectorSource): string => sha256Hex(`${id}\n${text}`);

  async function loadOne(text: string, encoder: VectorSource): Promise<Float32Array | null> {
    try {
      const bytes: unknown = await cache.load(buildKey(text, encoder));
      return vectorFromBytes(bytes, encoder.dimensions);
    } catch {
      return null;
    }
  }

  return {
    load(
      requests: readonly Request[],
      encoder: VectorSource,
    ): Promise<readonly (Float32Array | null)[]> {
      const all = Promise.all(requests.map(({ text }) => loadOne(text, encoder)));
      return waitAtMost<readonly (Float32Array | null)[]>(cacheTimeoutMs, all, () => []);
    },
    save({ text }: Request, vector: Float32Array, encoder: VectorSource): void {
      quietly(() => cache.save(buildKey(text, encoder), vectorToBytes(vector)));
    },
  };
}
