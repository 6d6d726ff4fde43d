import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { findExposures } from "../../../src/report/facts/exposures.js";
import { summarize } from "../../../src/report/summarize.js";
import { failedRecord, pinned, shadowRecord, tool } from "../../support/logs.js";

type Tool = SelectionRecord["tools"][number];

const notShortlisted: Tool = { ...pinned("rare", "not-shortlisted"), kept: false };
const call = (name: string, tools: readonly Tool[]): SelectionRecord =>
  shadowRecord({ tools: [...tools], outcome: { called: [name] } });

describe("findExposures", () => {
  it.each([
    ["judged and kept", tool("a", 0.9), { hidden: false, probability: 0.9, rank: 1 }],
    ["rejected", tool("a", 0.1), { hidden: true, reason: "not-applicable" }],
    ["over the cap", tool("a", 0.9, { kept: false, reason: "over-cap" }), { hidden: true }],
    ["kept together", tool("a", 0.1, { kept: true, reason: "kept-together" }), { hidden: false }],
    [
      "not shortlisted",
      { ...notShortlisted, name: "a" },
      { hidden: true, probability: null, rank: 0 },
    ],
  ] as const)("counts a call of a tool that is %s", (_, entry, expected) => {
    expect(findExposures(call("a", [entry]))).toMatchObject([{ tool: "a", ...expected }]);
  });

  it.each([
    ["pinned", pinned("a")],
    ["sticky", tool("a", 0.1, { kept: true, reason: "sticky" })],
    ["revealed, judged", tool("a", 0.1, { kept: true, reason: "revealed" })],
    ["revealed", pinned("a", "revealed")],
    ["of a reason from a later version", pinned("a", "something-new")],
    ["without an answer", tool("a", null)],
  ])("counts no call of a tool that is %s", (_, entry) => {
    expect(findExposures(call("a", [entry]))).toEqual([]);
  });
});

describe("the report", () => {
  it("counts misses of tools outside the shortlist apart, and as misses", async () => {
    const { judged } = await summarize([
      call("rare", [tool("query", 0.9), notShortlisted]),
      { ...call("refund", [tool("refund", 0.1)]), threadId: "t-2" },
    ]);
    expect(judged).toMatchObject({ units: 2, missedUnits: 2 });
    expect(judged?.missReasons).toEqual([
      { name: "not-applicable", count: 1 },
      { name: "not-shortlisted", count: 1 },
    ]);
  });

  it("counts a fallback only where it had no room for a called tool", async () => {
    const withRoom = failedRecord();
    const capped = failedRecord({
      threadId: "t-2",
      tools: [
        { ...pinned("query", "fallback"), verdict: "unjudged" },
        { ...pinned("refund", "fallback-cap"), verdict: "unjudged", kept: false },
      ],
      outcome: { called: ["query", "refund"] },
    });
    const { judged } = await summarize([withRoom, capped]);
    expect(judged).toMatchObject({ units: 1, missedUnits: 1, exposures: 1, fallbackShare: 1 });
    expect(judged?.missReasons).toEqual([{ name: "fallback-cap", count: 1 }]);
    expect(judged?.suggestedAlwaysInclude).toEqual(["refund"]);
  });

  it("pays no judge for a turn that reused judgments", async () => {
    const reused = shadowRecord({ step: 2, judge: { rejudged: false, requests: 0, usage: null } });
    const { judged } = await summarize([shadowRecord(), reused, shadowRecord({ threadId: "t-2" })]);
    expect(judged?.netSaving.unproven).toBeNull();
    expect(judged?.netSaving.parts.judge).toBe(200);
  });

  it("reads records of older versions, without the fields of later ones", async () => {
    const { judged, foreignRecords } = await summarize([shadowRecord()]);
    expect([judged?.units, foreignRecords]).toEqual([1, 0]);
  });
});
