import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  InvalidOptionsError,
  JudgeHttpError,
  JudgeResponseError,
  JudgeTimeoutError,
} from "../../../src/errors.js";
import type { JudgeOptions, JudgeRequest } from "../../../src/core/types.js";
import { retrying } from "../../../src/judges/wrappers/retrying.js";
import { fakeJudge, type FakeJudgeOptions } from "../../../src/testing/fake-judge.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const request: JudgeRequest = {
  context: { request: "Where is it?", messages: [] },
  candidates: [{ name: "a", description: "A." }],
};

const http = (status: number | null, retryAfterMs?: number): JudgeHttpError =>
  new JudgeHttpError("failed", { status, retryAfterMs: retryAfterMs ?? null });

/** Fails as the list says, call by call; then answers. */
function failing(errors: readonly unknown[], options: FakeJudgeOptions = {}) {
  return fakeJudge({ ...options, error: (call: number) => errors[call - 1] });
}

async function run(
  judge: ReturnType<typeof retrying>,
  options: Partial<JudgeOptions> = {},
): Promise<unknown> {
  const call = judge
    .judge(request, { signal: new AbortController().signal, ...options })
    .catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return call;
}

describe("retrying", () => {
  it.each<[string, unknown]>([
    ["429", http(429)],
    ["500", http(500)],
    ["503", http(503)],
    ["529", http(529)],
    ["no connection", http(null)],
    ["another client's status", Object.assign(new Error("x"), { status: 503 })],
    ["another client's statusCode", Object.assign(new Error("x"), { statusCode: 429 })],
    [
      "another client's response.status",
      Object.assign(new Error("x"), { response: { status: 500 } }),
    ],
    [
      "another client's socket error",
      Object.assign(new Error("x"), { cause: { code: "ECONNRESET" } }),
    ],
  ])("repeats the request after %s and says how often", async (_, error) => {
    const inner = failing([error, error]);
    const response = await run(retrying(inner));
    expect(response).toMatchObject({ probabilities: [0], requests: 3, retries: 2 });
    expect(inner.requests).toEqual([request, request, request]);
  });

  it.each<[string, unknown]>([
    ["400", http(400)],
    ["401", http(401)],
    ["403", http(403)],
    ["404", http(404)],
    ["422", http(422)],
    ["a refusal", new JudgeResponseError("x", { reason: "refused" })],
    ["a malformed reply", new JudgeResponseError("x", { reason: "malformed" })],
    ["an open circuit", new JudgeResponseError("x", { reason: "circuit-open" })],
    ["a bug", new TypeError("x is not a function")],
    ["control flow", { is_bubble_up: true, status: 503 }],
  ])("does not repeat it after %s", async (_, error) => {
    const inner = failing([error, error]);
    expect(await run(retrying(inner))).toBe(error);
    expect(inner.requests).toHaveLength(1);
  });

  it("gives up after `retries` repetitions; the error carries the number of requests", async () => {
    const inner = failing(Array.from({ length: 9 }, () => http(503)));
    expect(await run(retrying(inner, { retries: 3 }))).toMatchObject({ status: 503, attempts: 4 });
    expect(inner.requests).toHaveLength(4);
  });

  it("waits twice as long each time, up to `maxDelayMs`, and at least half of that", async () => {
    const times: number[] = [];
    const judge = retrying(
      () => {
        times.push(Date.now());
        throw http(503);
      },
      { retries: 4, baseDelayMs: 100, maxDelayMs: 300 },
    );
    await run(judge);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, full] of [100, 200, 300, 300].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(full / 2 - 1);
      expect(waits[index]).toBeLessThanOrEqual(full + 1);
    }
  });

  it("honours a Retry-After that fits into the budget, even beyond `maxDelayMs`", async () => {
    const inner = failing([http(429, 1500)]);
    await run(retrying(inner, { maxDelayMs: 200 }), { deadline: 2000 });
    expect(inner.requests).toHaveLength(2);
    expect(Date.now()).toBeGreaterThanOrEqual(1500);
  });

  it("gives up at once on a Retry-After that does not fit", async () => {
    const inner = failing([http(429, 3_600_000)]);
    expect(await run(retrying(inner), { deadline: 2000 })).toMatchObject({
      status: 429,
      attempts: 1,
    });
    expect(Date.now()).toBe(0);
    expect(inner.requests).toHaveLength(1);
  });

  it("without a deadline takes a Retry-After up to `maxDelayMs` only", async () => {
    const long = failing([http(429, 1001)]);
    await run(retrying(long));
    expect(long.requests).toHaveLength(1);
    const short = failing([http(429, 999)]);
    await run(retrying(short));
    expect(short.requests).toHaveLength(2);
  });

  it("starts no wait that would outlast the budget", async () => {
    const inner = failing([http(503)]);
    await run(retrying(inner, { baseDelayMs: 1000 }), { deadline: 400 });
    expect(inner.requests).toHaveLength(1);
  });

  it("ends a wait when the signal aborts, with its reason, and leaves no timer", async () => {
    const inner = failing([http(503)]);
    const controller = new AbortController();
    const call = retrying(inner, { baseDelayMs: 1000 })
      .judge(request, { signal: controller.signal })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    const reason = new JudgeTimeoutError(10);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(inner.requests).toHaveLength(1);
  });

  it("ends with the signal even if the judge ignores it", async () => {
    const controller = new AbortController();
    const call = retrying(fakeJudge({ hang: true, ignoreSignal: true }))
      .judge(request, { signal: controller.signal })
      .catch((error: unknown) => error);
    controller.abort("stop");
    expect(await call).toBe("stop");
  });

  it("asks nothing when the signal has aborted before", async () => {
    const inner = fakeJudge();
    expect(await run(retrying(inner), { signal: AbortSignal.abort("stop") })).toBe("stop");
    expect(inner.requests).toHaveLength(0);
  });

  it("keeps id, batch size and thresholds, and takes a function", async () => {
    const inner = fakeJudge({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
    const shown = retrying(inner);
    expect(shown).toMatchObject({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
    expect(await run(retrying(() => [0.4]))).toEqual({ probabilities: [0.4] });
  });

  it("adds to the counts of the judge inside", async () => {
    const inner = failing([http(503)], { response: { requests: 2, retries: 1 } });
    expect(await run(retrying(inner))).toMatchObject({ requests: 3, retries: 2 });
  });

  it("refuses wrong options at construction", () => {
    expect(() => retrying(fakeJudge(), { retries: -1 })).toThrow(
      "Expected `retries` to be an integer from 0, got `-1` (number).",
    );
    expect(() => retrying(fakeJudge(), JSON.parse('{"tries":1}'))).toThrow(InvalidOptionsError);
  });
});
