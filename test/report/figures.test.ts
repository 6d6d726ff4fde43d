import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../src/core/record.js";
import { describeSample } from "../../src/report/describe-sample.js";
import { hash53 } from "../../src/report/facts/hash.js";
import { summarize } from "../../src/report/summarize.js";
import type { SummarizeOptions } from "../../src/report/summarize-options.js";
import type { CallRateBin, JudgedCohort } from "../../src/report/summary.js";
import {
  at,
  failedRecord,
  missedRecord,
  pinned,
  shadowRecord,
  threads,
  tool,
} from "../support/logs.js";

async function judgedOf(
  records: readonly SelectionRecord[],
  options?: SummarizeOptions,
): Promise<JudgedCohort> {
  const { judged } = await summarize(records, options);
  if (judged === null) throw new Error("Expected a judged cohort.");
  return judged;
}

/** A clean thread that calls these tools. */
const calling = (thread: string, ...names: string[]): SelectionRecord =>
  shadowRecord({
    threadId: thread,
    tools: [...names.map((name) => tool(name, 0.9)), tool("unused", 0.1)],
    catalog: { fingerprint: thread, tools: 20, candidates: 20, definitionTokens: 2000 },
    outcome: { called: names },
  });

describe("tools", () => {
  it("are listed with their units, misses and bound; fewer than 30 units are unproven", async () => {
    const { tools } = await judgedOf(threads(31, 1));
    expect(
      tools.map(({ name, units, missedUnits, unproven }) => ({
        name,
        units,
        missedUnits,
        unproven,
      })),
    ).toEqual([
      { name: "refund", units: 1, missedUnits: 1, unproven: true },
      { name: "query", units: 30, missedUnits: 0, unproven: false },
    ]);
    expect(tools[1]?.upperBound).toBeCloseTo(0.095, 4);
    expect((await judgedOf(threads(29))).tools[0]?.unproven).toBe(true);
  });

  it("say why they were missed, in which threads, and what was kept instead", async () => {
    const records = Array.from({ length: 7 }, (_, index) =>
      missedRecord({
        threadId: `t-${index}`,
        tools: [
          tool("query", 0.9),
          ...(index < 2 ? [tool("search", 0.8)] : []),
          pinned("memory"),
          tool("refund", 0.05),
        ],
      }),
    );
    const { tools } = await judgedOf(records);
    expect(tools[0]).toMatchObject({
      name: "refund",
      missReasons: [{ name: "not-applicable", count: 7 }],
      keptInstead: [
        { name: "query", count: 7 },
        { name: "search", count: 2 },
      ],
      missedThreads: ["t-0", "t-1", "t-2", "t-3", "t-4"],
    });
  });

  it("named like members of Object.prototype are tools like others", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const { tools } = await judgedOf([calling("a", ...names), calling("b", "__proto__")]);
    expect(tools.map(({ name, units }) => `${name} ${units}`).sort()).toEqual(
      ["__proto__ 2", "constructor 1", "hasOwnProperty 1", "toString 1"].sort(),
    );
  });

  it("of one name are one: kept if one of them is kept", async () => {
    const hidden = tool("query", 0.05);
    const kept = tool("query", 0.9);
    expect(await judgedOf([shadowRecord({ tools: [kept, hidden] })])).toMatchObject({
      units: 1,
      missedUnits: 0,
    });
    expect(await judgedOf([shadowRecord({ tools: [hidden, hidden] })])).toMatchObject({
      units: 1,
      missedUnits: 1,
    });
    expect(await judgedOf([shadowRecord({ tools: [hidden, pinned("query")] })])).toMatchObject({
      units: 0,
    });
  });

  it("of pinned tools are none, also where a record names a probability", async () => {
    const record = shadowRecord({ tools: [{ ...pinned("query"), probability: 0.05 }] });
    expect(await judgedOf([record])).toMatchObject({ units: 0, exposures: 0 });
  });

  it("called twice in one turn are one call", async () => {
    const { exposures } = await judgedOf([
      shadowRecord({ outcome: { called: ["query", "query"] } }),
    ]);
    expect(exposures).toBe(1);
  });
});

describe("tools that were never called", () => {
  it("are estimated from those that were called in one unit", async () => {
    const { unseen } = await judgedOf([
      calling("a", "common", "rare_1"),
      calling("b", "common", "rare_2"),
      calling("c", "common"),
    ]);
    expect(unseen).toEqual({
      calledInOneUnit: 2,
      unitToolPairs: 5,
      neverCalled: 1,
      nextCallIsNew: 2 / 5,
      nextUnitBringsNew: 2 / 3,
    });
  });

  it("come with a chance of at most 1, where every unit called several for the first time", async () => {
    const { unseen } = await judgedOf([calling("a", "rare_1", "rare_2", "common")]);
    expect(unseen).toMatchObject({ calledInOneUnit: 3, nextCallIsNew: 1, nextUnitBringsNew: 1 });
  });

  it("are unknown without any call", async () => {
    const { unseen } = await judgedOf([shadowRecord({ outcome: { called: [] } })]);
    expect(unseen).toMatchObject({ nextCallIsNew: null, nextUnitBringsNew: null, neverCalled: 2 });
  });
});

describe("suggestedAlwaysInclude", () => {
  it("holds missed and critical tools, each once", async () => {
    const options = { critical: ["ref*", "quer?", "query", "wipe_disk"] };
    const { suggestedAlwaysInclude } = await judgedOf([missedRecord()], options);
    expect(suggestedAlwaysInclude).toEqual(["refund", "quer?", "query", "wipe_disk"]);
  });

  it("finds critical tools in catalogs that are seen later, and in ones too large to be listed whole", async () => {
    const late = calling("late", "delete_all");
    const large = shadowRecord({
      threadId: "large",
      tools: [
        ...Array.from({ length: 501 }, (_, index) => tool(`t_${index}`, 0.1)),
        tool("delete_big", 0.9),
      ],
      outcome: { called: ["delete_big"] },
    });
    const { suggestedAlwaysInclude } = await judgedOf([shadowRecord(), late, large], {
      critical: ["delete_*"],
    });
    expect(suggestedAlwaysInclude).toEqual(["delete_all", "delete_big"]);
  });
});

describe("call rate by probability", () => {
  const bins = (rows: readonly CallRateBin[]): readonly string[] =>
    rows
      .filter(({ judged }) => judged > 0)
      .map(({ from, judged, called }) => `${from}: ${called}/${judged}`);

  const step = (number: number, called: readonly string[], extra = {}): SelectionRecord =>
    shadowRecord({
      step: number,
      time: at(number),
      tools: [tool("now", 0.97), tool("later", 0.6), tool("never", 0.03)],
      outcome: { called: [...called] },
      ...extra,
    });

  it("counts a tool as called if it is called within the same user request, earlier or later", async () => {
    const { callRate } = await judgedOf([step(1, ["now"]), step(2, ["later"]), step(3, [])]);
    expect(bins(callRate)).toEqual(["0.02: 0/3", "0.5: 3/3", "0.95: 3/3"]);
  });

  it("keeps requests, and threads, apart", async () => {
    const { callRate } = await judgedOf([
      step(1, ["now"]),
      step(1, ["later"], { request: "m-2" }),
      step(1, [], { threadId: "t-2" }),
    ]);
    expect(bins(callRate)).toEqual(["0.02: 0/3", "0.5: 1/3", "0.95: 1/3"]);
  });

  it("a turn without a request id stands alone, and one whose model failed does not count", async () => {
    const { callRate } = await judgedOf([
      step(1, ["now"], { request: null }),
      step(2, ["later"], { request: null }),
      step(3, [], { outcome: { called: [], error: true } }),
    ]);
    expect(bins(callRate)).toEqual(["0.02: 0/2", "0.5: 1/2", "0.95: 1/2"]);
  });

  it("puts 0 into the first range and 1 into the last", async () => {
    const { callRate } = await judgedOf([
      shadowRecord({ tools: [tool("none", 0), tool("query", 1)] }),
    ]);
    expect(callRate[0]).toMatchObject({ from: 0, judged: 1, called: 0, rate: 0 });
    expect(callRate.at(-1)).toMatchObject({ to: 1, judged: 1, called: 1, rate: 1 });
    expect(callRate[3]).toMatchObject({ judged: 0, rate: null });
  });

  it("follows a thousand requests at a time", async () => {
    const requests = Array.from({ length: 1500 }, (_, index) =>
      step(1, [], { threadId: `t-${index}` }),
    );
    const { callRate } = await judgedOf([
      ...requests,
      step(2, ["now"], { threadId: "t-1499" }),
      step(2, ["now"], { threadId: "t-0" }),
    ]);
    expect(callRate.find(({ from }) => from === 0.95)).toMatchObject({ judged: 1502, called: 3 });
  });
});

describe("latency added", () => {
  it("is the judge's, per turn and summed per request; skipped turns add none", async () => {
    const turn = (step: number, latencyMs: number, extra = {}): SelectionRecord =>
      shadowRecord({ step, time: at(step), judge: { latencyMs }, ...extra });
    const { latency } = await judgedOf([
      turn(1, 100),
      turn(2, 300),
      turn(1, 50, { request: "m-2", outcome: { latencyMs: 700 } }),
      turn(9, 9999, { status: "skipped", judge: null }),
    ]);
    expect(latency.perTurn).toMatchObject({ count: 3, mean: 150, p50: 100, max: 300 });
    expect(latency.perRequest).toMatchObject({ count: 2, min: 50, max: 400 });
    expect(latency.model).toMatchObject({ count: 4, min: 700, max: 900 });
  });
});

it("reasons of fallbacks are counted by the last copy of each turn", async () => {
  const { fallbackReasons } = await judgedOf([
    failedRecord({ time: at(1) }),
    failedRecord({ time: at(2), reason: "refused" }),
    failedRecord({ threadId: "b" }),
    failedRecord({ threadId: "c", reason: "refused" }),
  ]);
  expect(fallbackReasons).toEqual([
    { name: "refused", count: 2 },
    { name: "timeout", count: 1 },
  ]);
});

describe("distributions", () => {
  it("interpolate between neighbours", () => {
    expect(describeSample([4, 1, 3, 2])).toEqual({
      count: 4,
      mean: 2.5,
      min: 1,
      p05: expect.closeTo(1.15, 9) as number,
      p50: 2.5,
      p95: expect.closeTo(3.85, 9) as number,
      max: 4,
    });
    expect(describeSample([])).toBeNull();
  });
});

describe("hashes", () => {
  it("are safe integers that tell texts apart", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(Number.isSafeInteger(hash53(one))).toBe(true);
        expect(hash53(one) === hash53(other)).toBe(one === other);
      }),
    );
    const count = 200_000;
    const hashes = new Set(Array.from({ length: count }, (_, index) => hash53(`m-${index}`)));
    expect(hashes.size).toBe(count);
  });
});

describe("options", () => {
  it.each([
    [{ maxMissRate: 0 }, "Expected `maxMissRate` to be a number above 0 and below 1"],
    [{ maxMissRate: 1 }, "Expected `maxMissRate`"],
    [{ looks: 0 }, "Expected `looks` to be an integer from 1"],
    [{ looks: 1.5 }, "Expected `looks`"],
    [{ gate: "both" }, 'Expected `gate` to be "shadow" or "enforced"'],
    [{ critical: "refund" }, "Expected `critical` to be an array of names and globs"],
    [{ since: "yesterday" }, "Expected `since` to be a date or epoch milliseconds"],
    [{ maxMissrate: 0.1 }, "summarize has no option `maxMissrate`"],
  ])("%j is refused", async (options, message) => {
    await expect(summarize([], options as never)).rejects.toThrow(message);
  });

  it("since leaves out what is older", async () => {
    const records = threads(10);
    const summary = await summarize(records, { since: Date.parse(at(5 * 60)) });
    expect(summary).toMatchObject({
      records: 5,
      judged: { units: 5 },
      options: { since: at(300) },
    });
    expect(summary.period).toEqual({ from: at(300), to: at(540) });
  });

  it("progress is told every 10,000 records", async () => {
    const told: number[] = [];
    const record = shadowRecord();
    await summarize(
      Array.from({ length: 20_001 }, () => record),
      {
        onProgress: (records) => told.push(records),
      },
    );
    expect(told).toEqual([10_000, 20_000]);
  });
});
