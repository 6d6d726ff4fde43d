/**
 * Options, thresholds, the kill switch, rollout shares, overrides, and the fingerprint of a policy.
 */

import { describe, expect, it, vi } from "vitest";
import { InvalidOptionsError, createToolSelector, memorySink } from "../../src/index.js";
import type { Mode, ToolSelectorOptions, Turn } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { numberedTools, toolsNamed, turnOf } from "../support/turns.js";
import type { TestTool } from "../support/turns.js";

const tools = toolsNamed("query", "refund", "help");
const judge = fakeJudge({ probabilities: { query: 0.95 }, otherwise: 0.05 });
const select = (options: ToolSelectorOptions, turn: Partial<Turn<TestTool>> = {}) =>
  createToolSelector({ judge, ...options }).select(turnOf(tools, turn));

describe("options", () => {
  it("have the documented defaults", () => {
    const { options } = createToolSelector({ judge });
    expect(options).toMatchObject({
      mode: "shadow",
      maxTools: 8,
      batchSize: 64,
      concurrency: 4,
      timeoutMs: 2000,
      alwaysInclude: [],
      onUncertain: "fallback",
      pinHistory: true,
      minCandidates: 1,
      content: false,
      context: { strategy: "recent-window", maxMessages: 8, maxChars: 8000 },
      limits: { descriptionChars: 2000, schemaChars: 4000, batchChars: 100_000 },
    });
  });

  it.each([
    [{ maxTools: 0 }, "Expected `maxTools` to be an integer from 1, got `0` (number)."],
    [{ maxTools: 1.5 }, "Expected `maxTools` to be an integer from 1, got `1.5` (number)."],
    [{ maxTools: "8" }, 'Expected `maxTools` to be an integer from 1, got `"8"` (string).'],
    [{ mode: "on" }, 'Expected `mode` to be "off", "shadow" or "enforce", got `"on"` (string).'],
    [{ batchSize: Number.NaN }, "Expected `batchSize`"],
    [{ concurrency: 0 }, "Expected `concurrency`"],
    [{ timeoutMs: 0 }, "Expected `timeoutMs`"],
    [{ timeoutMs: 2 ** 31 }, "Expected `timeoutMs` to be an integer from 1 to 2147483647"],
    [{ minCandidates: 0 }, "Expected `minCandidates`"],
    [{ confidenceThreshold: 1.1 }, "Expected `confidenceThreshold` to be a number from 0 to 1"],
    [{ rejectionThreshold: -0.1 }, "Expected `rejectionThreshold` to be a number from 0 to 1"],
    [
      { confidenceThreshold: 0.2, rejectionThreshold: 0.2 },
      "Expected `rejectionThreshold` to be below `confidenceThreshold`",
    ],
    [
      { judge: fakeJudge(), confidenceThreshold: 0.1 },
      "Expected `rejectionThreshold` to be below `confidenceThreshold`",
    ],
    [{ onUncertain: "drop" }, 'Expected `onUncertain` to be "fallback" or "keep"'],
    [{ alwaysInclude: "help" }, "Expected `alwaysInclude` to be an array of names and globs"],
    [{ alwaysInclude: [7] }, "Expected `alwaysInclude.0` to be a string, got `7` (number)."],
    [{ judge: { id: "x" } }, "Expected `judge` to be a judge ({ id, judge }) or a function"],
    [{ sinks: [{}] }, "Expected `sinks` to be a sink ({ write }) or an array of sinks"],
    [{ enforceShare: 2 }, "Expected `enforceShare` to be a number from 0 to 1, got `2` (number)."],
    [
      { context: { maxChars: 0 } },
      "Expected `context.maxChars` to be an integer from 1, got `0` (number).",
    ],
    [{ limits: { batchChars: 0 } }, "Expected `limits.batchChars`"],
    [{ logger: {} }, "Expected `logger` to be a logger with a `warn` function"],
    [{ redact: "no" }, "Expected `redact` to be a function"],
    [{ sticky: true }, 'Expected `sticky` to be "off", "run" or "thread", got `true` (boolean).'],
    [{ stickyMax: 0 }, "Expected `stickyMax` to be an integer from 1, got `0` (number)."],
    [{ rejudge: "never" }, 'Expected `rejudge` to be "every-turn" or "user-message"'],
    [{ enforcement: "tool-choice" }, 'Expected `enforcement` to be "omit" or "allowed-tools"'],
    [{ fallbackMaxTools: 0 }, "Expected `fallbackMaxTools` to be an integer from 1"],
    [{ keepTogether: [["login"]] }, "Expected `keepTogether.0` to be an array of at least two"],
    [{ memory: { maxThreads: 0 } }, "Expected `memory.maxThreads` to be an integer from 1"],
    [{ shortlist: { size: 300 } }, "Expected `shortlist.size` to be at most `over`"],
    [{ shortlist: { index: {} } }, "Expected `shortlist.index` to be a tool index"],
    [{ findTools: "yes" }, "Expected `findTools` to be true, false or { name, limit, index }"],
    [{ findTools: { limit: 21 } }, "Expected `findTools.limit` to be an integer from 1 to 20"],
    [{ findTools: { nam: "x" } }, "createToolSelector has no option `findTools.nam`."],
    [{ guard: "on" }, "Expected `guard` to be true or false"],
    [{ maxTool: 8 }, "createToolSelector has no option `maxTool`."],
  ])("%j is refused at construction", (options, message) => {
    expect(() => createToolSelector(options as ToolSelectorOptions)).toThrow(InvalidOptionsError);
    expect(() => createToolSelector(options as ToolSelectorOptions)).toThrow(message);
  });

  it("names every option that is wrong", () => {
    expect(() => createToolSelector({ maxTools: 0, batchSize: 0 })).toThrow(/batchSize.*maxTools/);
  });

  it("refuses a judge whose batch size is no size", () => {
    expect(() => createToolSelector({ judge: fakeJudge({ batchSize: 0 }) })).toThrow(
      "`judge.batchSize`",
    );
  });
});

describe("thresholds", () => {
  const scaled = fakeJudge({
    probabilities: { query: 0.3, refund: 0.001 },
    otherwise: 0.1,
    thresholds: { confidence: 0.3, rejection: 0.002 },
  });

  it("are the judge's own where it has some", async () => {
    const selection = await select({ judge: scaled, mode: "enforce", onUncertain: "keep" });
    expect(selection.outcomes.map(({ verdict }) => verdict)).toEqual([
      "applicable",
      "not-applicable",
      "uncertain",
    ]);
    expect(selection.record.policy).toMatchObject({
      confidenceThreshold: 0.3,
      rejectionThreshold: 0.002,
    });
  });

  it("are the user's where given, one by one", async () => {
    const selection = await select({
      judge: scaled,
      rejectionThreshold: 0.15,
      onUncertain: "keep",
    });
    expect(selection.outcomes.map(({ verdict }) => verdict)).toEqual([
      "applicable",
      "not-applicable",
      "not-applicable",
    ]);
  });

  it("are 0.8 and 0.2 otherwise", () => {
    const { options } = createToolSelector({ judge });
    expect(options).toMatchObject({ confidenceThreshold: 0.8, rejectionThreshold: 0.2 });
  });

  it("of a judge that are no thresholds are refused at construction", () => {
    const broken = fakeJudge({ thresholds: { confidence: 0.1, rejection: 0.5 } });
    expect(() => createToolSelector({ judge: broken })).toThrow(InvalidOptionsError);
  });
});

describe("`mode` as a function", () => {
  it.each(["enforce", "shadow", "off"] as const)("answers %s, sync or async", async (mode) => {
    for (const answer of [() => mode, async () => mode]) {
      const selection = await select({ mode: answer });
      expect(selection.record.mode).toBe(mode);
    }
  });

  it("gets the turn", async () => {
    const mode = (turn: Turn): Mode => (turn.threadId === "vip" ? "enforce" : "off");
    expect((await select({ mode }, { threadId: "vip" })).enforced).toBe(true);
    expect((await select({ mode }, { threadId: "other" })).reason).toBe("mode-off");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("flags are down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("flags are down"))],
    ["never answers", () => new Promise<Mode>(() => undefined)],
    ["answers nonsense", () => "on" as Mode],
  ])("means shadow if it %s, and says so once", async (_, mode) => {
    const warn = vi.fn();
    const selector = createToolSelector({ judge, mode, timeoutMs: 30, logger: { warn } });
    const selection = await selector.select(turnOf(tools));
    await selector.select(turnOf(tools));
    expect(selection.record.mode).toBe("shadow");
    expect(selection.tools).toBe(tools);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

it("a turn that is cancelled while `mode` is asked is no failure of `mode`", async () => {
  const warn = vi.fn();
  const mode = () => new Promise<Mode>(() => undefined);
  const selector = createToolSelector({ judge, mode, logger: { warn } });
  const controller = new AbortController();
  const selecting = selector.select(turnOf(tools, { signal: controller.signal }));
  controller.abort(new Error("left"));
  await expect(selecting).rejects.toThrow("left");
  expect(warn).not.toHaveBeenCalled();
});

describe("enforceShare", () => {
  const threads = Array.from({ length: 400 }, (_, index) => `thread-${index}`);
  const enforced = async (options: ToolSelectorOptions): Promise<readonly boolean[]> => {
    const selector = createToolSelector({ judge, mode: "enforce", ...options });
    const selections = await Promise.all(
      threads.map((threadId) => selector.select(turnOf(tools, { threadId }))),
    );
    return selections.map((selection) => selection.enforced);
  };

  it("enforces for about that share of the threads, always the same ones, and only adds when it grows", async () => {
    const quarter = await enforced({ enforceShare: 0.25 });
    const half = await enforced({ enforceShare: () => 0.5 });
    expect(await enforced({ enforceShare: 0.25 })).toEqual(quarter);
    expect(quarter.filter(Boolean).length).toBeGreaterThan(60);
    expect(quarter.filter(Boolean).length).toBeLessThan(140);
    expect(quarter.every((is, index) => !is || half[index])).toBe(true);
  });

  it("0 enforces nowhere, 1 everywhere", async () => {
    expect((await enforced({ enforceShare: 0 })).some(Boolean)).toBe(false);
    expect((await enforced({ enforceShare: 1 })).every(Boolean)).toBe(true);
  });

  it("leaves a turn without a thread id in shadow", async () => {
    const turn = { messages: turnOf(tools).messages, tools };
    const selection = await createToolSelector({ judge, mode: "enforce", enforceShare: 1 }).select(
      turn,
    );
    expect(selection.record).toMatchObject({ mode: "shadow", enforceShare: 1 });
  });

  it("is recorded on both sides, and null where there is none", async () => {
    expect((await select({ mode: "enforce", enforceShare: 0 })).record.enforceShare).toBe(0);
    expect((await select({ mode: "enforce", enforceShare: 1 })).record.enforceShare).toBe(1);
    expect((await select({ mode: "enforce" })).record.enforceShare).toBeNull();
    expect((await select({ mode: "shadow", enforceShare: 1 })).record.enforceShare).toBeNull();
  });

  it.each([
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
    () => 7,
  ])("that cannot be had means shadow", async (enforceShare) => {
    expect((await select({ mode: "enforce", enforceShare })).record.mode).toBe("shadow");
  });
});

describe("shadowShare", () => {
  it("leaves the other shadow threads unjudged", async () => {
    const idle = fakeJudge();
    const selection = await select({ judge: idle, shadowShare: 0 });
    expect(idle.requests).toHaveLength(0);
    expect(selection).toMatchObject({ status: "skipped", reason: "not-sampled" });
    expect((await select({ shadowShare: 1 })).status).toBe("decided");
  });

  it("does not touch enforced turns", async () => {
    expect((await select({ mode: "enforce", shadowShare: 0 })).status).toBe("decided");
  });

  it("as a slow function does not delay the model", async () => {
    const selector = createToolSelector({
      judge,
      shadowShare: () => new Promise(() => undefined),
      timeoutMs: 300,
    });
    const started = performance.now();
    await selector.run(turnOf(tools), {
      callModel: async () => 0,
      readOutcome: () => ({ called: [] }),
    });
    expect(performance.now() - started).toBeLessThan(250);
  });
});

describe("overrides of a turn", () => {
  it("change mode, maxTools and alwaysInclude, which adds; the record shows the effective values", async () => {
    const selection = await select(
      { alwaysInclude: ["help"] },
      { overrides: { mode: "enforce", maxTools: 1, alwaysInclude: ["ref*"] } },
    );
    expect(selection.tools).toEqual(tools);
    expect(selection.outcomes.map(({ reason }) => reason)).toEqual([
      "applicable",
      "always-include",
      "always-include",
    ]);
    expect(selection.record).toMatchObject({ mode: "enforce", policy: { maxTools: 1 } });
  });

  it("of the mode win over a share", async () => {
    const selection = await select(
      { mode: "enforce", enforceShare: 0 },
      { overrides: { mode: "enforce" } },
    );
    expect(selection.enforced).toBe(true);
  });

  it("give the turn a policy fingerprint of its own", async () => {
    const plain = await select({});
    const overridden = await select({}, { overrides: { maxTools: 3 } });
    expect(overridden.record.policyFingerprint).not.toBe(plain.record.policyFingerprint);
    expect(overridden.record["overrides"]).toBe(true);
    expect(plain.record["overrides"]).toBeUndefined();
    expect((await select({}, { overrides: {} })).record.policyFingerprint).toBe(
      plain.record.policyFingerprint,
    );
  });

  it("that throw on every access are ignored", async () => {
    const { proxy, revoke } = Proxy.revocable<string[]>([], {});
    revoke();
    const selector = createToolSelector({ judge });
    for (const overrides of [{ alwaysInclude: proxy }, proxy as never]) {
      const selection = await selector.select(turnOf(tools, { overrides }));
      expect(selection.status).toBe("decided");
    }
  });

  it.each([
    { maxTools: 0 },
    { maxTools: "3" },
    { mode: "on" },
    { alwaysInclude: "help" },
    { unknown: 1 },
    "enforce",
    7,
  ])("%j is ignored and warned about once; the rest holds", async (override) => {
    const warn = vi.fn();
    const selector = createToolSelector({ judge, logger: { warn } });
    const overrides = (
      typeof override === "object" ? { alwaysInclude: ["help"], ...override } : override
    ) as never;
    const selection = await selector.select(turnOf(tools, { overrides }));
    await selector.select(turnOf(tools, { overrides }));
    expect(selection.record).toMatchObject({ mode: "shadow", policy: { maxTools: 8 } });
    if (typeof override === "object") expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe("policyFingerprint", () => {
  const fingerprint = (options: ToolSelectorOptions): string =>
    createToolSelector({ judge, ...options }).policyFingerprint;

  it.each<ToolSelectorOptions>([
    { maxTools: 7 },
    { confidenceThreshold: 0.7 },
    { rejectionThreshold: 0.1 },
    { onUncertain: "keep" },
    { alwaysInclude: ["help"] },
    { pinHistory: false },
    { minCandidates: 2 },
    { batchSize: 32 },
    { timeoutMs: 1000 },
    { context: { maxMessages: 3 } },
    { limits: { descriptionChars: 10 } },
    { redact: (text) => text },
    { judge: fakeJudge({ id: "other" }) },
  ])("changes with %j", (options) => {
    expect(fingerprint(options)).not.toBe(fingerprint({}));
  });

  it.each<ToolSelectorOptions>([
    { mode: "enforce" },
    { enforceShare: 0.5 },
    { shadowShare: 0.5 },
    { version: "v2" },
    { agent: "a" },
    { sinks: memorySink() },
    { content: true },
  ])("does not change with %j", (options) => {
    expect(fingerprint(options)).toBe(fingerprint({}));
  });

  it("does not depend on the order of alwaysInclude", () => {
    expect(fingerprint({ alwaysInclude: ["a", "b"] })).toBe(
      fingerprint({ alwaysInclude: ["b", "a"] }),
    );
  });
});

describe("frequent fallbacks", () => {
  it("are warned about once, when more than half of the last 50 judged turns fell back", async () => {
    const warn = vi.fn();
    const doubtful = fakeJudge({ otherwise: 0.5 });
    const selector = createToolSelector({ judge: doubtful, logger: { warn } });
    const turn = turnOf(numberedTools(2));
    for (let count = 0; count < 25; count += 1) await selector.select(turn);
    expect(warn).not.toHaveBeenCalled();
    await selector.select(turn);
    await selector.select(turn);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('onUncertain: "keep"');
  });

  it("are not warned about when they are rarer", async () => {
    const warn = vi.fn();
    let turns = 0;
    const selector = createToolSelector({
      judge: ({ candidates }) => {
        turns += 1;
        return candidates.map(() => (turns % 2 === 0 ? 0.5 : 0.01));
      },
      logger: { warn },
    });
    for (let count = 0; count < 120; count += 1) await selector.select(turnOf(numberedTools(2)));
    expect(warn).not.toHaveBeenCalled();
  });
});
