import { describe, expect, it, vi } from "vitest";
import { JudgeHttpError, JudgeResponseError, JudgeTimeoutError } from "../../../src/errors.js";
import { notAwaited } from "../../../src/core/abort.js";
import type { Judge, JudgeRequest, Selection } from "../../../src/core/types.js";
import { circuitBreaking } from "../../../src/judges/wrappers/circuit-breaking.js";
import { guardJudge } from "../../../src/judges/wrappers/guard-judge.js";
import { fakeJudge } from "../../../src/testing/fake-judge.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";

const request: JudgeRequest = {
  context: { request: "Where is it?", messages: [] },
  candidates: [
    { name: "a", description: "A." },
    { name: "b", description: "B." },
  ],
};

const http = (status: number | null, code?: string): JudgeHttpError =>
  new JudgeHttpError("failed", { status, code: code ?? null });

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => ({ answered: value }),
    (error: unknown) => error,
  );

/** A judge behind a breaker whose behaviour and clock the test sets. */
function rig(options: { failures?: number; openMs?: number } = {}) {
  const state = { time: 0, calls: 0, warnings: [] as string[], behave: (): unknown => [0.9, 0.1] };
  const judge = circuitBreaking(
    async () => {
      state.calls += 1;
      const answer = await state.behave();
      return answer as readonly number[];
    },
    {
      failures: 3,
      openMs: 1000,
      ...options,
      now: () => state.time,
      logger: { warn: (message) => state.warnings.push(message) },
    },
  );
  const ask = (signal: AbortSignal = new AbortController().signal): Promise<unknown> =>
    failureOf(judge.judge(request, { signal }));
  return {
    state,
    ask,
    judge,
    throwing: (error: unknown) => {
      state.behave = () => {
        throw error;
      };
    },
    answering: () => {
      state.behave = () => [0.9, 0.1];
    },
    /** Whether the next call reaches the judge. */
    isOpen: async (): Promise<boolean> => {
      const before = state.calls;
      await ask();
      return state.calls === before;
    },
  };
}

describe("circuitBreaking", () => {
  it.each<[string, unknown]>([
    ["a failure status", http(503)],
    ["no connection", http(null)],
    ["400", http(400)],
    ["a malformed reply", new JudgeResponseError("x", { reason: "malformed" })],
    ["a reply that is too large", new JudgeResponseError("x", { reason: "too-large" })],
    ["a timeout", new JudgeTimeoutError(5)],
    ["a bug", new TypeError("x")],
  ])("stops asking after `failures` times %s in a row", async (_, error) => {
    const { ask, state, throwing } = rig();
    throwing(error);
    for (let call = 0; call < 3; call += 1) expect(await ask()).toBe(error);
    expect(await ask()).toMatchObject({ name: "JudgeResponseError", reason: "circuit-open" });
    expect(state.calls).toBe(3);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["too few answers", [0.5]],
    ["too many answers", [0.5, 0.5, 0.5]],
    ["no valid answer at all", ["0.5", 7]],
  ])("counts a reply with %s", async (_, reply) => {
    const { ask, state, isOpen } = rig();
    state.behave = () => reply;
    for (let call = 0; call < 3; call += 1) await ask();
    expect(await isOpen()).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a refusal", new JudgeResponseError("x", { reason: "refused" })],
    ["a truncated reply", new JudgeResponseError("x", { reason: "truncated" })],
    ["a request that was too large", http(400, "max_tokens_exceeded")],
    ["413", http(413)],
    ["an open circuit further in", new JudgeResponseError("x", { reason: "circuit-open" })],
    ["control flow", { is_bubble_up: true }],
  ])("does not count %s", async (_, error) => {
    const { ask, throwing, isOpen } = rig();
    throwing(error);
    for (let call = 0; call < 9; call += 1) expect(await ask()).toBe(error);
    expect(await isOpen()).toBe(false);
  });

  it("does not count refusals of single tools, however many", async () => {
    const inner = fakeJudge({ otherwise: undefined, response: { missing: "refused" } });
    const judge = circuitBreaking(inner, { failures: 1 });
    for (let call = 0; call < 3; call += 1) {
      await judge.judge(request, { signal: new AbortController().signal });
    }
    expect(inner.requests).toHaveLength(3);
  });

  it("counts abstentions as answers", async () => {
    const { ask, state, isOpen } = rig({ failures: 1 });
    state.behave = () => [null, null];
    await ask();
    expect(await isOpen()).toBe(false);
  });

  it("does not count calls that the caller aborts, but does count our own timeout", async () => {
    const hanging = fakeJudge({ hang: true, ignoreSignal: true });
    const judge = circuitBreaking(hanging, { failures: 1 });
    async function abortWith(reason: unknown): Promise<unknown> {
      const controller = new AbortController();
      const call = failureOf(judge.judge(request, { signal: controller.signal }));
      controller.abort(reason);
      return call;
    }
    expect(await abortWith("by the caller")).toBe("by the caller");
    expect(await abortWith(new Error("by the caller"))).toMatchObject({ message: "by the caller" });
    expect(await abortWith(new JudgeTimeoutError(5))).toBeInstanceOf(JudgeTimeoutError);
    expect(await abortWith("late")).toMatchObject({ reason: "circuit-open" });
  });

  it("starts counting anew after an answer", async () => {
    const { ask, throwing, answering, isOpen } = rig();
    throwing(http(500));
    await ask();
    await ask();
    answering();
    await ask();
    throwing(http(500));
    await ask();
    await ask();
    expect(await isOpen()).toBe(false);
  });

  it.each<[string, unknown]>([
    ["401", http(401)],
    ["403", http(403)],
    ["a refused parameter", http(400, "unsupported_parameter")],
    ["an unknown model", http(404, "model_not_found")],
  ])(
    "opens at once on %s, with one warning that repeats nothing of the reply",
    async (_, error) => {
      const { ask, state, throwing, isOpen } = rig();
      throwing(error);
      await ask();
      expect(await isOpen()).toBe(true);
      state.time = 1000;
      await ask();
      state.time = 2000;
      await ask();
      expect(state.calls).toBe(3);
      expect(state.warnings).toHaveLength(1);
      expect(state.warnings[0]).toContain("check its configuration");
    },
  );

  it("lets one call through after `openMs`; an answer closes the circuit", async () => {
    const { ask, state, throwing, answering, isOpen } = rig({ failures: 1 });
    throwing(http(503));
    await ask();
    answering();
    state.time = 999;
    expect(await isOpen()).toBe(true);
    state.time = 1000;
    expect(await ask()).toMatchObject({ answered: { probabilities: [0.9, 0.1] } });
    expect(await isOpen()).toBe(false);
    expect(state.warnings).toHaveLength(1);
  });

  it("counts from the start again once it has closed", async () => {
    const { ask, state, throwing, answering, isOpen } = rig({ failures: 2 });
    throwing(http(503));
    await ask();
    await ask();
    answering();
    state.time = 1000;
    await ask();
    throwing(http(503));
    await ask();
    expect(await isOpen()).toBe(false);
    expect(await isOpen()).toBe(true);
  });

  it("lets the other batches fail fast while the one probe is under way", async () => {
    const { ask, state, throwing } = rig({ failures: 1 });
    throwing(http(503));
    await ask();
    state.time = 1000;
    let finish: (answer: readonly number[]) => void = () => {};
    state.behave = () => new Promise((resolve) => (finish = resolve));
    const probe = ask();
    for (let call = 0; call < 3; call += 1) {
      expect(await ask()).toMatchObject({ reason: "circuit-open" });
    }
    finish([0.9, 0.1]);
    expect(await probe).toMatchObject({ answered: {} });
    expect(state.calls).toBe(2);
  });

  it("stays open for another `openMs` when the probe fails", async () => {
    const { ask, state, throwing, isOpen } = rig({ failures: 3 });
    throwing(http(503));
    for (let call = 0; call < 3; call += 1) await ask();
    state.time = 1000;
    await ask();
    state.time = 1999;
    expect(await isOpen()).toBe(true);
    state.time = 2000;
    expect(await isOpen()).toBe(false);
  });

  it("lets the next call be the probe when a caller aborts the first one", async () => {
    const { ask, state, throwing, answering, isOpen } = rig({ failures: 1 });
    throwing(http(503));
    await ask();
    state.time = 1000;
    state.behave = () => new Promise(() => {});
    const controller = new AbortController();
    const probe = ask(controller.signal);
    controller.abort("left");
    expect(await probe).toBe("left");
    answering();
    expect(await isOpen()).toBe(false);
  });

  it("closes again under turns of several batches, although each ends early beside its probe", async () => {
    const state = { time: 0, isDown: true, calls: 0 };
    const judge = circuitBreaking(
      {
        id: "two-at-a-time",
        batchSize: 2,
        async judge({ candidates }, { signal }) {
          state.calls += 1;
          if (state.isDown) throw http(503);
          await new Promise((resolve) => {
            setTimeout(resolve, 5);
          });
          signal.throwIfAborted();
          return { probabilities: candidates.map(() => 0.05) };
        },
      },
      { failures: 1, openMs: 1000, now: () => state.time },
    );
    const selector = createToolSelector({ judge, mode: "enforce" });
    const select = (): Promise<Selection> =>
      selector.select({
        messages: [{ role: "user", text: "Where is it?" }],
        tools: ["a", "b", "c", "d", "e", "f"].map((name) => ({
          name,
          description: `Does ${name}.`,
        })),
      });
    await select();
    state.isDown = false;
    state.calls = 0;
    state.time = 2000;
    const halfOpen = await select();
    expect(halfOpen).toMatchObject({ fallback: true, reason: "judge-error" });
    expect(halfOpen.tools).toHaveLength(6);
    await vi.waitFor(async () => {
      expect(await select()).toMatchObject({ status: "decided", reason: "none-applicable" });
    });
    expect(state.calls).toBe(1 + 3);
  });

  it("ends a probe with its budget, also where its turn has ended before", async () => {
    const state = { time: 0, reasons: [] as unknown[] };
    const judge = circuitBreaking(
      async (_, { signal }) => {
        if (state.time === 0) throw http(503);
        return new Promise<never>(() => {
          signal.addEventListener("abort", () => state.reasons.push(signal.reason));
        });
      },
      { failures: 1, openMs: 1000, now: () => state.time },
    );
    const early = new AbortController();
    const deadline = Date.now() + 30;
    await failureOf(judge.judge(request, { signal: early.signal }));
    state.time = 1000;
    const probe = failureOf(judge.judge(request, { signal: early.signal, deadline }));
    early.abort(notAwaited);
    expect(await probe).toBe(notAwaited);
    expect(state.reasons).toEqual([]);
    await vi.waitFor(() => expect(state.reasons).toEqual([expect.any(JudgeTimeoutError)]));
    const next = await failureOf(judge.judge(request, { signal: new AbortController().signal }));
    expect(next).toMatchObject({ reason: "circuit-open" });
  });

  it("is not closed by a late answer from before the outage", async () => {
    const { ask, state, throwing, isOpen } = rig({ failures: 1 });
    let finish: (answer: readonly number[]) => void = () => {};
    state.behave = () => new Promise((resolve) => (finish = resolve));
    const late = ask();
    throwing(http(503));
    await ask();
    finish([0.9, 0.1]);
    await late;
    expect(await isOpen()).toBe(true);
  });

  it("survives a logger that throws", async () => {
    const error = http(401);
    const judge = circuitBreaking(fakeJudge({ error }), {
      logger: {
        warn: () => {
          throw new Error("logger");
        },
      },
    });
    const signal = new AbortController().signal;
    expect(await failureOf(judge.judge(request, { signal }))).toBe(error);
  });

  it("keeps id, batch size and thresholds", () => {
    const inner = fakeJudge({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
    const shown = circuitBreaking(inner);
    expect(shown).toMatchObject({
      id: "x",
      batchSize: 7,
      thresholds: { confidence: 0.6, rejection: 0.3 },
    });
  });

  it("refuses wrong options at construction", () => {
    expect(() => circuitBreaking(fakeJudge(), { failures: 0 })).toThrow(
      "Expected `failures` to be an integer from 1, got `0` (number).",
    );
    expect(() => circuitBreaking(fakeJudge(), JSON.parse('{"logger":7}'))).toThrow("`logger`");
  });
});

describe("guardJudge", () => {
  const signal = new AbortController().signal;
  const failing = (): Judge & { readonly requests: readonly unknown[] } =>
    fakeJudge({ error: http(503) });

  it("retries inside the breaker: one call of the turn is one failure", async () => {
    const inner = failing();
    const judge = guardJudge(inner, {
      retry: { retries: 1, baseDelayMs: 0 },
      breaker: { failures: 2 },
    });
    await failureOf(judge.judge(request, { signal }));
    await failureOf(judge.judge(request, { signal }));
    expect(inner.requests).toHaveLength(4);
    expect(await failureOf(judge.judge(request, { signal }))).toMatchObject({
      reason: "circuit-open",
    });
    expect(inner.requests).toHaveLength(4);
  });

  it("leaves a raw judge bare", () => {
    const inner = failing();
    expect(guardJudge(inner, { raw: true })).toBe(inner);
  });
});
