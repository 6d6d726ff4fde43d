/** Batches, concurrency, the one budget, the early end: how a judge is asked. */

import { describe, expect, it } from "vitest";
import { JudgeTimeoutError, createToolSelector } from "../../src/index.js";
import type { JudgeOptions, ToolSelectorOptions } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import type { FakeJudgeOptions } from "../../src/testing/fake-judge.js";
import { numberedTools, turnOf } from "../support/turns.js";

function select(count: number, judgeOptions: FakeJudgeOptions, options: ToolSelectorOptions = {}) {
  const judge = fakeJudge(judgeOptions);
  const selector = createToolSelector({ judge, mode: "enforce", ...options });
  return { judge, selection: selector.select(turnOf(numberedTools(count))) };
}

describe("batches", () => {
  it("hold batchSize candidates, in catalog order, and concatenate to the candidates", async () => {
    const { judge, selection } = select(10, {}, { batchSize: 4 });
    await selection;
    expect(judge.requests.map(({ candidates }) => candidates.map(({ name }) => name))).toEqual([
      ["tool_0", "tool_1", "tool_2", "tool_3"],
      ["tool_4", "tool_5", "tool_6", "tool_7"],
      ["tool_8", "tool_9"],
    ]);
  });

  it("respect the judge's own limit where it is smaller", async () => {
    const { judge, selection } = select(10, { batchSize: 3 }, { batchSize: 5 });
    await selection;
    expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual([3, 3, 3, 1]);
  });

  it("ignore a judge's limit that is larger", async () => {
    const { judge, selection } = select(10, { batchSize: 100 }, { batchSize: 5 });
    await selection;
    expect(judge.requests).toHaveLength(2);
  });

  it("run at most `concurrency` at a time", async () => {
    const { judge, selection } = select(10, { delayMs: 5 }, { batchSize: 1, concurrency: 3 });
    await selection;
    expect(judge.requests).toHaveLength(10);
    expect(judge.peakConcurrency).toBe(3);
  });

  it("run four at a time by default", async () => {
    const { judge, selection } = select(10, { delayMs: 5 }, { batchSize: 1 });
    await selection;
    expect(judge.peakConcurrency).toBe(4);
  });

  it("all see the same context and a signal", async () => {
    const { judge, selection } = select(4, {}, { batchSize: 2 });
    await selection;
    expect(judge.requests[0]?.context).toBe(judge.requests[1]?.context);
    expect(judge.options[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(judge.options[0]?.deadline).toBeGreaterThan(Date.now());
  });

  it("are told a deadline of the real clock, whatever `now` says", async () => {
    const { judge, selection } = select(1, {}, { now: () => 0 });
    await selection;
    expect(judge.options[0]?.deadline).toBeGreaterThan(Date.now());
  });

  it("show descriptions capped, while the tool itself stays whole", async () => {
    const tools = [{ name: "huge", description: "d".repeat(50_000) }, ...numberedTools(63)];
    const judge = fakeJudge({ probabilities: { huge: 0.95 } });
    const selection = await createToolSelector({ judge, mode: "enforce" }).select(turnOf(tools));
    expect(judge.requests[0]?.candidates[0]?.description).toHaveLength(2000);
    expect(selection.tools[0]).toBe(tools[0]);
    expect(tools[0]?.description).toHaveLength(50_000);
  });

  it("are bounded in characters too: split, never trimmed", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `property_${index}`,
        { type: "string", description: "x".repeat(50) },
      ]),
    );
    const tools = numberedTools(64).map((tool) => ({
      ...tool,
      parameters: { type: "object", properties },
    }));
    const judge = fakeJudge();
    await createToolSelector({ judge, mode: "enforce" }).select(turnOf(tools));
    expect(judge.requests.length).toBeGreaterThan(1);
    expect(judge.requests.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(
      tools.map(({ name }) => name),
    );
  });
});

describe("the budget", () => {
  it("ends a judge that never answers: everything unjudged, reason timeout", async () => {
    const { judge, selection } = select(3, { hang: true }, { timeoutMs: 30 });
    const { status, reason, fallback, record } = await selection;
    expect({ status, reason, fallback }).toEqual({
      status: "failed",
      reason: "timeout",
      fallback: true,
    });
    expect(record.error).toEqual({ kind: "timeout" });
    expect(judge.options[0]?.signal.reason).toBeInstanceOf(JudgeTimeoutError);
  });

  it("ends a judge that ignores its signal", async () => {
    const { selection } = select(3, { hang: true, ignoreSignal: true }, { timeoutMs: 30 });
    expect((await selection).reason).toBe("timeout");
  });

  it("is one for all batches, not one for each", async () => {
    const { judge, selection } = select(
      20,
      { delayMs: 60, otherwise: 0.01 },
      { batchSize: 1, concurrency: 1, timeoutMs: 150, onUncertain: "keep" },
    );
    const { status, reason, outcomes } = await selection;
    expect(status).toBe("failed");
    expect(reason).toBe("timeout");
    expect(judge.requests.length).toBeLessThan(5);
    expect(outcomes.filter(({ verdict }) => verdict === "unjudged").length).toBeGreaterThan(15);
  });

  it("leaves what was answered in time valid", async () => {
    const judge = (
      request: { candidates: readonly { name: string }[] },
      { signal }: JudgeOptions,
    ) =>
      request.candidates[0]?.name === "tool_0"
        ? [0.01]
        : new Promise<number[]>((_, reject) =>
            signal.addEventListener("abort", () => reject(new Error("late"))),
          );
    const selector = createToolSelector({
      judge,
      mode: "enforce",
      batchSize: 1,
      timeoutMs: 40,
      onUncertain: "keep",
    });
    const { outcomes } = await selector.select(turnOf(numberedTools(2)));
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(["not-applicable", "unjudged"]);
  });

  it("counts the time that a slow `mode` function took, in enforce", async () => {
    const started = performance.now();
    const selector = createToolSelector({
      judge: fakeJudge({ hang: true }),
      timeoutMs: 400,
      mode: () => new Promise((resolve) => setTimeout(() => resolve("enforce"), 200)),
    });
    await selector.select(turnOf(numberedTools(1)));
    expect(performance.now() - started).toBeLessThan(590);
  });
});

describe("the early end", () => {
  const slowSecond = (first: number | null | undefined) => {
    const state = { aborted: false };
    const judge = (
      request: { candidates: readonly { name: string }[] },
      { signal }: JudgeOptions,
    ) => {
      if (request.candidates[0]?.name === "tool_0") return [first as number];
      return new Promise<number[]>((resolve, reject) => {
        const timer = setTimeout(() => resolve([0.95]), 150);
        signal.addEventListener("abort", () => {
          state.aborted = true;
          clearTimeout(timer);
          reject(signal.reason as Error);
        });
      });
    };
    return { state, judge };
  };

  it.each([
    ["uncertain", 0.5, "uncertain"],
    ["abstained", null, "uncertain"],
    ["unjudged", undefined, "failed"],
  ] as const)(
    "cancels the other batches in enforce once one answer is %s",
    async (_, answer, status) => {
      const { state, judge } = slowSecond(answer);
      const selector = createToolSelector({ judge, mode: "enforce", batchSize: 1 });
      const selection = await selector.select(turnOf(numberedTools(2)));
      expect(state.aborted).toBe(true);
      expect(selection.status).toBe(status);
      expect(selection.fallback).toBe(true);
      expect(selection.outcomes[1]?.verdict).toBe("not-awaited");
      expect(selection.record.judge?.usage).toBeNull();
    },
  );

  it("starts no further batch", async () => {
    const { judge, selection } = select(10, { otherwise: 0.5 }, { batchSize: 1, concurrency: 1 });
    await selection;
    expect(judge.requests).toHaveLength(1);
    expect((await selection).record.judge).toMatchObject({ batches: 10, requests: 1 });
  });

  it("does not happen with keep", async () => {
    const { state, judge } = slowSecond(0.5);
    const selector = createToolSelector({
      judge,
      mode: "enforce",
      batchSize: 1,
      onUncertain: "keep",
    });
    const selection = await selector.select(turnOf(numberedTools(2)));
    expect(state.aborted).toBe(false);
    expect(selection.outcomes[1]?.verdict).toBe("applicable");
  });

  it("does not happen in shadow, where every batch is finished for the record", async () => {
    const { state, judge } = slowSecond(0.5);
    const selector = createToolSelector({ judge, mode: "shadow", batchSize: 1 });
    const selection = await selector.select(turnOf(numberedTools(2)));
    expect(state.aborted).toBe(false);
    expect(selection.outcomes.map(({ probability }) => probability)).toEqual([0.5, 0.95]);
  });
});

describe("what the judge cost", () => {
  const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 };

  it("is summed over the batches", async () => {
    const { selection } = select(
      5,
      { response: { usage, model: "m-1", requests: 2, retries: 1 } },
      { batchSize: 2 },
    );
    expect((await selection).record.judge).toMatchObject({
      model: "m-1",
      batches: 3,
      requests: 6,
      retries: 3,
      cached: false,
      usage: { inputTokens: 30, outputTokens: 6, cachedInputTokens: 12 },
    });
  });

  it("is null where a batch does not say", async () => {
    const { selection } = select(
      5,
      {
        reply: ({ candidates }, call) => ({
          probabilities: candidates.map(() => 0),
          ...(call === 1 ? { usage } : {}),
        }),
      },
      { batchSize: 3 },
    );
    expect((await selection).record.judge?.usage).toBeNull();
  });

  it("is nothing where a cache answered", async () => {
    const { selection } = select(2, { response: { cached: true, requests: 0 } });
    expect((await selection).record.judge).toMatchObject({
      cached: true,
      requests: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it("names no model that is not plain server text", async () => {
    const { selection } = select(1, {
      response: { model: 'gpt "x"\n{secret} é' + "y".repeat(200) },
    });
    const model = (await selection).record.judge?.model;
    expect(model).toMatch(/^gptxsecrety+$/);
    expect(model).toHaveLength(120);
  });
});
