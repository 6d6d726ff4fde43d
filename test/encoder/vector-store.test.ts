import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createTextEncoder, type EmbeddedTextEncoder } from "../../src/encoder/text-encoder.js";
import { vectorFromBytes, vectorToBytes } from "../../src/encoder/vector-bytes.js";
import { createVectorStore, type VectorCache } from "../../src/encoder/vector-store.js";
import { randomEncoder } from "../support/random-encoder.js";

const encoder = await createTextEncoder(randomEncoder());

/** An encoder that counts how often it read each text. */
function countingEncoder(): { readonly counts: Map<string, number> } & EmbeddedTextEncoder {
  const counts = new Map<string, number>();
  return {
    ...encoder,
    counts,
    encodeAll(texts, options) {
      for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
      return encoder.encodeAll(texts, options);
    },
  };
}

function memoryCache(): VectorCache & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    load: async (key) => files.get(key) ?? null,
    save: async (key, bytes) => void files.set(key, bytes),
  };
}

const texts = Array.from({ length: 40 }, (_, index) => "abcde".slice(index % 5).repeat(index));
const distinct = [...new Set(texts)];

describe("createVectorStore", () => {
  it("answers at once with what is there, and computes the rest in the background", async () => {
    const store = createVectorStore({ encoder: async () => encoder });
    expect(store.getAll(["a", "b"])).toEqual([undefined, undefined]);
    await vi.waitFor(() => expect(store.size).toBe(2));
    expect(store.getAll(["a", "b"])).toEqual([encoder.encode("a"), encoder.encode("b")]);
    expect(store.get("c")).toBeUndefined();
  });

  it("computes each text once, whoever asks and however often", async () => {
    const counting = countingEncoder();
    const store = createVectorStore({ encoder: async () => counting });
    store.getAll(texts);
    store.getAll(texts.toReversed());
    await Promise.all([store.prepare(texts), store.prepare([...texts, "a"])]);
    store.getAll(texts);
    expect(new Set(counting.counts.values())).toEqual(new Set([1]));
    expect(counting.counts.size).toBe(distinct.length + 1);
  });

  it("loads no encoder before it is needed", async () => {
    const load = vi.fn<() => Promise<EmbeddedTextEncoder>>(async () => encoder);
    const store = createVectorStore({ encoder: load });
    store.getAll([]);
    await store.prepare([]);
    expect(load).not.toHaveBeenCalled();
  });

  it("keeps what was asked for last", async () => {
    const store = createVectorStore({ encoder: async () => encoder, maxVectors: 3 });
    await store.prepare(["a", "b", "c"]);
    store.get("a");
    await store.prepare(["d"]);
    expect(["a", "b", "c", "d"].map((text) => store.get(text) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it("does not compute again and again what a list too long for it pushes out", async () => {
    const counting = countingEncoder();
    const store = createVectorStore({ encoder: async () => counting, maxVectors: 5 });
    for (let turn = 0; turn < 3; turn += 1) {
      store.getAll(distinct);
      await store.prepare(distinct);
    }
    expect(counting.counts.size).toBe(5);
    expect([...counting.counts.values()]).toEqual([1, 1, 1, 1, 1]);
  });

  it("tells long texts apart that differ at their end", async () => {
    const store = createVectorStore({ encoder: async () => encoder });
    const long = "\u0000".repeat(2000);
    await store.prepare([`${long}a`, `${long}b`]);
    expect(store.get(`${long}a`)).toEqual(encoder.encode("a"));
    expect(store.get(`${long}b`)).toEqual(encoder.encode("b"));
  });

  it("tells who waits when the encoder fails, and tries again the next time", async () => {
    const load = vi.fn<() => Promise<EmbeddedTextEncoder>>(async () => encoder);
    load.mockRejectedValueOnce(new Error("no memory"));
    const store = createVectorStore({ encoder: load });
    store.getAll(["a"]);
    await expect(store.prepare(["a", "b"])).rejects.toThrow("no memory");
    await store.prepare(["a", "b"]);
    expect(store.size).toBe(2);
  });

  it("stops waiting when the signal aborts, and computes all the same", async () => {
    const store = createVectorStore({ encoder: async () => encoder });
    const controller = new AbortController();
    const waiting = store.prepare(["a"], { signal: controller.signal });
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect(store.prepare(["b"], { signal: controller.signal })).rejects.toThrow("stopped");
    await vi.waitFor(() => expect(store.get("a")).toBeDefined());
  });

  it("finds in its cache what an earlier store has saved", async () => {
    const cache = memoryCache();
    await createVectorStore({ encoder: async () => encoder, cache }).prepare(texts);
    await vi.waitFor(() => expect(cache.files.size).toBe(distinct.length));
    const counting = countingEncoder();
    const store = createVectorStore({ encoder: async () => counting, cache });
    await store.prepare(texts);
    expect(counting.counts.size).toBe(0);
    expect(store.getAll(texts)).toEqual(texts.map((text) => encoder.encode(text)));
  });

  it("finds nothing that was saved with other weights", async () => {
    const cache = memoryCache();
    await createVectorStore({ encoder: async () => encoder, cache }).prepare(["a"]);
    const other = await createTextEncoder(randomEncoder({}, "other"));
    const store = createVectorStore({ encoder: async () => other, cache });
    await store.prepare(["a"]);
    expect(store.get("a")).toEqual(other.encode("a"));
  });

  const broken: readonly (readonly [string, VectorCache])[] = [
    [
      "throws",
      {
        load: () => Promise.reject(new Error("disk")),
        save: () => Promise.reject(new Error("disk")),
      },
    ],
    ["returns nonsense", { load: async () => new Uint8Array(7), save: async () => undefined }],
    ["has no promises", { load: () => null, save: () => null } as unknown as VectorCache],
  ];
  it.each(broken)("computes when its cache %s", async (_, cache) => {
    const store = createVectorStore({ encoder: async () => encoder, cache });
    await store.prepare(texts);
    expect(store.get("a")).toBeUndefined();
    expect(store.getAll(texts)).toEqual(texts.map((text) => encoder.encode(text)));
  });

  it("computes when its cache does not answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const cache = { load: () => new Promise<null>(() => undefined), save: async () => undefined };
    const store = createVectorStore({ encoder: async () => encoder, cache });
    const ready = store.prepare(["a"]);
    await vi.advanceTimersByTimeAsync(2000);
    vi.useRealTimers();
    await ready;
    expect(store.get("a")).toEqual(encoder.encode("a"));
  });

  it("refuses wrong options", () => {
    const encoder = async (): Promise<never> => Promise.reject(new Error("unused"));
    expect(() => createVectorStore({ encoder, maxVectors: 0 })).toThrow("Expected `maxVectors`");
  });
});

describe("vectorFromBytes", () => {
  it("reads what vectorToBytes wrote, at any offset", () => {
    const vector = encoder.encode("a");
    const bytes = vectorToBytes(vector);
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(vectorFromBytes(moved.subarray(3), vector.length)).toEqual(vector);
  });

  it("refuses bytes of which any bit was changed, or that were cut", () => {
    const vector = encoder.encode("a");
    const bytes = vectorToBytes(vector);
    const position = fc.integer({ min: 0, max: bytes.length - 1 });
    fc.assert(
      fc.property(position, fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const damaged = bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
        expect(vectorFromBytes(damaged, vector.length)).toBeNull();
        expect(vectorFromBytes(bytes.subarray(0, at), vector.length)).toBeNull();
      }),
    );
    for (const nonsense of [null, undefined, "bytes", []]) {
      expect(vectorFromBytes(nonsense, vector.length)).toBeNull();
    }
  });
});
