/** `run`: modes, shadow beside the model, outcome and misses, cancellation, sinks. */

import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createToolSelector, fanOut, memorySink } from "../../src/index.js";
import type { JudgeRequest, SelectionRecord, ToolSelectorOptions, Turn } from "../../src/index.js";
import { createRecorder } from "../../src/selector/recorder.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import type { FakeJudgeOptions } from "../../src/testing/fake-judge.js";
import { assistant, toolResult, toolsNamed, turnOf, user } from "../support/turns.js";
import type { TestTool } from "../support/turns.js";

const tools = toolsNamed("query", "refund");
const [query] = tools;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function setUp(judgeOptions: FakeJudgeOptions = {}, options: ToolSelectorOptions = {}) {
  const sink = memorySink();
  const judge = fakeJudge({ probabilities: { query: 0.95, refund: 0.05 }, ...judgeOptions });
  const selector = createToolSelector({ judge, mode: "enforce", sinks: sink, ...options });
  const callModel = vi.fn(
    async (_tools: readonly TestTool[], _selection?: unknown): Promise<readonly string[]> => [
      "query",
    ],
  );
  const run = (turn: Partial<Turn<TestTool>> = {}) =>
    selector.run(turnOf(tools, turn), { callModel, readOutcome: (called) => ({ called }) });
  return { sink, judge, selector, callModel, run };
}

const onlyRecord = (records: readonly SelectionRecord[]): SelectionRecord => {
  expect(records).toHaveLength(1);
  return records[0] as SelectionRecord;
};

describe("enforce", () => {
  it("calls the model with the selection and returns what it returns", async () => {
    const { callModel, run } = setUp();
    await expect(run()).resolves.toEqual(["query"]);
    expect(callModel).toHaveBeenCalledTimes(1);
    expect(callModel.mock.calls[0]?.[0]).toEqual([query]);
    expect(callModel.mock.calls[0]?.[1]).toMatchObject({ status: "decided", enforced: true });
  });

  it("passes the caller's own array on a fallback", async () => {
    const { callModel, run } = setUp({ otherwise: 0.5, probabilities: {} });
    await run();
    expect(callModel.mock.calls[0]?.[0]).toBe(tools);
  });

  it("writes one record with the outcome", async () => {
    const { sink, run } = setUp();
    await run();
    expect(onlyRecord(sink.records)).toMatchObject({
      mode: "enforce",
      enforced: true,
      threadId: "thread-1",
      status: "decided",
      reason: "selected",
      offered: { tools: 1 },
      suggested: { tools: 1 },
      outcome: { called: ["query"], missed: [], error: false },
    });
  });
});

describe("lists that the caller changes while the judge works", () => {
  it("are selected from as they were: no tool gets the answer of another", async () => {
    const catalog = [...toolsNamed("refund", "query", "cancel")];
    const messages = [user("Where is order 7?")];
    const judge = async ({ candidates }: JudgeRequest): Promise<number[]> => {
      catalog.splice(0, 1);
      messages.push(assistant("", "refund"));
      return candidates.map(({ name }) => (name === "query" ? 0.95 : 0.05));
    };
    const { selector, sink } = setUp({}, { judge });
    const [, kept] = catalog;
    const { tools: offered } = await selector.select({ messages, tools: catalog });
    expect(offered).toEqual([kept]);
    expect(offered[0]).toBe(kept);
    expect(sink.records).toEqual([]);
  });
});

describe("a turn that is an object of a class", () => {
  class ClassTurn implements Turn<TestTool> {
    readonly messages = [user("Where is order 7?")];
    readonly tools = tools;
    readonly controller = new AbortController();
    get signal(): AbortSignal {
      return this.controller.signal;
    }
    describe({ name }: TestTool) {
      return { name: name.toUpperCase(), description: "Described by the class." };
    }
  }

  it.each(["enforce", "shadow"] as const)("is read whole in %s", async (mode) => {
    const { judge, selector } = setUp({}, { mode });
    const turn = new ClassTurn();
    await selector.run(turn, { callModel: async () => [], readOutcome: () => null });
    await selector.flush();
    expect(judge.requests[0]?.candidates.map(({ name }) => name)).toEqual(["QUERY", "REFUND"]);
  });

  it("is cancelled by its signal", async () => {
    const { selector, judge } = setUp({ hang: true });
    const turn = new ClassTurn();
    const selecting = selector.select(turn);
    await vi.waitFor(() => expect(judge.requests).toHaveLength(1));
    turn.controller.abort(new Error("left"));
    await expect(selecting).rejects.toThrow("left");
    expect(judge.options[0]?.signal.reason).toEqual(new Error("left"));
  });
});

describe("off", () => {
  it("calls nothing but the model, with the caller's own array, and records nothing", async () => {
    const { sink, judge, callModel, run, selector } = setUp({}, { mode: "off" });
    await run();
    await selector.flush();
    expect(callModel.mock.calls[0]?.[0]).toBe(tools);
    expect(judge.requests).toHaveLength(0);
    expect(sink.records).toHaveLength(0);
  });
});

describe("shadow", () => {
  it("judges the turn as it was sent, whatever becomes of the caller's lists meanwhile", async () => {
    const { judge, selector, sink } = setUp({}, { mode: "shadow" });
    const catalog = [...tools];
    const messages = [user("Where is order 7?")];
    const callModel = async (): Promise<readonly string[]> => {
      messages.push(assistant("", "refund"));
      catalog.splice(0, 1);
      return ["refund"];
    };
    const turn = { messages, tools: catalog };
    await selector.run(turn, { callModel, readOutcome: (called) => ({ called }) });
    await selector.flush();
    expect(judge.requests[0]?.candidates.map(({ name }) => name)).toEqual(["query", "refund"]);
    expect(onlyRecord(sink.records)).toMatchObject({ step: 1, outcome: { missed: ["refund"] } });
  });

  const shadow = { mode: "shadow" } as const;

  it("calls the model with the caller's own array, without a selection, before the judge", async () => {
    const order: string[] = [];
    const selector = createToolSelector({
      judge: () => {
        order.push("judge");
        return [0.95, 0.05];
      },
    });
    await selector.run(turnOf(tools), {
      callModel: async (offered, selection) => {
        order.push("model");
        expect(offered).toBe(tools);
        expect(selection).toBeUndefined();
        await sleep(30);
      },
      readOutcome: () => ({ called: [] }),
    });
    expect(order).toEqual(["model", "judge"]);
  });

  it("does not wait for the judge", async () => {
    const { sink, run, selector } = setUp({ delayMs: 100 }, shadow);
    await run();
    expect(sink.records).toHaveLength(0);
    await selector.flush();
    expect(onlyRecord(sink.records)).toMatchObject({
      mode: "shadow",
      enforced: false,
      status: "decided",
      offered: { tools: 2 },
      suggested: { tools: 1 },
      outcome: { called: ["query"], missed: [] },
    });
  });

  it("records a call that it would have hidden as a miss", async () => {
    const { sink, run, selector, callModel } = setUp({}, shadow);
    callModel.mockResolvedValueOnce(["query", "refund", "refund", "unknown"]);
    await run();
    await selector.flush();
    expect(onlyRecord(sink.records).outcome).toMatchObject({
      called: ["query", "refund", "refund", "unknown"],
      missed: ["refund"],
    });
  });

  it("records no miss where the full catalog would have been restored", async () => {
    const { sink, run, selector, callModel } = setUp(
      { probabilities: { query: 0.5, refund: 0.01 } },
      shadow,
    );
    callModel.mockResolvedValueOnce(["refund"]);
    await run();
    await selector.flush();
    expect(onlyRecord(sink.records)).toMatchObject({ fallback: true, outcome: { missed: [] } });
  });

  it.each([
    ["that throws", { error: new Error("down") }],
    ["that never answers", { hang: true }],
    [
      "that throws control flow of the host",
      { error: Object.assign(new Error("i"), { is_bubble_up: true }) },
    ],
  ])("is not disturbed by a judge %s", async (_, judgeOptions) => {
    const { sink, run, selector } = setUp(judgeOptions, { ...shadow, timeoutMs: 40 });
    await expect(run()).resolves.toEqual(["query"]);
    await selector.flush();
    expect(onlyRecord(sink.records)).toMatchObject({
      status: "failed",
      fallback: true,
      outcome: { called: ["query"] },
    });
  });

  it("keeps the work alive through waitUntil", async () => {
    const waited: Promise<unknown>[] = [];
    const { sink, run } = setUp(
      { delayMs: 50 },
      { ...shadow, waitUntil: (work) => void waited.push(work) },
    );
    await run();
    expect(waited.length).toBeGreaterThan(0);
    await Promise.all(waited);
    expect(sink.records).toHaveLength(1);
  });

  it("survives a waitUntil that rejects, and warns about it", async () => {
    const warn = vi.fn(() => Promise.reject(new Error("no")) as never);
    const waitUntil = (() => Promise.reject(new Error("no"))) as () => never;
    const { run, selector } = setUp({}, { mode: "shadow", waitUntil, logger: { warn } });
    await run();
    await selector.flush();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("survives a waitUntil that throws", async () => {
    const { run } = setUp(
      {},
      {
        ...shadow,
        waitUntil: () => {
          throw new Error("no");
        },
      },
    );
    await expect(run()).resolves.toEqual(["query"]);
  });

  it("records a turn that was skipped", async () => {
    const { sink, run, selector } = setUp({}, shadow);
    await run({ messages: [] });
    await selector.flush();
    expect(onlyRecord(sink.records)).toMatchObject({
      status: "skipped",
      reason: "no-user-text",
      request: null,
      step: null,
      outcome: { called: ["query"] },
    });
  });
});

describe("a model step that fails", () => {
  it.each(["enforce", "shadow"] as const)(
    "rethrows the very error and records it, in %s",
    async (mode) => {
      const { sink, run, selector, callModel } = setUp({}, { mode });
      const error = new Error("provider down");
      callModel.mockRejectedValueOnce(error);
      await expect(run()).rejects.toBe(error);
      await selector.flush();
      expect(onlyRecord(sink.records).outcome).toMatchObject({
        called: [],
        error: true,
        usage: null,
      });
    },
  );

  it.each(["enforce", "shadow"] as const)(
    "that is control flow of the host has no outcome, in %s",
    async (mode) => {
      const { sink, run, selector, callModel } = setUp({}, { mode });
      const interrupt = Object.assign(new Error("interrupt"), { is_bubble_up: true });
      callModel.mockRejectedValueOnce(interrupt);
      await expect(run()).rejects.toBe(interrupt);
      await selector.flush();
      expect(onlyRecord(sink.records).outcome).toBeNull();
    },
  );

  it("that throws at once, without a promise, is handled alike", async () => {
    const { sink, run, callModel } = setUp();
    callModel.mockImplementationOnce(() => {
      throw new Error("sync");
    });
    await expect(run()).rejects.toThrow("sync");
    expect(onlyRecord(sink.records).outcome?.error).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["no names", () => ({})],
    ["a name that is no list", () => ({ called: "query" })],
    ["names that are no text", () => ({ called: [null, { name: "query" }] })],
    ["a promise", async () => ({ called: ["query"] })],
    ["a promise that rejects", () => Promise.reject(new Error("no"))],
    [
      "usage that throws",
      () => ({
        called: [],
        get usage(): never {
          throw new Error("no");
        },
      }),
    ],
  ])("whose outcome is %s still returns what the model answered", async (outcome, readOutcome) => {
    for (const mode of ["enforce", "shadow"] as const) {
      const { sink, selector } = setUp({}, { mode });
      const callModel = async (): Promise<string> => "ok";
      const step = { callModel, readOutcome: readOutcome as never };
      expect(await selector.run(turnOf(tools), step)).toBe("ok");
      await selector.flush();
      if (outcome !== "usage that throws") expect(onlyRecord(sink.records).outcome).toBeNull();
    }
  });

  it("with an error that throws on every access is passed on, and recorded", async () => {
    const hostile = {
      get is_bubble_up(): never {
        throw new Error("not this one");
      },
    };
    const { sink, run, callModel } = setUp();
    callModel.mockRejectedValueOnce(hostile);
    expect(await run().catch((error: unknown) => error)).toBe(hostile);
    expect(onlyRecord(sink.records).outcome?.error).toBe(true);
  });

  it("whose outcome cannot be read leaves the record without one", async () => {
    const { sink, selector } = setUp();
    await selector.run(turnOf(tools), {
      callModel: async () => "ok",
      readOutcome: () => {
        throw new Error("no");
      },
    });
    expect(onlyRecord(sink.records).outcome).toBeNull();
  });
});

describe("cancellation by the caller", () => {
  const reason = new Error("the user left");

  it("before the turn: no judge, no model, a cancelled record", async () => {
    for (const mode of ["enforce", "shadow"] as const) {
      const { sink, judge, run, selector, callModel } = setUp({}, { mode });
      await expect(run({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await selector.flush();
      expect(judge.requests).toHaveLength(0);
      expect(callModel).not.toHaveBeenCalled();
      expect(onlyRecord(sink.records)).toMatchObject({
        status: "cancelled",
        reason: "cancelled",
        outcome: null,
      });
    }
  });

  it("of a turn that would be skipped is cancelled all the same", async () => {
    const { sink, run, callModel } = setUp();
    await expect(run({ messages: [], signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(callModel).not.toHaveBeenCalled();
    expect(onlyRecord(sink.records)).toMatchObject({ status: "cancelled", reason: "cancelled" });
  });

  it("during the judge: the judge stops, the model is never called, a cancelled record with the judge's cost", async () => {
    const { sink, judge, run, callModel } = setUp({ hang: true });
    const controller = new AbortController();
    const running = run({ signal: controller.signal });
    await sleep(10);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(judge.options[0]?.signal.reason).toBe(reason);
    expect(callModel).not.toHaveBeenCalled();
    expect(onlyRecord(sink.records)).toMatchObject({
      status: "cancelled",
      fallback: false,
      judge: { requests: 1, usage: null },
      outcome: null,
    });
  });

  it("during the judge, when the judge ignores its signal", async () => {
    const { run, callModel } = setUp({ hang: true, ignoreSignal: true });
    const controller = new AbortController();
    const running = run({ signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(running).rejects.toBe(reason);
    expect(callModel).not.toHaveBeenCalled();
  });

  it("at whatever moment between judge and model: the model is never called afterwards", async () => {
    for (let microtasks = 0; microtasks < 60; microtasks += 1) {
      const controller = new AbortController();
      const abortLater = async (): Promise<void> => {
        for (let left = microtasks; left > 0; left -= 1) await Promise.resolve();
        controller.abort(reason);
      };
      const reply = ({ candidates }: JudgeRequest): unknown => {
        void abortLater();
        return { probabilities: candidates.map(() => 0.95) };
      };
      const { sink, run, callModel } = setUp({ reply });
      callModel.mockImplementationOnce(async () => {
        expect(controller.signal.aborted).toBe(false);
        return [];
      });
      const answer = await run({ signal: controller.signal }).catch((error: unknown) => error);
      const wasCalled = callModel.mock.calls.length === 1;
      expect(answer).toEqual(wasCalled ? [] : reason);
      expect(onlyRecord(sink.records).status).toBe(wasCalled ? "decided" : "cancelled");
    }
  });

  it("during the model, in shadow: the judge stops too", async () => {
    const { sink, judge, run, selector, callModel } = setUp({ hang: true }, { mode: "shadow" });
    const controller = new AbortController();
    callModel.mockImplementationOnce(
      () =>
        new Promise((_, reject) =>
          controller.signal.addEventListener("abort", () => reject(reason)),
        ),
    );
    const running = run({ signal: controller.signal });
    await sleep(20);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await selector.flush();
    expect(judge.options[0]?.signal.aborted).toBe(true);
    expect(onlyRecord(sink.records)).toMatchObject({
      status: "cancelled",
      outcome: { error: true },
    });
  });

  it("is heard by one listener for any number of turns, and by none afterwards", async () => {
    const { run } = setUp({ delayMs: 20 });
    const { signal } = new AbortController();
    const running = Array.from({ length: 30 }, () => run({ signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(running);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("makes `select` reject with the caller's reason, and with nothing else", async () => {
    const { selector } = setUp({ hang: true });
    const controller = new AbortController();
    const selecting = selector.select(turnOf(tools, { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 10);
    await expect(selecting).rejects.toBe(reason);
  });

  it("is not what our own timeout is: that falls back", async () => {
    const { run, callModel } = setUp({ hang: true }, { timeoutMs: 20 });
    await run({ signal: new AbortController().signal });
    expect(callModel.mock.calls[0]?.[0]).toBe(tools);
  });
});

describe("control flow of the host that a judge throws", () => {
  it("is rethrown out of `context` and `redact` as well", async () => {
    const interrupt = Object.assign(new Error("interrupt"), { is_bubble_up: true });
    const fail = (): never => {
      throw interrupt;
    };
    for (const options of [{ context: fail }, { redact: fail }]) {
      const { sink, run, callModel } = setUp({}, options);
      await expect(run()).rejects.toBe(interrupt);
      expect(callModel).not.toHaveBeenCalled();
      expect(onlyRecord(sink.records).status).toBe("cancelled");
    }
  });

  const interrupt = Object.assign(new Error("interrupt"), { is_bubble_up: true });

  it("is rethrown in enforce, without calling the model", async () => {
    const { sink, run, callModel } = setUp({ error: interrupt });
    await expect(run()).rejects.toBe(interrupt);
    expect(callModel).not.toHaveBeenCalled();
    expect(onlyRecord(sink.records)).toMatchObject({ status: "cancelled", outcome: null });
  });
});

describe("select", () => {
  it("writes nothing", async () => {
    const { sink, selector } = setUp();
    const selection = await selector.select(turnOf(tools));
    await selector.flush();
    expect(sink.records).toHaveLength(0);
    expect(selection.record.outcome).toBeNull();
  });
});

describe("a record", () => {
  it("counts a call of a hidden tool as a miss, however long its name", async () => {
    const name = `${"n".repeat(255)}😀${"n".repeat(9000)}`;
    const { sink, selector } = setUp();
    await selector.run(turnOf(toolsNamed("query", name)), {
      callModel: async () => "ok",
      readOutcome: () => ({ called: [name] }),
    });
    const { outcome, tools: listed } = onlyRecord(sink.records);
    expect(outcome?.missed).toEqual(["n".repeat(255)]);
    expect(outcome?.called).toEqual(outcome?.missed);
    expect(listed[1]?.name).toBe(outcome?.missed[0]);
  });

  it("holds no message text", async () => {
    const { sink, run } = setUp();
    await run({
      messages: [
        { role: "system", text: "CANARY-system" },
        user("CANARY-user"),
        assistant("CANARY-assistant", "query"),
        toolResult("query", "CANARY-result"),
      ],
    });
    expect(JSON.stringify(onlyRecord(sink.records))).not.toContain("CANARY");
  });

  it("holds what the judge saw with `content: true`, after redaction", async () => {
    const { sink, run } = setUp(
      {},
      { content: true, redact: (text) => text.replace("CANARY", "***") },
    );
    await run({ messages: [user("CANARY hello")] });
    expect(onlyRecord(sink.records)["content"]).toEqual({
      request: "*** hello",
      messages: [{ role: "user", text: "*** hello" }],
    });
  });

  it.each([
    ["the id of the last user message", [user("a", "m1"), user("b", "m2")], "m2", 1],
    ["its ordinal if it has no id", [user("a"), assistant("x"), user("b")], "2", 1],
    [
      "the model turns since it",
      [
        user("a", "m1"),
        assistant("", "query"),
        toolResult("query", "r"),
        assistant("", "query"),
        toolResult("query", "r"),
      ],
      "m1",
      3,
    ],
  ])("locates the turn by %s", async (_, messages, request, step) => {
    const { sink, run } = setUp();
    await run({ messages });
    expect(onlyRecord(sink.records)).toMatchObject({ request, step });
  });

  it("names agent, version, run and group, and the model's own usage", async () => {
    const { sink, selector } = setUp(
      {},
      { agent: "support", version: "v1", now: () => 1_700_000_000_000, newId: () => "id-1" },
    );
    await selector.run(turnOf(tools, { runId: "r", groupId: "g" }), {
      callModel: async () => null,
      readOutcome: () => ({
        called: ["query"],
        model: "gpt-x",
        usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60 },
      }),
    });
    expect(onlyRecord(sink.records)).toMatchObject({
      id: "id-1",
      time: "2023-11-14T22:13:20.000Z",
      agent: "support",
      version: "v1",
      runId: "r",
      groupId: "g",
      policyFingerprint: selector.policyFingerprint,
      outcome: {
        model: "gpt-x",
        usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60, cacheWriteTokens: null },
      },
    });
  });

  it("has the same fingerprint for the same list, and another for another", async () => {
    const { sink, run } = setUp();
    await run();
    await run();
    await run({ tools: tools.toReversed() });
    const [first, second, third] = sink.records;
    expect(second?.offered.fingerprint).toBe(first?.offered.fingerprint);
    expect(second?.catalog.fingerprint).toBe(first?.catalog.fingerprint);
    expect(third?.catalog.fingerprint).not.toBe(first?.catalog.fingerprint);
    expect(first?.offered.fingerprint).not.toBe(first?.catalog.fingerprint);
  });
});

describe("sinks", () => {
  const failing = {
    write: () => {
      throw new Error("disk full");
    },
  };
  const rejecting = { write: () => Promise.reject(new Error("disk full")) };
  const stalling = { write: () => new Promise<void>(() => undefined) };

  it.each([
    ["throws", failing],
    ["rejects", rejecting],
    ["stalls", stalling],
  ])("one that %s never affects a turn, nor the other sinks", async (_, sink) => {
    for (const mode of ["enforce", "shadow"] as const) {
      const other = memorySink();
      const { run, selector } = setUp({}, { mode, sinks: [sink, other] });
      await expect(run()).resolves.toEqual(["query"]);
      await selector.flush({ timeoutMs: 50 });
      expect(other.records).toHaveLength(1);
    }
  });

  it("failures are counted, and warned about once", async () => {
    const warn = vi.fn();
    const { run, selector } = setUp({}, { sinks: [failing, rejecting], logger: { warn } });
    await run();
    await run();
    expect(selector.sinkFailures).toBe(4);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("that never answer keep no other sink from being flushed", async () => {
    const flush = vi.fn(async () => undefined);
    const stalled = { write: () => new Promise<void>(() => undefined) };
    for (const mode of ["enforce", "shadow"] as const) {
      const sinks = [stalled, { write: () => undefined, flush }];
      const { run, selector } = setUp({}, { mode, sinks });
      await run();
      await selector.flush({ timeoutMs: 100 });
    }
    expect(flush).toHaveBeenCalledTimes(2);
  });

  it("that never answer hold a bounded number of records; the others are counted", async () => {
    const write = vi.fn(() => new Promise<void>(() => undefined));
    const recorder = createRecorder([{ write }], vi.fn(), undefined);
    const { record } = await setUp().selector.select(turnOf(tools));
    for (let index = 0; index < 10_003; index += 1) recorder.emit(record, null);
    expect(write).toHaveBeenCalledTimes(10_000);
    expect(recorder.failures).toBe(3);
  });

  it("are flushed and closed", async () => {
    const sink = {
      write: vi.fn(),
      flush: vi.fn(async () => undefined),
      close: vi.fn(async () => undefined),
    };
    const { selector } = setUp({}, { sinks: fanOut(sink) });
    await selector.flush();
    expect(sink.flush).toHaveBeenCalledTimes(1);
    await selector.close();
    expect(sink.close).toHaveBeenCalledTimes(1);
  });

  it("that never flush hold `flush` for its timeout only", async () => {
    const sink = { write: () => undefined, flush: () => new Promise<void>(() => undefined) };
    const { selector } = setUp({}, { sinks: sink });
    await selector.flush({ timeoutMs: 20 });
  });
});
