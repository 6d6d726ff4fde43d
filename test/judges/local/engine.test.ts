import { describe, expect, it, vi } from "vitest";
import type { ToolDescription } from "../../../src/core/types.js";
import { localJudge } from "../../../src/judges/local/local-judge.js";
import { createFakeEmbeddings } from "./fake-embeddings.js";

const many = (count: number): readonly ToolDescription[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `Handles the weather report number ${index} of a region, with wind, rain, clouds and temperature`,
  }));

const requestFor = (request: string, candidates: readonly ToolDescription[]) => ({
  context: { request, messages: [{ role: "user" as const, text: request }] },
  candidates,
});

describe("the engine", () => {
  it("is loaded by the first question, not by the factory", async () => {
    vi.resetModules();
    const loaded = vi.fn();
    vi.doMock("../../../src/judges/local/load-engine.js", () => {
      loaded();
      return { loadEngine: () => ({ judge: () => Promise.resolve([0.5]) }) };
    });
    const fresh = await import("../../../src/judges/local/local-judge.js");
    const judge = fresh.localJudge();
    expect(loaded).not.toHaveBeenCalled();
    const options = { signal: new AbortController().signal };
    await judge.judge(requestFor("weather", many(1)), options);
    await judge.judge(requestFor("weather", many(1)), options);
    expect(loaded).toHaveBeenCalledTimes(1);
    vi.doUnmock("../../../src/judges/local/load-engine.js");
  });

  it("lets the event loop turn while it judges thousands of tools", async () => {
    const judge = localJudge({ encoder: createFakeEmbeddings() });
    const options = { signal: new AbortController().signal };
    await judge.judge(requestFor("weather", many(1)), options);
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await judge.judge(requestFor("How much wind will there be?", many(3000)), options);
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });

  it("stops between slices when the signal aborts", async () => {
    const judge = localJudge({ encoder: createFakeEmbeddings() });
    await judge.judge(requestFor("weather", many(1)), { signal: new AbortController().signal });
    const controller = new AbortController();
    const asked = judge.judge(requestFor("How much wind?", many(3000)), controller);
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(asked).rejects.toThrow("stopped");
  });

  it("answers alike however requests of one turn interleave", async () => {
    const judge = localJudge({ encoder: createFakeEmbeddings() });
    const tools = many(600);
    const options = { signal: new AbortController().signal };
    const ask = (from: number) =>
      judge.judge(requestFor("rain in report number 7", tools.slice(from, from + 200)), options);
    const together = await Promise.all([ask(0), ask(200), ask(400)]);
    const apart = [await ask(0), await ask(200), await ask(400)];
    expect(together.map(({ probabilities }) => probabilities)).toEqual(
      apart.map(({ probabilities }) => probabilities),
    );
  });

  it("embeds a tool once, and what was said once", async () => {
    const encoder = createFakeEmbeddings();
    const judge = localJudge({ encoder });
    const options = { signal: new AbortController().signal };
    await judge.prepare?.(many(50), options);
    await judge.judge(requestFor("How much wind?", many(50)), options);
    await judge.judge(requestFor("How much wind?", many(50)), options);
    expect([encoder.documents, encoder.queries]).toEqual([50, 1]);
  });

  it("abstains while the vectors of the tools are not there in time, and judges once they are", async () => {
    const encoder = createFakeEmbeddings();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = {
      embedQuery: (text: string) => encoder.embedQuery(text),
      async embedDocuments(texts: string[]) {
        await held;
        return encoder.embedDocuments(texts);
      },
    };
    const judge = localJudge({ encoder: slow });
    const { signal } = new AbortController();
    const asked = requestFor("How much wind?", many(5));
    const early = await judge.judge(asked, { signal, deadline: Date.now() + 300 });
    expect(early.probabilities).toEqual(many(5).map(() => null));
    release();
    await judge.prepare?.(many(5), { signal });
    const late = await judge.judge(asked, { signal, deadline: Date.now() + 300 });
    for (const answer of late.probabilities) expect(answer).toEqual(expect.any(Number));
  });

  it.each([
    ["too few vectors", []],
    ["vectors of different lengths", [[1, 0], [1]]],
    ["no numbers", [["a"], ["b"]]],
    ["no lists", "none"],
  ])("refuses an embedding model that returns %s", async (_, vectors) => {
    const encoder = {
      embedDocuments: () => Promise.resolve(vectors as never),
      embedQuery: () => Promise.resolve([1, 0]),
    };
    const judge = localJudge({ encoder });
    await expect(
      judge.judge(requestFor("How much wind?", many(2)), { signal: new AbortController().signal }),
    ).rejects.toThrow(TypeError);
  });

  it("reads a tool once for as long as its description object lives", async () => {
    const judge = localJudge({ encoder: createFakeEmbeddings() });
    const reads = vi.fn(() => "Weather forecast");
    const tool = Object.defineProperty({ name: "forecast" }, "description", { get: reads });
    const options = { signal: new AbortController().signal };
    await judge.judge(requestFor("weather", [tool]), options);
    const first = reads.mock.calls.length;
    await judge.judge(requestFor("weather tomorrow", [tool]), options);
    expect(first).toBeGreaterThan(0);
    expect(reads).toHaveBeenCalledTimes(first);
  });
});
