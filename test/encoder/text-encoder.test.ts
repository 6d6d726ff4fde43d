import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createTextEncoder, type EmbeddedTextEncoder } from "../../src/encoder/text-encoder.js";
import { randomEncoder } from "../support/random-encoder.js";

let wasm: EmbeddedTextEncoder;
let javascript: EmbeddedTextEncoder;

beforeAll(async () => {
  const packed = randomEncoder();
  wasm = await createTextEncoder(packed);
  javascript = await createTextEncoder(packed, { kernel: "javascript" });
});

const words = ["weather", "in", "oslo", "send", "mails", "abc", "ea", ".", "天", "unknown", "🚀"];
const texts = fc
  .array(fc.constantFrom(...words), { maxLength: 40 })
  .map((parts) => parts.join(" "));

describe("createTextEncoder", () => {
  it("computes with WebAssembly where there is some", () => {
    expect([wasm.kernel, javascript.kernel]).toEqual(["wasm", "javascript"]);
  });

  it("gives the same bits in plain JavaScript, whatever the text and its length", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 30 }), (text, maxTokens) => {
        const limits = { maxTokens };
        expect(javascript.encode(text, limits)).toEqual(wasm.encode(text, limits));
      }),
    );
  });

  it.each(["javascript", "wasm"] as const)(
    "falls back to JavaScript where WebAssembly is refused (%s)",
    async (kernel) => {
      if (kernel === "javascript") {
        const refuse = (): Promise<never> => Promise.reject(new WebAssembly.CompileError());
        vi.spyOn(WebAssembly, "instantiate").mockImplementation(refuse);
      }
      const encoder = await createTextEncoder(randomEncoder());
      vi.restoreAllMocks();
      expect(encoder.kernel).toBe(kernel);
      expect(encoder.encode("weather")).toEqual(wasm.encode("weather"));
    },
  );

  it("gives vectors of length 1, also for an empty text", () => {
    for (const text of ["", "weather in oslo", "\ud83d"]) {
      expect(Math.hypot(...wasm.encode(text))).toBeCloseTo(1, 5);
      expect(wasm.encode(text)).toHaveLength(wasm.dimensions);
    }
  });

  it("reads the start of a longer text, or its end", () => {
    const text = "weather in oslo send";
    const limits = { maxTokens: 4 };
    expect(wasm.encode(text, limits)).toEqual(wasm.encode("weather in"));
    expect(wasm.encode(text, { ...limits, keep: "end" })).toEqual(wasm.encode("oslo send"));
  });

  it("never reads more tokens than the model has positions", () => {
    const limits = { maxTokens: 1000 };
    expect(wasm.encode("a ".repeat(500), limits)).toEqual(wasm.encode("a ".repeat(22)));
  });

  it("encodes lists in order, and tells of each vector when it is there", async () => {
    const onVector = vi.fn<(vector: Float32Array, index: number) => void>();
    const list = ["weather", "", "send mails"];
    const vectors = await wasm.encodeAll(list, { onVector });
    expect(vectors).toEqual(list.map((text) => wasm.encode(text)));
    expect(onVector.mock.calls).toEqual(vectors.map((vector, index) => [vector, index]));
  });

  it("keeps work at the same time apart", async () => {
    const list = Array.from({ length: 40 }, (_, index) => words.slice(index % 7).join(" "));
    const expected = list.map((text) => wasm.encode(text));
    const background = wasm.encodeAll(list, { isBackground: true });
    const awaited = wasm.encodeAll(list);
    const others = list.map((text) => wasm.encode(text));
    expect(await awaited).toEqual(expected);
    expect(await background).toEqual(expected);
    expect(others).toEqual(expected);
  });

  it("lets background work wait until awaited work is done", async () => {
    const order: string[] = [];
    const background = javascript
      .encodeAll(
        Array.from({ length: 30 }, () => "a ".repeat(22)),
        { isBackground: true },
      )
      .then(() => order.push("background"));
    await new Promise((resolve) => setTimeout(resolve, 1));
    const list = Array.from({ length: 20 }, () => "b ".repeat(22));
    const awaited = javascript.encodeAll(list).then(() => order.push("awaited"));
    await Promise.all([background, awaited]);
    expect(order).toEqual(["awaited", "background"]);
  });

  it.each([true, false])(
    "stops when its signal aborts (in the background: %s)",
    async (isBackground) => {
      const controller = new AbortController();
      const onVector = vi.fn<() => void>(() => controller.abort(new Error("stopped")));
      const { signal } = controller;
      const list = Array.from({ length: 1000 }, () => "a ".repeat(22));
      const work = wasm.encodeAll(list, { signal, isBackground, onVector });
      await expect(work).rejects.toThrow("stopped");
      await expect(wasm.encodeAll(["a"], { isBackground })).resolves.toHaveLength(1);
      expect(onVector.mock.calls.length).toBeLessThan(1000);
    },
  );

  it("rejects with what a listener throws, and goes on with the next call", async () => {
    const onVector = (): void => {
      throw new Error("listener");
    };
    await expect(wasm.encodeAll(["a"], { onVector })).rejects.toThrow("listener");
    await expect(wasm.encodeAll(["a"])).resolves.toEqual([wasm.encode("a")]);
  });

  it("refuses weights that do not fit the shape", async () => {
    const packed = { ...randomEncoder(), units: "###" };
    await expect(createTextEncoder(packed)).rejects.toThrow("do not fit its shape");
  });
});
