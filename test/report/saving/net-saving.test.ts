import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { summarize } from "../../../src/report/summarize.js";
import type { SummarizeOptions } from "../../../src/report/summarize-options.js";
import { computeBreakEven, boundMean } from "../../../src/report/saving/turn-saving.js";
import type { NetSaving } from "../../../src/report/summary.js";
import { at, failedRecord, missedRecord, shadowRecord, threads } from "../../support/logs.js";
import type { RecordOverrides } from "../../support/logs.js";

async function savingOf(
  records: readonly SelectionRecord[],
  options?: SummarizeOptions,
): Promise<NetSaving> {
  const { judged } = await summarize(records, options);
  if (judged === null) throw new Error("Expected a judged cohort.");
  return judged.netSaving;
}

/** D = 25,000 tokens of which 5,000 are removed; a model without preset: r = 0.1, w = 1.25; the judge costs 100. */
function turn(step: number, overrides: RecordOverrides = {}): SelectionRecord {
  return shadowRecord({
    step,
    time: at(step),
    catalog: { fingerprint: "cat", tools: 100, candidates: 100, definitionTokens: 25_000 },
    suggested: { tools: 80, definitionTokens: 20_000, fingerprint: "stable" },
    ...overrides,
    outcome: { model: "unknown-model", ...overrides.outcome },
  });
}

const usage = (cacheReadTokens: number, cacheWriteTokens = 0): RecordOverrides => ({
  outcome: {
    usage: { inputTokens: 30_000, outputTokens: 10, cacheReadTokens, cacheWriteTokens },
  },
});

const full = { tools: 100, definitionTokens: 25_000, fingerprint: "cat" };

describe("the saving of one turn", () => {
  it("uncached: saves the removed tokens, less the judge", async () => {
    expect((await savingOf([turn(1, usage(0))])).mean).toBeCloseTo(5000 - 100, 6);
  });

  it("written to the cache: saves them at the price of a write", async () => {
    expect((await savingOf([turn(1, usage(0, 30_000))])).mean).toBeCloseTo(1.25 * 5000 - 100, 6);
  });

  it("cached and stable: saves a tenth of them", async () => {
    const [first, second] = [turn(1, usage(0)), turn(2, usage(25_000))];
    const both = await savingOf([first, second]);
    expect(both.mean).toBeCloseTo(5000 - 100 + 500 - 100, 6);
    expect(both.blockChanges).toBe(0);
  });

  it("cached and changed: the rest of the prefix is written again, and that is a loss", async () => {
    const changed = turn(2, {
      ...usage(25_000),
      suggested: { tools: 80, definitionTokens: 20_000, fingerprint: "other" },
    });
    const saving = await savingOf([turn(1, usage(0)), changed]);
    const second = 500 - 1.15 * (25_000 - 5000) - 100;
    expect(second).toBeLessThan(0);
    expect(saving.mean).toBeCloseTo(4900 + second, 6);
    expect(saving).toMatchObject({ blockChanges: 1, followingTurns: 1 });
    expect(saving.parts).toMatchObject({ removed: 5500, judge: 200 });
    expect(saving.parts.cacheBreaks).toBeCloseTo(23_000, 6);
  });

  it("a fallback loses the judge's cost, and its change of the block", async () => {
    const fallback = turn(2, {
      ...usage(25_000),
      status: "uncertain",
      reason: "uncertain",
      fallback: true,
      suggested: full,
    });
    const saving = await savingOf([turn(1, usage(0)), fallback]);
    expect(saving.mean).toBeCloseTo(4900 - 1.15 * 25_000 - 100, 6);
  });

  it("a skipped turn sends the whole catalog, which changes the block and back", async () => {
    const skipped = turn(2, {
      ...usage(0),
      status: "skipped",
      reason: "no-user-text",
      judge: null,
      suggested: full,
    });
    const saving = await savingOf([turn(1, usage(0)), skipped, turn(3, usage(25_000))]);
    expect(saving.blockChanges).toBe(2);
    expect(saving.mean).toBeCloseTo(4900 + 0 + (500 - 1.15 * 20_000 - 100), 6);
  });

  it("a thread's first turn counts as broken: other threads share the unfiltered prefix", async () => {
    expect((await savingOf([turn(1, usage(25_000))])).mean).toBeCloseTo(500 - 23_000 - 100, 6);
  });

  it.each([
    { gap: 300, isBroken: false },
    { gap: 301, isBroken: true },
  ])("a gap of $gap seconds breaks the cache: $isBroken", async ({ gap, isBroken }) => {
    const late = turn(2, { ...usage(25_000), time: at(1 + gap) });
    const { mean } = await savingOf([turn(1, usage(0)), late]);
    expect(mean).toBeCloseTo(4900 + 400 - (isBroken ? 23_000 : 0), 6);
  });

  it("a turn whose model failed, or was never called, loses what its judge cost", async () => {
    const failed = turn(1, { outcome: { error: true, usage: null } });
    const cancelled = shadowRecord({ threadId: "c", status: "cancelled", outcome: null });
    expect((await savingOf([failed])).mean).toBeCloseTo(-100, 6);
    expect((await savingOf([failed, cancelled])).parts.judge).toBeCloseTo(200, 6);
  });

  it("stops at the thread's first miss, which still counts", async () => {
    const records = [turn(1, usage(0)), missedRecord({ step: 2, time: at(2) }), turn(3, usage(0))];
    expect((await savingOf(records)).turns).toBe(2);
  });

  it("a group's previous block is the group's, its first turns are the threads'", async () => {
    const saving = await savingOf(
      ["a", "b"].map((threadId, index) =>
        turn(index + 1, { ...usage(25_000), groupId: "user", threadId }),
      ),
    );
    expect(saving).toMatchObject({ units: 1, blockChanges: 0, followingTurns: 1 });
    expect(saving.mean).toBeCloseTo(2 * (400 - 23_000), 6);
  });
});

describe("caching that toggles", () => {
  const log = (fingerprintOf: (step: number) => string): SelectionRecord[] =>
    Array.from({ length: 300 }, (_, thread) =>
      Array.from({ length: 6 }, (_, index) =>
        turn(index + 1, {
          ...usage(index === 0 ? 0 : 25_000),
          threadId: `t-${thread}`,
          suggested: { tools: 80, definitionTokens: 20_000, fingerprint: fingerprintOf(index) },
        }),
      ),
    ).flat();

  it("a block that changes every turn is not ready; fewer tokens, higher bill", async () => {
    const summary = await summarize(log((index) => (index % 2 === 0 ? "a" : "b")));
    expect(summary.exitCode).toBe(1);
    expect(summary.reasons).toHaveLength(1);
    expect(summary.reasons[0]).toMatch(/^Not worth it/);
    expect(summary.judged?.netSaving).toMatchObject({ blockChanges: 1500, followingTurns: 1500 });
    expect(summary.judged?.netSaving.breakEven).toMatchObject({ observed: 1 });
  });

  it("a stable block is ready", async () => {
    const summary = await summarize(log(() => "a"));
    expect(summary).toMatchObject({ exitCode: 0, judged: { netSaving: { blockChanges: 0 } } });
    expect(summary.judged?.netSaving.mean).toBeCloseTo(4900 + 5 * 400, 6);
  });
});

describe("a saving that costs more than it saves", () => {
  it("four tiny tools and a judge with a large prompt are not worth it", async () => {
    const records = threads(300, 0, () => ({
      catalog: { fingerprint: "cat", tools: 4, candidates: 4, definitionTokens: 200 },
      suggested: { tools: 2, definitionTokens: 100, fingerprint: "sub" },
      judge: { usage: { inputTokens: 3000, outputTokens: 40, cachedInputTokens: null } },
    }));
    const { exitCode, reasons } = await summarize(records);
    expect(exitCode).toBe(1);
    expect(reasons).toEqual([expect.stringMatching(/^Not worth it: the net saving is -204 /)]);
  });

  it("a judge that keeps everything saves nothing, and is not ready", async () => {
    const records = threads(300, 0, () => ({
      suggested: { tools: 20, definitionTokens: 2000, fingerprint: "cat" },
    }));
    expect((await summarize(records)).exitCode).toBe(1);
  });
});

describe("what the judge costs", () => {
  it("unknown usage costs the cohort's mean per request", async () => {
    const known = threads(2);
    const unknown = shadowRecord({ threadId: "x", judge: { usage: null, requests: 3 } });
    const { mean, parts } = await savingOf([...known, unknown]);
    expect(parts.judge).toBeCloseTo(100 + 100 + 3 * 100, 6);
    expect(mean).toBeCloseTo((3 * 1700 - 500) / 3, 6);
  });

  it("failed requests cost too", async () => {
    const records = [...threads(2), failedRecord({ threadId: "f", judge: { requests: 2 } })];
    expect((await savingOf(records)).parts.judge).toBeCloseTo(400, 6);
  });

  it("no usage known at all: the saving is unproven, and that is not ready", async () => {
    const records = threads(299, 0, () => ({ judge: { usage: null } }));
    const summary = await summarize(records);
    expect(summary.judged?.netSaving).toMatchObject({
      mean: null,
      lowerBound: null,
      perUnit: null,
    });
    expect(summary.exitCode).toBe(1);
    expect(summary.reasons[0]).toContain("Saving unproven");
    const free = { judge: { inputRatio: 0, outputRatio: 0 } };
    expect((await summarize(records, { prices: free })).exitCode).toBe(0);
  });

  it("a local judge reports zero usage and costs nothing", async () => {
    const local = {
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: null },
      requests: 0,
    };
    expect((await savingOf([shadowRecord({ judge: local })])).mean).toBeCloseTo(1700, 6);
  });
});

describe("what is assumed", () => {
  it("no usage of the model: no caching, said", async () => {
    const saving = await savingOf(threads(3, 0, () => ({ outcome: { usage: null } })));
    expect(saving).toMatchObject({ assumesNoCaching: true, mean: 1600 });
    const { assumptions } = await summarize(threads(3, 0, () => ({ outcome: { usage: null } })));
    expect(assumptions.join(" ")).toContain("assumes no caching, the best case");
    expect((await savingOf(threads(3))).assumesNoCaching).toBe(false);
  });

  it("unknown definition tokens claim no saving", async () => {
    const unknown = shadowRecord({
      catalog: { fingerprint: "cat", tools: 20, candidates: 20, definitionTokens: null },
    });
    expect((await savingOf([unknown])).mean).toBeCloseTo(-100, 6);
  });

  it.each([
    ["claude-sonnet-4-5", 0.1, 1.25, "preset"],
    ["gpt-5-mini", 0.1, 1, "preset"],
    ["gpt-4.1", 0.25, 1, "preset"],
    ["openai/gpt-4o-mini", 0.5, 1, "preset"],
    ["some-model", 0.1, 1.25, "default"],
    [null, 0.1, 1.25, "default"],
  ])("%s reads at %d and writes at %d (%s)", async (model, cacheRead, cacheWrite, source) => {
    const { ratios } = await savingOf([shadowRecord({ outcome: { model } })]);
    expect(ratios).toEqual([{ model, turns: 1, cacheRead, cacheWrite, source }]);
  });

  it("prices override presets, by the first glob that matches", async () => {
    const prices = {
      currency: "EUR",
      models: {
        "gpt-5*": { input: 2, cacheRead: 1, cacheWrite: 4 },
        "*": { input: 9 },
      },
      judge: { input: 1, output: 4 },
    };
    const cached = turn(2, {
      ...usage(25_000),
      outcome: { ...usage(25_000).outcome, model: "gpt-5" },
    });
    const first = turn(1, { ...usage(0), outcome: { ...usage(0).outcome, model: "gpt-5" } });
    const saving = await savingOf([first, cached], { prices });
    expect(saving.ratios).toEqual([
      { model: "gpt-5", turns: 2, cacheRead: 0.5, cacheWrite: 2, source: "option" },
    ]);
    expect(saving.judgeRatios).toEqual({ input: 0.5, output: 2 });
    // 5,000 and half of 5,000, less twice 1,000 judge tokens at half the price; two euros a million.
    expect(saving.mean).toBeCloseTo(5000 + 2500 - 2 * 500, 6);
    expect(saving.money).toMatchObject({ currency: "EUR", lowerBound: null });
    expect(saving.money?.total).toBeCloseTo((6500 * 2) / 1e6, 12);
  });

  it("there is no money without a price for every model", async () => {
    const records = [shadowRecord(), shadowRecord({ threadId: "b", outcome: { model: "other" } })];
    const prices = { models: { "gpt-5*": { input: 1 } } };
    expect((await savingOf(records, { prices })).money).toBeNull();
    expect((await savingOf(records.slice(0, 1), { prices })).money?.mean).toBeCloseTo(
      1600 / 1e6,
      12,
    );
    expect((await savingOf(records)).money).toBeNull();
  });

  it.each([
    [{ models: { x: { input: 0 } } }, "a price above 0"],
    [{ model: {} }, "prices.model"],
    [{ cacheLifetimeSeconds: "5m" }, "seconds above 0"],
  ])("refuses prices like %j", async (prices, message) => {
    await expect(summarize([], { prices: prices as never })).rejects.toThrow(message);
  });
});

describe("bounds of the mean", () => {
  it("is mean − t(0.95; n − 1)·s/√n over units", async () => {
    const sizes = [1000, 1200, 1500, 900];
    const records = sizes.map((definitionTokens, index) =>
      shadowRecord({
        threadId: `t-${index}`,
        suggested: { tools: 3, definitionTokens, fingerprint: "sub" },
      }),
    );
    const values = sizes.map((size) => 2000 - size - 100);
    const mean = values.reduce((sum, value) => sum + value, 0) / 4;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
    const saving = await savingOf(records);
    expect(saving.mean).toBeCloseTo(mean, 6);
    // t(0.95; 3) = 2.353363 in every table.
    expect(saving.lowerBound).toBeCloseTo(mean - (2.353363 * deviation) / 2, 3);
    expect(saving.perUnit).toMatchObject({ count: 4, min: 400, max: 1000, p50: 800 });
  });

  it("needs two units", () => {
    expect(boundMean([5], 0.05)).toBeNull();
    expect(boundMean([5, 5], 0.05)).toBeCloseTo(5, 9);
  });

  it("a saving that is positive on average and uncertain is not ready", async () => {
    const records = threads(300, 0, (index) => ({
      suggested: { tools: 3, definitionTokens: index === 0 ? 0 : 1900, fingerprint: "sub" },
    }));
    const { exitCode, judged } = await summarize(records);
    expect(judged?.netSaving.mean).toBeGreaterThan(0);
    expect(judged?.netSaving.lowerBound).toBeLessThan(0);
    expect(exitCode).toBe(1);
  });
});

describe("break-even", () => {
  const means = {
    full: 25_000,
    selected: 20_000,
    history: 5000,
    judge: 100,
    ratios: { cacheRead: 0.1, cacheWrite: 1.25 },
  };

  it("is (w − r)(D_selected + H) / (r(D_full − D_selected) − J)", () => {
    expect(computeBreakEven(means)).toBeCloseTo((1.15 * 25_000) / (0.1 * 5000 - 100), 9);
  });

  it("is never if a cached turn does not pay for its judge", () => {
    expect(computeBreakEven({ ...means, judge: 500 })).toBeNull();
    expect(computeBreakEven({ ...means, judge: 600 })).toBeNull();
  });

  it("is taken from the means of the log", async () => {
    const { breakEven, definitionTokens } = await savingOf([
      turn(1, usage(0)),
      turn(2, usage(25_000)),
    ]);
    expect(definitionTokens).toEqual({ full: 25_000, suggested: 20_000 });
    expect(breakEven.turns).toBeCloseTo((1.15 * (20_000 + 5000)) / (500 - 100), 6);
    expect(breakEven.observed).toBeNull();
  });
});
