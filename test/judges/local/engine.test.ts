import { describe, expect, it, vi } from "vitest";
import type { ToolDescription } from "../../../src/core/types.js";
import { localJudge } from "../../../src/judges/local/local-judge.js";

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
    vi.doMock("../../../src/judges/local/shipped-engine.js", () => {
      loaded();
      return { createShippedEngine: () => () => Promise.resolve([0.5]) };
    });
    const fresh = await import("../../../src/judges/local/local-judge.js");
    const judge = fresh.localJudge();
    expect(loaded).not.toHaveBeenCalled();
    const options = { signal: new AbortController().signal };
    await judge.judge(requestFor("weather", many(1)), options);
    await judge.judge(requestFor("weather", many(1)), options);
    expect(loaded).toHaveBeenCalledTimes(1);
    vi.doUnmock("../../../src/judges/local/shipped-engine.js");
  });

  it("lets the event loop turn while it judges thousands of tools", async () => {
    const judge = localJudge();
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
    const judge = localJudge();
    await judge.judge(requestFor("weather", many(1)), { signal: new AbortController().signal });
    const controller = new AbortController();
    const asked = judge.judge(requestFor("How much wind?", many(3000)), controller);
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(asked).rejects.toThrow("stopped");
  });

  it("answers alike however batches of one turn interleave", async () => {
    const judge = localJudge();
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

  it("reads a tool once for as long as its description object lives", async () => {
    const judge = localJudge();
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
