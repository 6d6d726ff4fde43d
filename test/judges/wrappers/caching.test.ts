import { afterEach, describe, expect, it, vi } from "vitest";
import type { JudgeRequest, JudgeResponse, ToolDescription } from "../../../src/core/types.js";
import { caching } from "../../../src/judges/wrappers/caching.js";
import { fakeJudge } from "../../../src/testing/fake-judge.js";

const tool: ToolDescription = {
  name: "a",
  description: "A.",
  parameters: { type: "object", properties: { id: { type: "string" } } },
};
const request: JudgeRequest = {
  context: { request: "Where is it?", messages: [{ role: "user", text: "Where is it?" }] },
  candidates: [tool, { name: "b", description: "B." }],
};
const options = () => ({ signal: new AbortController().signal });
const usage = { inputTokens: 100, outputTokens: 10 };

afterEach(() => {
  vi.useRealTimers();
});

describe("caching", () => {
  it("asks once; a hit is a fresh array, cached, without requests and usage", async () => {
    const inner = fakeJudge({
      probabilities: { a: 0.9, b: null },
      response: { model: "m-1", requestId: "r-1", usage, requests: 2, retries: 1 },
    });
    const judge = caching(inner);
    const first = await judge.judge(request, options());
    const second = await judge.judge(structuredClone(request), options());
    expect(first).toMatchObject({ probabilities: [0.9, null], usage, requests: 2, retries: 1 });
    expect(second).toEqual({ probabilities: [0.9, null], model: "m-1", requests: 0, cached: true });
    expect(inner.requests).toHaveLength(1);

    (first.probabilities as number[])[0] = 0;
    (second.probabilities as number[])[0] = 0;
    expect((await judge.judge(request, options())).probabilities).toEqual([0.9, null]);
  });

  const changed = (change: Partial<ToolDescription>): JudgeRequest => ({
    ...request,
    candidates: [
      { ...tool, ...change },
      { name: "b", description: "B." },
    ],
  });
  it.each<[string, JudgeRequest]>([
    ["request", { ...request, context: { ...request.context, request: "Where?" } }],
    [
      "conversation",
      { ...request, context: { ...request.context, messages: [{ role: "user", text: "Hi" }] } },
    ],
    [
      "role of a message",
      {
        ...request,
        context: { ...request.context, messages: [{ role: "tool", text: "Where is it?" }] },
      },
    ],
    ["name", changed({ name: "c" })],
    ["description", changed({ description: "C." })],
    ["schema", changed({ parameters: { type: "object", properties: { no: { type: "string" } } } })],
    ["order of the tools", { ...request, candidates: request.candidates.toReversed() }],
    ["number of tools", { ...request, candidates: [tool] }],
    ["border between two fields", changed({ name: 'a","A.",', description: "" })],
  ])("asks again when the %s differs", async (_, other) => {
    const inner = fakeJudge();
    const judge = caching(inner);
    await judge.judge(request, options());
    const response = await judge.judge(other, options());
    expect(response.cached).toBeUndefined();
    expect(inner.requests).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ["a missing answer", { probabilities: [0.9, undefined] }],
    ["an answer out of range", { probabilities: [0.9, 1.2] }],
    ["too few answers", { probabilities: [0.9] }],
    ["no reply", undefined],
  ])("does not keep a reply with %s", async (_, reply) => {
    const inner = fakeJudge({ reply: () => reply });
    const judge = caching(inner);
    for (let call = 0; call < 2; call += 1) {
      const { probabilities, cached } = await judge.judge(request, options());
      expect(probabilities[1]).toBeUndefined();
      expect(cached).toBeUndefined();
    }
    expect(inner.requests).toHaveLength(2);
  });

  it("does not keep a failure", async () => {
    const error = new Error("down");
    const inner = fakeJudge({ error: (call: number) => (call === 1 ? error : undefined) });
    const judge = caching(inner);
    await expect(judge.judge(request, options())).rejects.toBe(error);
    expect((await judge.judge(request, options())).probabilities).toEqual([0, 0]);
  });

  it("makes one call of identical batches at one time", async () => {
    const inner = fakeJudge({ delayMs: 20, response: { usage } });
    const judge = caching(inner);
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => judge.judge(request, options())),
    );
    expect(inner.requests).toHaveLength(1);
    expect(responses.map(({ cached }) => cached ?? false)).toEqual([false, true, true]);
    expect(responses.map((response) => response.usage)).toEqual([usage, undefined, undefined]);
    expect(new Set(responses.map(({ probabilities }) => probabilities)).size).toBe(3);
  });

  it("shares a failure, too, among those who wait", async () => {
    const inner = fakeJudge({ delayMs: 10, error: new Error("down") });
    const judge = caching(inner);
    const calls = [judge.judge(request, options()), judge.judge(request, options())];
    for (const call of await Promise.allSettled(calls)) expect(call.status).toBe("rejected");
    expect(inner.requests).toHaveLength(1);
  });

  it("aborts a shared call only when everyone who waits has left, with the last one's reason", async () => {
    const inner = fakeJudge({ hang: true });
    const judge = caching(inner);
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) =>
      judge.judge(request, { signal }).catch((error: unknown) => error),
    );
    first.abort("first left");
    expect(await calls[0]).toBe("first left");
    expect(inner.options[0]?.signal.aborted).toBe(false);
    second.abort("second left");
    expect(await calls[1]).toBe("second left");
    expect(inner.options[0]?.signal.reason).toBe("second left");
    expect(inner.requests).toHaveLength(1);
  });

  it("answers whoever stays after the one who asked has left", async () => {
    const inner = fakeJudge({ delayMs: 30 });
    const judge = caching(inner);
    const leaving = new AbortController();
    const left = judge.judge(request, { signal: leaving.signal }).catch((error: unknown) => error);
    const stayed = judge.judge(request, options());
    leaving.abort("left");
    expect(await left).toBe("left");
    expect((await stayed).probabilities).toEqual([0, 0]);
  });

  it("starts anew for whoever comes after a call was given up", async () => {
    let calls = 0;
    const judge = caching(() => {
      calls += 1;
      return calls === 1 ? new Promise<never>(() => {}) : [0.9, 0.1];
    });
    const leaving = new AbortController();
    const left = judge.judge(request, { signal: leaving.signal }).catch((error: unknown) => error);
    leaving.abort("left");
    await left;
    expect((await judge.judge(request, options())).probabilities).toEqual([0.9, 0.1]);
  });

  it("hands the deadline of the one who asks to the judge", async () => {
    const inner = fakeJudge();
    await caching(inner).judge(request, { ...options(), deadline: 123 });
    expect(inner.options[0]?.deadline).toBe(123);
  });

  it("forgets the least recently used batch beyond `maxEntries`", async () => {
    const inner = fakeJudge();
    const judge = caching(inner, { maxEntries: 2 });
    const ask = (text: string): Promise<JudgeResponse> =>
      judge.judge({ ...request, context: { request: text, messages: [] } }, options());
    for (const text of ["1", "2", "1", "3"]) await ask(text);
    expect((await ask("1")).cached).toBe(true);
    expect((await ask("2")).cached).toBeUndefined();
  });

  it("forgets an answer after `ttlMs`, and keeps no timer for it", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "setInterval", "performance", "Date"] });
    vi.advanceTimersByTime(1);
    const judge = caching(fakeJudge(), { ttlMs: 1000 });
    await judge.judge(request, options());
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(900);
    expect((await judge.judge(request, options())).cached).toBe(true);
    vi.advanceTimersByTime(200);
    expect((await judge.judge(request, options())).cached).toBeUndefined();
  });

  it("asks about schemas that cannot be serialised as if there were none", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const inner = fakeJudge();
    const judge = caching(inner);
    await judge.judge(changed({ parameters: cycle }), options());
    expect((await judge.judge(changed({ parameters: cycle }), options())).cached).toBe(true);
  });

  it("keeps id, batch size and thresholds", () => {
    const inner = fakeJudge({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
    const shown = caching(inner);
    expect(shown).toMatchObject({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
  });

  it("refuses wrong options at construction", () => {
    expect(() => caching(fakeJudge(), { ttlMs: 0 })).toThrow(
      "Expected `ttlMs` to be an integer from 1, got `0` (number).",
    );
  });
});
