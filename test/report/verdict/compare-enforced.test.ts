import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { summarize } from "../../../src/report/summarize.js";
import type { SummarizeOptions } from "../../../src/report/summarize-options.js";
import type { EnforcedComparison, HarmName } from "../../../src/report/summary.js";
import { at, pinned, shadowRecord, tool } from "../../support/logs.js";
import type { RecordOverrides } from "../../support/logs.js";

const enforced = (thread: number, overrides: RecordOverrides = {}): SelectionRecord =>
  shadowRecord({
    threadId: `e-${thread}`,
    time: at(thread),
    mode: "enforce",
    enforced: true,
    enforceShare: 0.5,
    ...overrides,
  });

const control = (thread: number, overrides: RecordOverrides = {}): SelectionRecord =>
  shadowRecord({ threadId: `c-${thread}`, time: at(thread), enforceShare: 0.5, ...overrides });

/** So many units on each side, the first ones with what is given. */
function sides(
  count: number,
  harmed: { enforced?: number; control?: number } = {},
  harm: RecordOverrides = {},
): SelectionRecord[] {
  return Array.from({ length: count }, (_, index) => [
    enforced(index, index < (harmed.enforced ?? 0) ? harm : {}),
    control(index, index < (harmed.control ?? 0) ? harm : {}),
  ]).flat();
}

async function compare(
  records: readonly SelectionRecord[],
  options?: SummarizeOptions,
): Promise<EnforcedComparison & { readonly of: (name: HarmName) => unknown }> {
  const summary = await summarize(records, { gate: "enforced", ...options });
  const comparison = summary.agents["support"]?.comparison;
  if (comparison === null || comparison === undefined) throw new Error("Expected a comparison.");
  expect(summary.verdict).toBe(comparison.verdict);
  expect(summary.exitCode).toBe(comparison.exitCode);
  return { ...comparison, of: (name) => comparison.harms.find(({ harm }) => harm === name) };
}

describe("the second gate", () => {
  it.each([
    { count: 265, exitCode: 0 },
    { count: 130, exitCode: 3 },
  ])("$count clean units on both sides: exit $exitCode", async ({ count, exitCode }) => {
    const comparison = await compare(sides(count));
    expect(comparison).toMatchObject({ exitCode, enforcedUnits: count, controlUnits: count });
    expect(comparison.enforceShares).toEqual([0.5]);
  });

  it("needs 133 enforced units where no unit is harmed", async () => {
    const { harms } = await compare(sides(130));
    expect(harms[0]?.enforcedUnitsNeeded).toBe(133);
    expect((await compare(sides(133))).exitCode).toBe(0);
    expect((await compare(sides(132))).exitCode).toBe(3);
  });

  it.each<[HarmName, RecordOverrides]>([
    ["model-error", { outcome: { called: ["query"], error: true } }],
    ["hidden-or-unknown-call", { outcome: { called: ["query", "invented"] } }],
    [
      "find-tools-reveal",
      {
        outcome: { called: ["query", "find_tools"] },
        tools: [tool("query", 0.9), pinned("find_tools")],
      },
    ],
    ["no-tool-call", { outcome: { called: [] } }],
  ])("%s in 10 %% of the enforced units alone is not ready", async (harm, overrides) => {
    const comparison = await compare(sides(300, { enforced: 30 }, overrides));
    expect(comparison.exitCode).toBe(1);
    expect(comparison.of(harm)).toMatchObject({
      verdict: "not-ready",
      enforced: { units: 300, withHarm: 30 },
      control: { units: 300, withHarm: 0 },
      difference: 0.1,
    });
    const others = comparison.harms.filter((other) => other.harm !== harm);
    expect(others.map(({ verdict }) => verdict)).toEqual(others.map(() => "ready"));
    expect(comparison.reasons).toHaveLength(1);
  });

  it("the same harm on both sides is ready with enough units, and no evidence with few", async () => {
    const harm = { outcome: { called: ["query"], error: true } };
    expect((await compare(sides(2000, { enforced: 100, control: 100 }, harm))).exitCode).toBe(0);
    expect((await compare(sides(300, { enforced: 15, control: 15 }, harm))).exitCode).toBe(3);
  });

  it("a difference that reaches two points is not ready once there are enough units", async () => {
    const harm = { outcome: { called: ["query"], error: true } };
    const { of } = await compare(sides(1000, { enforced: 40, control: 25 }, harm));
    expect(of("model-error")).toMatchObject({ verdict: "not-ready" });
  });

  it("a call of a hidden tool is a harm when enforced; in control nothing is hidden", async () => {
    const harm = { outcome: { called: ["refund"] } };
    const { of } = await compare(sides(300, { enforced: 30, control: 30 }, harm));
    expect(of("hidden-or-unknown-call")).toMatchObject({
      enforced: { withHarm: 30 },
      control: { withHarm: 0 },
    });
  });

  it("counts units, not turns", async () => {
    const records = Array.from({ length: 50 }, (_, step) =>
      enforced(0, { step, outcome: { called: [], error: true } }),
    );
    const { of } = await compare([...sides(300), ...records]);
    expect(of("model-error")).toMatchObject({ enforced: { units: 300, withHarm: 1 } });
  });

  it("a unit without any tool call has none in all its turns", async () => {
    const quiet = control(0, { step: 2, outcome: { called: [] } });
    const { of } = await compare([...sides(10), quiet]);
    expect(of("no-tool-call")).toMatchObject({ control: { units: 10, withHarm: 0 } });
  });

  it("takes control of the same period, policy and agent only", async () => {
    const { controlUnits, enforcedUnits } = await compare([
      ...sides(20),
      control(100, { time: at(-1) }),
      control(101, { time: at(20) }),
      control(102, { time: at(5), policyFingerprint: "other" }),
      control(103, { time: at(5), agent: "other" }),
      control(104, { time: at(5), version: "v0" }),
      control(105, { time: at(5), judge: { model: "jev-2" } }),
    ]);
    expect({ controlUnits, enforcedUnits }).toEqual({ controlUnits: 21, enforcedUnits: 20 });
  });

  it("units that were both are on neither side", async () => {
    const both = [enforced(900, { time: at(3) }), control(0, { threadId: "e-900", time: at(4) })];
    expect(await compare([...sides(20), ...both])).toMatchObject({
      enforcedUnits: 20,
      controlUnits: 20,
      mixedUnits: 1,
    });
  });

  it("counts searches, tools found, calls of tools found earlier, and stopped calls of enforced turns", async () => {
    const hidden = { findTools: { searches: 2, found: 1 }, guard: { stopped: ["refund", "x"] } };
    const revealed = tool("refund", 0.1, { kept: true, reason: "revealed" });
    const comparison = await compare([
      ...sides(3),
      enforced(1, { step: 2, ...hidden }),
      enforced(1, { step: 3, tools: [revealed], outcome: { called: ["refund"] } }),
      control(1, { step: 2, ...hidden }),
    ]);
    expect(comparison.recovery).toEqual({
      turns: 5,
      searches: 2,
      foundTools: 1,
      recoveredCalls: 1,
      stoppedCalls: 2,
    });
    expect(comparison.of("find-tools-reveal")).toMatchObject({ enforced: { withHarm: 1 } });
    expect(comparison.of("hidden-or-unknown-call")).toMatchObject({ enforced: { withHarm: 0 } });
  });

  it("counts the different tools blocks of each thread, as they were sent", async () => {
    const offer = (fingerprint: string): RecordOverrides => ({
      offered: { tools: 1, definitionTokens: 100, fingerprint },
    });
    const { toolBlocks } = await compare([
      ...["a", "b", "a", "c"].map((name, step) => enforced(1, { step: step + 1, ...offer(name) })),
      enforced(2, offer("a")),
      ...[1, 2, 3].map((step) => control(1, { step, ...offer("cat") })),
    ]);
    expect(toolBlocks.enforced).toMatchObject({ count: 2, mean: 2, max: 3 });
    expect(toolBlocks.control).toMatchObject({ count: 1, mean: 1 });
  });

  it("compares the newest enforced policy", async () => {
    const old = sides(50).map((record) => ({ ...record, policyFingerprint: "old" }));
    const fresh = Array.from({ length: 3 }, (_, index) => enforced(500 + index));
    expect(await compare([...fresh, ...old])).toMatchObject({
      policyFingerprint: "f00d",
      enforcedUnits: 3,
      controlUnits: 0,
      exitCode: 3,
    });
  });

  it("compares success where labels are given; threads without a label say nothing", async () => {
    const labels = new Map<string, boolean>();
    for (let index = 0; index < 400; index++) {
      labels.set(`c-${index}`, true);
      if (index < 300) labels.set(`e-${index}`, index >= 60);
    }
    const { of, exitCode } = await compare(sides(400), { labels });
    expect(of("labelled-failure")).toMatchObject({
      enforced: { units: 300, withHarm: 60 },
      control: { units: 400, withHarm: 0 },
      verdict: "not-ready",
    });
    expect(exitCode).toBe(1);
    expect((await compare(sides(400))).of("labelled-failure")).toBeUndefined();
  });

  it("asks only about agents that are enforced", async () => {
    const other = control(0, { agent: "other", threadId: "o-1" });
    const summary = await summarize([...sides(200), other], { gate: "enforced" });
    expect(summary.exitCode).toBe(0);
    expect(summary.agents["other"]).toMatchObject({ exitCode: 3, comparison: null });
  });

  it("no enforced record is no evidence", async () => {
    const summary = await summarize([control(0)], { gate: "enforced" });
    expect(summary).toMatchObject({ exitCode: 3, reasons: ["No enforced record."] });
  });

  it("more looks need more units", async () => {
    expect((await compare(sides(133), { looks: 5 })).exitCode).toBe(3);
  });

  it("is shown, and decides nothing, under the shadow gate", async () => {
    const harm = { outcome: { called: ["query"], error: true } };
    const summary = await summarize(sides(300, { enforced: 90 }, harm));
    expect(summary.agents["support"]?.comparison?.exitCode).toBe(1);
    expect(summary).toMatchObject({ exitCode: 0, gate: "shadow", judged: { units: 300 } });
  });
});
