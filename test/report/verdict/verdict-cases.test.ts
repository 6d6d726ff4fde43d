import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { summarize } from "../../../src/report/summarize.js";
import type { SummarizeOptions } from "../../../src/report/summarize-options.js";
import {
  at,
  beta,
  failedRecord,
  missedRecord,
  pinned,
  seeded,
  shadowRecord,
  threads,
  tool,
  unjudged,
} from "../../support/logs.js";

const outcomeOf = async (
  records: readonly SelectionRecord[],
  options?: SummarizeOptions,
): Promise<{ exitCode: number; units?: number; missed?: number; reasons: readonly string[] }> => {
  const { exitCode, judged, reasons } = await summarize(records, options);
  return {
    exitCode,
    reasons,
    ...(judged === null ? {} : { units: judged.units, missed: judged.missedUnits }),
  };
};

describe("how much evidence is enough", () => {
  it("5,000 clean turns in 20 threads are no evidence", async () => {
    const records = Array.from({ length: 5000 }, (_, index) =>
      shadowRecord({ threadId: `t-${index % 20}`, request: `m-${index}`, time: at(index) }),
    );
    const summary = await summarize(records);
    expect(summary.verdict).toBe("no-evidence");
    expect(summary.exitCode).toBe(3);
    expect(summary.judged).toMatchObject({ units: 20, missedUnits: 0, exposures: 5000 });
    expect(summary.judged?.upperBound).toBeCloseTo(0.139, 3);
  });

  it("calls of pinned tools are no evidence: 100 judged calls among 5,000", async () => {
    const judgedCalls = threads(100);
    const pinnedCalls = Array.from({ length: 4900 }, (_, index) =>
      shadowRecord({
        threadId: `p-${index}`,
        tools: [pinned("query"), tool("refund", 0.05)],
        time: at(index),
      }),
    );
    expect(await outcomeOf([...judgedCalls, ...pinnedCalls])).toMatchObject({
      exitCode: 3,
      units: 100,
    });
  });

  it.each([
    { clean: 298, missed: 0, exitCode: 3 },
    { clean: 299, missed: 0, exitCode: 0 },
    { clean: 471, missed: 1, exitCode: 1 },
    { clean: 472, missed: 1, exitCode: 0 },
  ])(
    "$clean clean threads and $missed missed: exit $exitCode",
    async ({ clean, missed, exitCode }) => {
      expect(await outcomeOf(threads(clean + missed, missed))).toMatchObject({
        exitCode,
        units: clean + missed,
        missed,
      });
    },
  );

  it("20 of 20 missed is not ready, however few", async () => {
    const summary = await summarize(threads(20, 20));
    expect(summary.exitCode).toBe(1);
    expect(summary.reasons[0]).toMatch(/20 of 20 conversations would have missed a tool/);
  });

  it("one miss in five is no proof of harm, so no evidence", async () => {
    expect((await summarize(threads(5, 1), { maxMissRate: 0.1 })).exitCode).toBe(3);
  });

  it.each([
    { threads: 458, looks: 5, exitCode: 3 },
    { threads: 459, looks: 5, exitCode: 0 },
  ])(
    "$looks looks with $threads clean threads: exit $exitCode",
    async ({ threads: count, looks, exitCode }) => {
      expect((await summarize(threads(count), { looks })).exitCode).toBe(exitCode);
    },
  );

  it("12 turns without a miss do not pass as safe", async () => {
    const { verdict, changes } = await summarize(threads(12));
    expect(verdict).toBe("no-evidence");
    expect(changes.join(" ")).toContain("287 conversations more without a miss");
  });

  it("500 turns without tool calls are no evidence", async () => {
    const records = threads(500, 0, () => ({ outcome: { called: [] } }));
    expect(await outcomeOf(records)).toMatchObject({ exitCode: 3, units: 0 });
  });

  it("a log without records is no evidence", async () => {
    const summary = await summarize([]);
    expect(summary).toMatchObject({ exitCode: 3, judged: null, records: 0, period: null });
  });

  it("says what would change a verdict that lacks clean threads", async () => {
    const { changes } = await summarize(threads(400, 1));
    expect(changes.join(" ")).toContain("73 conversations more without a miss");
  });

  it('reads "ready for a first share", never "safe"', async () => {
    const { reasons } = await summarize(threads(299));
    expect(reasons[0]).toMatch(/^Ready for a first share \(enforceShare 0\.05\)/);
    expect(reasons.join(" ")).not.toMatch(/safe/i);
  });
});

describe("what counts as a miss", () => {
  it("a tool missed at step 1 and called nine times more, pinned, is one missed thread", async () => {
    const records = [
      missedRecord({ threadId: "x" }),
      ...Array.from({ length: 9 }, (_, index) =>
        missedRecord({
          threadId: "x",
          step: index + 2,
          time: at(index + 1),
          tools: [tool("query", 0.9), pinned("refund")],
        }),
      ),
    ];
    const { judged } = await summarize(records);
    expect(judged).toMatchObject({ units: 1, missedUnits: 1, exposures: 1 });
  });

  it("a called tool in a fallback turn is no exposure", async () => {
    const records = threads(3, 0, () => ({
      status: "uncertain" as const,
      fallback: true,
      reason: "uncertain",
      tools: [tool("query", 0.5, { reason: "fallback" })],
    }));
    expect((await summarize(records)).judged).toMatchObject({ units: 0, exposures: 0 });
  });

  it("under keep, a rejection beside a failed batch is a miss", async () => {
    const record = missedRecord({
      status: "failed",
      reason: "unjudged",
      policy: {
        confidenceThreshold: 0.8,
        rejectionThreshold: 0.2,
        maxTools: 8,
        onUncertain: "keep",
      },
      tools: [unjudged("query"), tool("refund", 0.05)],
    });
    expect((await summarize([record])).judged).toMatchObject({ units: 1, missedUnits: 1 });
  });

  it("a kept tool without an answer is no exposure", async () => {
    const record = shadowRecord({ tools: [unjudged("query"), tool("refund", 0.05)] });
    expect((await summarize([record])).judged).toMatchObject({ units: 0 });
  });

  it("a tool cut by the cap, or left out of the shortlist, is a miss", async () => {
    const records = [
      shadowRecord({
        threadId: "cap",
        tools: [tool("query", 0.9, { kept: false, reason: "over-cap" })],
      }),
      shadowRecord({
        threadId: "shortlist",
        tools: [{ ...pinned("query", "not-shortlisted"), kept: false }],
      }),
    ];
    const { judged } = await summarize(records);
    expect(judged).toMatchObject({ units: 2, missedUnits: 2 });
    expect(judged?.tools[0]?.missReasons.map(({ name }) => name).sort()).toEqual([
      "not-shortlisted",
      "over-cap",
    ]);
  });

  it.each([
    ["skipped", missedRecord({ status: "skipped" })],
    ["cancelled", missedRecord({ status: "cancelled" })],
    ["failed in the model", missedRecord({ outcome: { error: true } })],
    ["without an outcome", shadowRecord({ outcome: null })],
    ["of a tool that is not in the catalog", shadowRecord({ outcome: { called: ["invented"] } })],
  ])("a call that is %s is neither exposure nor miss", async (_, record) => {
    expect((await summarize([record])).judged).toMatchObject({ units: 0, missedUnits: 0 });
  });

  it("what follows a thread's first miss counts neither for nor against", async () => {
    const clean = (step: number, name: string): SelectionRecord =>
      shadowRecord({
        step,
        time: at(step),
        tools: [tool(name, 0.9)],
        outcome: { called: [name] },
      });
    const records = [
      clean(1, "before"),
      missedRecord({ step: 2, time: at(2) }),
      clean(3, "after"),
      missedRecord({
        step: 4,
        time: at(4),
        tools: [tool("erase", 0.1)],
        outcome: { called: ["erase"] },
      }),
    ];
    const { judged } = await summarize(records.toReversed());
    expect(judged).toMatchObject({ units: 1, missedUnits: 1, exposures: 2 });
    expect(judged?.tools.find(({ name }) => name === "before")).toMatchObject({ units: 1 });
    expect(judged?.tools.find(({ name }) => name === "after")).toBeUndefined();
    expect(judged?.tools.find(({ name }) => name === "erase")).toMatchObject({
      units: 0,
      missedUnits: 0,
      allMisses: 1,
    });
    expect(judged?.suggestedAlwaysInclude).toEqual(["refund", "erase"]);
  });

  it("counts a tool used twice in a thread and missed once as missed in that thread", async () => {
    const { judged } = await summarize([
      shadowRecord({ step: 1, tools: [tool("refund", 0.9)], outcome: { called: ["refund"] } }),
      missedRecord({ step: 2, time: at(1) }),
    ]);
    expect(judged?.tools[0]).toMatchObject({ name: "refund", units: 1, missedUnits: 1, calls: 2 });
  });
});

describe("units", () => {
  it("are groups where the application sets them, and a miss ends only its own thread", async () => {
    const group = (threadId: string, step: number, miss: boolean): SelectionRecord =>
      (miss ? missedRecord : shadowRecord)({ groupId: "user-1", threadId, step, time: at(step) });
    const { judged } = await summarize([
      group("a", 1, true),
      group("a", 2, false),
      group("b", 3, false),
      shadowRecord({ groupId: "user-2", threadId: "c" }),
    ]);
    expect(judged).toMatchObject({ units: 2, missedUnits: 1, unit: "group", exposures: 3 });
  });

  it("never fold turns of different threads of a group that number their requests alike", async () => {
    const { judged } = await summarize(
      ["a", "b"].map((threadId) => shadowRecord({ groupId: "user", threadId, request: "1" })),
    );
    expect(judged).toMatchObject({ units: 1, turns: 2, duplicates: 0 });
  });

  it("are runs where there is no thread, and the summary says so", async () => {
    const summary = await summarize(
      threads(3, 0, (index) => ({ threadId: null, runId: `run-${index}` })),
    );
    expect(summary.judged).toMatchObject({ units: 3, unit: "run" });
    expect(summary.assumptions.join(" ")).toContain("Units are runs");
  });

  it("a group, a thread and a run of one name are three units", async () => {
    const none = { groupId: null, threadId: null, runId: null };
    const { judged } = await summarize([
      shadowRecord({ ...none, groupId: "x" }),
      shadowRecord({ ...none, threadId: "x" }),
      shadowRecord({ ...none, runId: "x" }),
    ]);
    expect(judged).toMatchObject({ units: 3, unitKinds: { group: 1, thread: 1, run: 1 } });
  });

  it("records without any are not counted, and said", async () => {
    const summary = await summarize([...threads(2), shadowRecord({ threadId: null })]);
    expect(summary).toMatchObject({ uncountedRecords: 1, records: 3, judged: { units: 2 } });
  });

  it("count only before their first enforced record, in whatever order records come", async () => {
    const records = [
      shadowRecord({ threadId: "x", step: 1, time: at(1) }),
      shadowRecord({ threadId: "x", step: 2, time: at(2), mode: "enforce", enforced: true }),
      missedRecord({ threadId: "x", step: 3, time: at(3) }),
      shadowRecord({ threadId: "x", step: 4, time: at(4), mode: "enforce", enforced: true }),
      missedRecord({ threadId: "y", time: at(3), mode: "enforce", enforced: true }),
    ];
    for (const order of [records, records.toReversed()]) {
      expect((await summarize(order)).judged).toMatchObject({ units: 1, missedUnits: 0, turns: 1 });
    }
  });

  it("leave out turns that shadowShare did not judge", async () => {
    const unsampled = { status: "skipped", reason: "not-sampled", judge: null } as const;
    const { judged } = await summarize([
      shadowRecord(),
      shadowRecord({ threadId: "t-2", ...unsampled }),
    ]);
    expect(judged).toMatchObject({ turns: 1, netSaving: { units: 1, mean: 1600 } });
  });

  it("stay enforced if that was before the period that is looked at", async () => {
    const records = [
      shadowRecord({ threadId: "x", time: at(0), mode: "enforce", enforced: true }),
      shadowRecord({ threadId: "x", step: 2, time: at(100) }),
      shadowRecord({ threadId: "y", time: at(100) }),
    ];
    expect(await summarize(records, { since: new Date(at(50)) })).toMatchObject({
      records: 2,
      judged: { units: 1 },
    });
  });
});

describe("duplicates: same unit, agent, request and step", () => {
  it("a miss in any copy counts, not in the last alone", async () => {
    const { judged } = await summarize([
      missedRecord({ time: at(1) }),
      shadowRecord({ time: at(2) }),
    ]);
    expect(judged).toMatchObject({ units: 1, missedUnits: 1, turns: 1, duplicates: 1 });
  });

  it("the last copy serves the figures per turn, whatever the order of records", async () => {
    const copies = [failedRecord({ time: at(1) }), shadowRecord({ time: at(2) })];
    for (const order of [copies, copies.toReversed()]) {
      expect((await summarize(order)).judged).toMatchObject({ judgedShare: 1, askedTurns: 1 });
    }
  });

  it("every copy's judge is paid", async () => {
    const { judged } = await summarize([
      shadowRecord({ time: at(1) }),
      shadowRecord({ time: at(2) }),
      shadowRecord({ time: at(3) }),
    ]);
    expect(judged?.netSaving.mean).toBeCloseTo(1700 - 3 * 100, 6);
  });

  it("turns without a request id are never folded", async () => {
    const records = [1, 2].map((second) =>
      shadowRecord({ request: null, step: null, time: at(second) }),
    );
    expect((await summarize(records)).judged).toMatchObject({ turns: 2, duplicates: 0 });
  });
});

describe("judge outages and abstentions", () => {
  it("20 % of the turns failed is not ready, though their records have no judge model", async () => {
    const records = [
      ...threads(400),
      ...Array.from({ length: 100 }, (_, index) =>
        failedRecord({ threadId: `f-${index}`, time: at(index) }),
      ),
    ];
    const summary = await summarize(records);
    expect(summary.exitCode).toBe(1);
    expect(summary.judged?.judgedShare).toBeCloseTo(0.8, 9);
    expect(summary.cohorts).toHaveLength(1);
    expect(summary.reasons.join(" ")).toContain("80 % of the turns were judged");
  });

  it.each([
    { failed: 33, exitCode: 0 },
    { failed: 34, exitCode: 1 },
  ])("300 judged and $failed failed turns: exit $exitCode", async ({ failed, exitCode }) => {
    const outage = Array.from({ length: failed }, (_, index) =>
      failedRecord({ threadId: `t-${index}`, step: 2, time: at(index * 60 + 1) }),
    );
    expect((await summarize([...threads(300), ...outage])).exitCode).toBe(exitCode);
  });

  it("a log in which every turn failed is no evidence, never no misses", async () => {
    const summary = await summarize(
      Array.from({ length: 500 }, (_, index) => failedRecord({ threadId: `t-${index}` })),
    );
    expect(summary).toMatchObject({ exitCode: 3, judged: { judgedShare: 0, units: 0 } });
    expect(summary.reasons[0]).toContain("Nothing was judged");
  });

  it("failed turns of a judge that was never named join the others, also with skipped ones between", async () => {
    const skipped = shadowRecord({
      status: "skipped",
      reason: "no-user-text",
      judge: null,
      threadId: "s",
    });
    const summary = await summarize([failedRecord({ threadId: "f" }), skipped, ...threads(3)]);
    expect(summary.cohorts).toHaveLength(1);
    expect(summary.judged).toMatchObject({ turns: 5, askedTurns: 4 });
  });

  it("60 % small talk is ready: abstentions are no outage and no fallback", async () => {
    const smallTalk = Array.from({ length: 450 }, (_, index) =>
      shadowRecord({
        threadId: `t-${index % 300}`,
        request: `hello-${index}`,
        time: at(100_000 + index),
        status: "uncertain",
        reason: "abstained",
        fallback: true,
        tools: [
          tool("query", null, { reason: "fallback" }),
          tool("refund", null, { reason: "fallback" }),
        ],
        suggested: { tools: 20, definitionTokens: 2000, fingerprint: "cat" },
        outcome: { called: [] },
      }),
    );
    const summary = await summarize([...threads(300), ...smallTalk]);
    expect(summary.judged).toMatchObject({ judgedShare: 1, fallbackShare: 0, abstainedTurns: 450 });
    expect(summary.exitCode).toBe(0);
  });

  it.each([
    { fallbacks: 300, exitCode: 0 },
    { fallbacks: 301, exitCode: 1 },
  ])("300 selections and $fallbacks fallbacks: exit $exitCode", async ({ fallbacks, exitCode }) => {
    const doubtful = Array.from({ length: fallbacks }, (_, index) =>
      shadowRecord({
        threadId: `t-${index % 300}`,
        request: `again-${index}`,
        time: at(100_000 + index),
        status: "uncertain",
        reason: "uncertain",
        fallback: true,
        tools: [tool("query", 0.5, { reason: "fallback" })],
      }),
    );
    const { exitCode: actual, judged } = await summarize([...threads(300), ...doubtful]);
    expect(actual).toBe(exitCode);
    expect(judged?.fallbackReasons).toEqual([{ name: "uncertain", count: fallbacks }]);
  });
});

it("small talk does not dilute the fallbacks of the other turns", async () => {
  const more = (count: number, name: string, entry: ReturnType<typeof tool>): SelectionRecord[] =>
    Array.from({ length: count }, (_, index) =>
      shadowRecord({
        threadId: `t-${index % 300}`,
        request: `${name}-${index}`,
        time: at(100_000 + index),
        status: "uncertain",
        reason: name,
        fallback: true,
        tools: [entry],
      }),
    );
  const doubtful = more(301, "uncertain", tool("query", 0.5));
  const smallTalk = more(450, "abstained", tool("query", null));
  const { exitCode, judged } = await summarize([...threads(300), ...doubtful, ...smallTalk]);
  expect(judged?.fallbackShare).toBeCloseTo(301 / 601, 9);
  expect(exitCode).toBe(1);
});

describe("cohorts and agents", () => {
  const later = { time: at(1_000_000) };

  it.each([
    ["version", { version: "v2" }],
    ["policy", { policyFingerprint: "beef" }],
    ["judge", { judge: { id: "openai:gpt" } }],
    ["judge model", { judge: { model: "jev-2" } }],
  ])(
    "another %s is another cohort: the newest is judged, nothing is pooled",
    async (_, overrides) => {
      const old = threads(290);
      const fresh = threads(20, 0, (index) => ({
        threadId: `new-${index}`,
        ...later,
        ...overrides,
      }));
      const summary = await summarize([...fresh, ...old]);
      expect(summary.judged).toMatchObject({ units: 20 });
      expect(summary.exitCode).toBe(3);
      expect(summary.cohorts.map(({ judged, units }) => ({ judged, units }))).toEqual([
        { judged: true, units: 20 },
        { judged: false, units: 290 },
      ]);
    },
  );

  it("turns with overrides are a cohort of their own, and not the one that is judged", async () => {
    const overridden = shadowRecord({ ...later, overrides: true, policyFingerprint: "other" });
    const summary = await summarize([...threads(299), overridden]);
    expect(summary.cohorts).toHaveLength(2);
    expect(summary).toMatchObject({
      exitCode: 0,
      judged: { units: 299, cohort: { overrides: false } },
    });
  });

  it.each([["first"], ["last"]])(
    "of two agents the worse verdict wins, if it wrote %s",
    async (place) => {
      const good = threads(299);
      const bad = threads(20, 20, (index) => ({
        agent: "billing",
        threadId: `b-${index}`,
        time: at(place === "last" ? 1_000_000 : -1000),
      }));
      const summary = await summarize([...good, ...bad]);
      expect(summary).toMatchObject({ exitCode: 1, judged: { cohort: { agent: "billing" } } });
      expect(summary.agents["support"]).toMatchObject({ exitCode: 0 });
      expect(summary.agents["billing"]).toMatchObject({ exitCode: 1 });
    },
  );

  it("not ready is worse than no evidence, and that worse than ready", async () => {
    const few = threads(3, 0, () => ({ agent: "small" }));
    expect((await summarize([...threads(299), ...few])).exitCode).toBe(3);
    const bad = threads(20, 20, (index) => ({ agent: "bad", threadId: `b-${index}` }));
    expect((await summarize([...few, ...bad])).exitCode).toBe(1);
  });

  it("agents with odd names, or none, are kept apart", async () => {
    const names = ["__proto__", "constructor", null];
    const summary = await summarize(
      names.flatMap((agent) =>
        threads(2, 0, (index) => ({ agent, threadId: `${agent}-${index}` })),
      ),
    );
    expect(Object.keys(summary.agents).sort()).toEqual(["(unnamed)", "__proto__", "constructor"]);
    expect(JSON.parse(JSON.stringify(summary)).agents.constructor.judged.units).toBe(2);
  });

  it("an unexpected policy is not ready", async () => {
    const records = threads(299);
    expect((await summarize(records, { expectPolicy: "f00d" })).exitCode).toBe(0);
    const { exitCode, reasons } = await summarize(records, { expectPolicy: "beef" });
    expect(exitCode).toBe(1);
    expect(reasons[0]).toContain("not from the expected beef");
  });
});

it("the bound covers the truth in at least 93 % of correlated logs", async () => {
  // Beta-binomial: mean 2 %, correlation 0.3, 40 threads of 20 turns. The truth is per thread: P(any miss in 20 turns).
  const size = 1 / 0.3 - 1;
  const [a, b] = [0.02 * size, 0.98 * size];
  let clean = 1;
  for (let turn = 0; turn < 20; turn++) clean *= (b + turn) / (a + b + turn);
  const truth = 1 - clean;
  const template = shadowRecord();
  const missTemplate = missedRecord();
  let covered = 0;
  for (let seed = 0; seed < 1000; seed++) {
    const random = seeded(seed);
    const records: SelectionRecord[] = [];
    for (let thread = 0; thread < 40; thread++) {
      const rate = beta(0.02, 0.3, random);
      for (let turn = 0; turn < 20; turn++) {
        records.push({
          ...(random() < rate ? missTemplate : template),
          threadId: `t-${thread}`,
          step: turn + 1,
          time: at(thread * 100 + turn),
        });
      }
    }
    const { judged } = await summarize(records);
    if ((judged?.upperBound ?? 0) >= truth) covered++;
  }
  expect(covered / 1000).toBeGreaterThanOrEqual(0.93);
}, 120_000);
