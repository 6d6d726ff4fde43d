import { afterEach, describe, expect, it, vi } from "vitest";
import { JudgeHttpError, JudgeResponseError, JudgeTimeoutError } from "../../../src/errors.js";
import type { JudgeRequest, JudgeResponse } from "../../../src/core/types.js";
import { cascading } from "../../../src/judges/wrappers/cascading.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";
import { fakeJudge, type FakeJudgeOptions } from "../../../src/testing/fake-judge.js";

const request: JudgeRequest = {
  context: { request: "Where is it?", messages: [] },
  candidates: ["sure", "never", "open", "silent"].map((name) => ({ name, description: "D." })),
};
const limits = { rejectBelow: 0.1, acceptAbove: 0.9 };
const firstAnswers = { sure: 0.95, never: 0.05, open: 0.5, silent: null };

const first = (options: FakeJudgeOptions = {}) =>
  fakeJudge({ id: "first", probabilities: firstAnswers, ...options });
const second = (options: FakeJudgeOptions = {}) =>
  fakeJudge({ id: "second", probabilities: { open: 0.7, silent: 0.01 }, ...options });

const ask = (
  judge: ReturnType<typeof cascading>,
  options: { signal?: AbortSignal; deadline?: number } = {},
): Promise<JudgeResponse> =>
  judge.judge(request, { signal: new AbortController().signal, ...options });

afterEach(() => {
  vi.useRealTimers();
});

describe("cascading", () => {
  it("asks the second judge only about what the first left open", async () => {
    const better = second();
    const response = await ask(cascading(first(), better, limits));
    expect(response.probabilities).toEqual([0.95, 0.05, 0.7, 0.01]);
    expect(better.requests[0]?.candidates.map(({ name }) => name)).toEqual(["open", "silent"]);
    expect(better.requests[0]?.context).toBe(request.context);
  });

  it("does not ask the second judge when nothing is open", async () => {
    const better = second();
    const cheap = first({ probabilities: {}, otherwise: 0.02, response: { model: "cheap" } });
    expect(await ask(cascading(cheap, better, limits))).toEqual({
      probabilities: [0.02, 0.02, 0.02, 0.02],
      model: "cheap",
    });
    expect(better.requests).toHaveLength(0);
  });

  it("clamps final answers to the second judge's thresholds, which it exposes", async () => {
    const thresholds = { confidence: 0.97, rejection: 0.03 };
    const judge = cascading(first(), second({ thresholds }), limits);
    expect(judge.thresholds).toEqual(thresholds);
    expect((await ask(judge)).probabilities.slice(0, 2)).toEqual([0.97, 0.03]);
    expect(cascading(first(), second(), limits).thresholds).toEqual({
      confidence: 0.8,
      rejection: 0.2,
    });
  });

  it("decides at its limits, both included", async () => {
    const cheap = first({ probabilities: { sure: 0.9, never: 0.1, open: 0.89, silent: 0.11 } });
    const better = second();
    await ask(cascading(cheap, better, limits));
    expect(better.requests[0]?.candidates.map(({ name }) => name)).toEqual(["open", "silent"]);
  });

  it.each<[string, FakeJudgeOptions]>([
    ["throws", { error: new Error("down") }],
    ["answers too few", { reply: () => ({ probabilities: [0.05] }) }],
    ["answers nothing", { reply: () => undefined }],
    ["answers nonsense", { probabilities: {}, otherwise: 7 }],
  ])("asks the second judge about everything when the first %s", async (_, options) => {
    const better = second({ probabilities: {}, otherwise: 0.6 });
    const response = await ask(cascading(first(options), better, limits));
    expect(response.probabilities).toEqual([0.6, 0.6, 0.6, 0.6]);
    expect(better.requests[0]?.candidates).toHaveLength(4);
  });

  it("keeps the first judge's answers when the budget ends in the second, before it is over", async () => {
    vi.useFakeTimers({ now: 0 });
    const better = second({ hang: true });
    const deadline = 500;
    const controller = new AbortController();
    setTimeout(() => controller.abort(new JudgeTimeoutError(deadline)), deadline);
    const call = ask(cascading(first(), better, limits), { signal: controller.signal, deadline });
    await vi.advanceTimersByTimeAsync(deadline - 1);
    expect((await call).probabilities).toEqual([0.95, 0.05, 0.5, null]);
    expect(better.options[0]?.signal.reason).toBeInstanceOf(JudgeTimeoutError);
    expect(better.options[0]?.deadline).toBeLessThan(deadline);
  });

  it("keeps them too when the signal says that the budget ended", async () => {
    const controller = new AbortController();
    const better = second({ hang: true });
    const call = ask(cascading(first(), better, limits), { signal: controller.signal });
    await vi.waitFor(() => expect(better.requests).toHaveLength(1));
    controller.abort(new JudgeTimeoutError(5));
    expect((await call).probabilities).toEqual([0.95, 0.05, 0.5, null]);
  });

  it("lets no open answer of the first judge decide on the second's scale", async () => {
    const cheap = first({ probabilities: { sure: 0.95, never: 0.05, open: 0.85, silent: 0.15 } });
    const better = second({ error: new JudgeTimeoutError(5) });
    const { probabilities } = await ask(cascading(cheap, better, limits));
    expect(probabilities).toEqual([0.95, 0.05, 0.5, 0.5]);
  });

  it("leaves the open ones without an answer when the second judge fails", async () => {
    const better = second({ error: new JudgeHttpError("x", { status: 503 }) });
    expect(await ask(cascading(first(), better, limits))).toMatchObject({
      probabilities: [0.95, 0.05, undefined, undefined],
      missing: "error",
    });
  });

  it.each([
    [new JudgeHttpError("x", { status: 503 }), "judge-error"],
    [new JudgeResponseError("x", { reason: "circuit-open" }), "judge-error"],
    [new JudgeResponseError("x", { reason: "refused" }), "refused"],
    [new JudgeResponseError("x", { reason: "truncated" }), "unjudged"],
  ])("says in the record why the second judge left tools open: %s", async (error, reason) => {
    const judge = cascading(first(), second({ error }), limits);
    const selector = createToolSelector({ judge, mode: "enforce" });
    const tools = ["sure", "never", "open", "silent"].map((name) => ({ name, description: "d" }));
    const selection = await selector.select({ messages: [{ role: "user", text: "go" }], tools });
    expect(selection).toMatchObject({ status: "failed", reason, fallback: true });
  });

  it("leaves the open ones without an answer when the second judge's reply is void", async () => {
    const better = second({ reply: () => ({ probabilities: [0.9, 0.9, 0.9] }) });
    expect((await ask(cascading(first(), better, limits))).probabilities).toEqual([
      0.95,
      0.05,
      undefined,
      undefined,
    ]);
  });

  it("throws the second judge's error when both fail", async () => {
    const error = new JudgeHttpError("x", { status: 503 });
    const judge = cascading(first({ error: new Error("down") }), second({ error }), limits);
    await expect(ask(judge)).rejects.toBe(error);
  });

  it.each(["first", "second"])("passes control flow of the %s judge on", async (which) => {
    const error = Object.assign(new Error("interrupt"), { is_bubble_up: true });
    const judge = cascading(
      first(which === "first" ? { error } : {}),
      second(which === "second" ? { error } : {}),
      limits,
    );
    await expect(ask(judge)).rejects.toBe(error);
  });

  it.each(["first", "second"])(
    "ends at once when the caller aborts in the %s judge",
    async (which) => {
      const controller = new AbortController();
      const judge = cascading(
        first(which === "first" ? { hang: true } : {}),
        second({ hang: true, ignoreSignal: true }),
        limits,
      );
      const call = ask(judge, { signal: controller.signal, deadline: Date.now() + 60_000 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.abort("left");
      await expect(call).rejects.toBe("left");
    },
  );

  it("leaves no timer behind", async () => {
    vi.useFakeTimers({ now: 0 });
    await ask(cascading(first(), second(), limits), { deadline: 1000 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sums requests and usage, and names the model that decided last", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const judge = cascading(
      first({ response: { usage, requests: 1, model: "cheap" } }),
      second({ response: { usage, requests: 2, retries: 1, model: "better", requestId: "r-2" } }),
      limits,
    );
    expect(await ask(judge)).toMatchObject({
      requests: 3,
      retries: 1,
      model: "better",
      usage: { inputTokens: 20, outputTokens: 2 },
    });
  });

  it("counts the requests of a second judge that failed, none if it was not asked", async () => {
    const failed = Object.assign(new JudgeHttpError("x", { status: 503 }), { attempts: 3 });
    const open = new JudgeResponseError("x", { reason: "circuit-open" });
    expect(await ask(cascading(first(), second({ error: failed }), limits))).toMatchObject({
      requests: 4,
    });
    expect(await ask(cascading(first(), second({ error: open }), limits))).toMatchObject({
      requests: 1,
    });
  });

  it("names both judges and takes the smaller batch size", () => {
    const judge = cascading(first({ batchSize: 20 }), second({ batchSize: 32 }), limits);
    expect(judge).toMatchObject({ id: "cascade:first>second", batchSize: 20 });
    expect(
      cascading(
        () => [0],
        () => [0],
        limits,
      ),
    ).toMatchObject({ batchSize: undefined });
  });

  it("reads the first judge by its own thresholds where no limits are given", async () => {
    const thresholds = { rejection: 0.002, confidence: 0.003 };
    const probabilities = { sure: 0.003, never: 0.002, open: 0.0025, silent: null };
    const better = second({ thresholds: { confidence: 0.9, rejection: 0.1 } });
    const judge = cascading(first({ probabilities, thresholds }), better);
    expect(judge.thresholds).toEqual({ confidence: 0.9, rejection: 0.1 });
    expect((await ask(judge)).probabilities).toEqual([0.9, 0.002, 0.7, 0.01]);
    expect(better.requests[0]?.candidates.map(({ name }) => name)).toEqual(["open", "silent"]);
  });

  it.each<[string, object, readonly string[]]>([
    ["none", {}, ["open", "silent"]],
    ["a lower one", { rejectBelow: 0.01 }, ["never", "open", "silent"]],
    ["an upper one", { acceptAbove: 0.99 }, ["sure", "open", "silent"]],
  ])("takes 0.2 and 0.8 for a judge without thresholds, with %s", async (_, options, open) => {
    const better = second();
    await ask(cascading(first(), better, options));
    expect(better.requests[0]?.candidates.map(({ name }) => name)).toEqual(open);
  });

  it("keeps the order of accepted tools, so that the cap cuts the least probable ones", async () => {
    const thresholds = { rejection: 0.002, confidence: 0.003 };
    const probabilities = { sure: 0.02, never: 0.9, open: 0.3, silent: 0.001 };
    const judge = cascading(first({ probabilities, thresholds }), second());
    const selector = createToolSelector({ judge, mode: "enforce", maxTools: 2 });
    const tools = request.candidates;
    const selection = await selector.select({ messages: [{ role: "user", text: "go" }], tools });
    expect(selection.tools).toEqual([tools[1], tools[2]]);
  });

  it.each([
    ["first", { scope: "catalog" as const }, {}],
    ["second", {}, { scope: "catalog" as const }],
  ])("wants the whole catalog where the %s judge does", async (_, ofFirst, ofSecond) => {
    const cheap = { ...first(), ...ofFirst, batchSize: undefined };
    const judge = cascading(cheap, { ...second(), ...ofSecond, batchSize: 3 });
    expect(judge).toMatchObject({ scope: "catalog", batchSize: undefined });
  });

  it("asks a judge in as many requests as its limit demands", async () => {
    const cheap = { ...first({ otherwise: 0.5, probabilities: {} }), scope: "catalog" as const };
    const better = second({ batchSize: 3, probabilities: {}, otherwise: 0.6 });
    const response = await ask(cascading(cheap, better));
    expect(cheap.requests.map(({ candidates }) => candidates.length)).toEqual([4]);
    expect(better.requests.map(({ candidates }) => candidates.length)).toEqual([3, 1]);
    expect(response).toMatchObject({ probabilities: [0.6, 0.6, 0.6, 0.6], requests: 3 });
  });

  it("keeps the answers of the requests that did not fail", async () => {
    const better = second({
      batchSize: 1,
      probabilities: {},
      otherwise: 0.6,
      error: (call: number) => (call === 2 ? new JudgeHttpError("x", { status: 503 }) : undefined),
    });
    expect(await ask(cascading(first(), better))).toMatchObject({
      probabilities: [0.95, 0.05, 0.6, undefined],
      missing: "error",
    });
  });

  it("prepares both judges", async () => {
    const prepared: string[] = [];
    const preparing = (id: string) => ({
      ...fakeJudge({ id }),
      prepare: async () => void prepared.push(id),
    });
    const options = { signal: new AbortController().signal };
    await cascading(preparing("a"), preparing("b")).prepare?.([], options);
    expect(prepared).toEqual(["a", "b"]);
    expect(cascading(first(), second()).prepare).toBeUndefined();
  });

  it.each([
    [3, 5, 5],
    [3, undefined, 3],
  ])("has the cap of the second judge, else of the first", (ofFirst, ofSecond, expected) => {
    const judge = cascading({ ...first(), maxTools: ofFirst }, { ...second(), maxTools: ofSecond });
    expect(judge.maxTools).toBe(expected);
  });

  it("refuses limits that are not in order", () => {
    expect(() => cascading(first(), second(), { rejectBelow: 0.9, acceptAbove: 0.1 })).toThrow(
      "Expected `rejectBelow` to be less than `acceptAbove`, got `0.9` and `0.1`.",
    );
    expect(() => cascading(first(), second(), { rejectBelow: -1, acceptAbove: 0.1 })).toThrow(
      "Expected `rejectBelow` to be a number from 0 to 1",
    );
    expect(() => cascading(first(), second(), { rejectBelow: 0.85 })).toThrow(
      "Expected `rejectBelow` to be less than `acceptAbove`, got `0.85` and `0.8`.",
    );
  });
});
