import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { decide } from "../../../src/core/decide.js";
import { toJudgment } from "../../../src/core/verdict.js";
import { summarize } from "../../../src/report/summarize.js";
import type { WhatIf, WhatIfRow } from "../../../src/report/summary.js";
import { listVariants } from "../../../src/report/what-if/list-variants.js";
import { pinned, shadowRecord, threads, tool } from "../../support/logs.js";

const whatIfOf = async (records: readonly SelectionRecord[]): Promise<WhatIf> => {
  const { judged } = await summarize(records);
  if (judged === null) throw new Error("Expected a judged cohort.");
  return judged.whatIf;
};

/** Few distinct values, so that ties and equality with thresholds are frequent. */
const probability = fc.oneof(
  fc.constantFrom(0, 0.05, 0.111, 0.2, 0.333, 0.5, 0.667, 0.8, 0.889, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

interface Arrangement {
  readonly probabilities: readonly number[];
  readonly called: number;
  readonly maxTools: number;
}

const arrangement: fc.Arbitrary<Arrangement> = fc
  .array(probability, { minLength: 1, maxLength: 14 })
  .chain((probabilities) =>
    fc.record({
      probabilities: fc.constant(probabilities),
      called: fc.nat({ max: probabilities.length - 1 }),
      maxTools: fc.integer({ min: 1, max: 6 }),
    }),
  );

/** Two threads take turns. */
const threadOf = (turn: number): string => `t-${turn % 2}`;

function turnOf({ probabilities, called, maxTools }: Arrangement, turn: number): SelectionRecord {
  const tools = probabilities.map((value, index) => tool(`tool_${index}`, value));
  return shadowRecord({
    threadId: threadOf(turn),
    request: `m-${turn}`,
    tools: [pinned("pinned"), ...tools],
    policy: {
      confidenceThreshold: 0.8,
      rejectionThreshold: 0.2,
      maxTools,
      onUncertain: "fallback",
    },
    catalog: {
      fingerprint: "cat",
      tools: tools.length + 1,
      candidates: tools.length,
      definitionTokens: (tools.length + 1) * 100,
    },
    outcome: { called: [`tool_${called}`] },
  });
}

/** The same figures by `decide`, turn by turn. */
function naive(turns: readonly Arrangement[], row: WhatIfRow): Partial<WhatIfRow> {
  const decisions = turns.map(({ probabilities, called }, turn) => {
    const decision = decide(
      probabilities.map((value) => toJudgment(value, row)),
      row,
    );
    return { ...decision, thread: threadOf(turn), isCalledKept: decision.kept[called] === true };
  });
  const threadsWith = (test: (decision: (typeof decisions)[number]) => boolean): number =>
    new Set(decisions.filter(test).map(({ thread }) => thread)).size;
  const mean = (of: (decision: (typeof decisions)[number]) => number): number =>
    decisions.reduce((sum, decision) => sum + of(decision), 0) / decisions.length;
  const hidden = ({ kept }: (typeof decisions)[number]): number =>
    kept.filter((keep) => !keep).length;
  return {
    units: threadsWith(({ fallback }) => !fallback),
    missedUnits: threadsWith(({ isCalledKept }) => !isCalledKept),
    fallbackShare: mean(({ fallback }) => Number(fallback)),
    meanTools: mean((decision) => decision.kept.length - hidden(decision) + 1),
    removedShare: mean((decision) => hidden(decision) / (decision.kept.length + 1)),
  };
}

describe("what-if", () => {
  it("agrees with `decide` for every combination of thresholds, cap and policy", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arrangement, { minLength: 1, maxLength: 4 }), async (turns) => {
        const [{ maxTools } = { maxTools: 1 }] = turns;
        const alike = turns.map((turn) => ({ ...turn, maxTools }));
        const { rows, turns: counted } = await whatIfOf(alike.map(turnOf));
        expect(counted).toBe(turns.length);
        for (const row of rows) {
          for (const [name, expected] of Object.entries(naive(alike, row))) {
            expect(row[name as keyof WhatIfRow], `${name} at ${JSON.stringify(row)}`).toBeCloseTo(
              Number(expected),
              9,
            );
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it("has the recorded policy as one of its rows, and agrees with the verdict there", async () => {
    const records = Array.from({ length: 20 }, (_, index) =>
      shadowRecord({
        threadId: `t-${index}`,
        outcome: { called: [index < 3 ? "refund" : "query"] },
      }),
    );
    const { judged } = await summarize(records);
    const current = judged?.whatIf.rows.filter((row) => row.current);
    expect(current).toMatchObject([
      { confidenceThreshold: 0.8, rejectionThreshold: 0.2, maxTools: 8, onUncertain: "fallback" },
    ]);
    expect(current?.[0]).toMatchObject({ units: 20, missedUnits: 3 });
    expect(current?.[0]?.upperBound).toBe(judged?.upperBound);
  });

  it("counts a clear turn of a unit beside one that would fall back", async () => {
    const { rows } = await whatIfOf([
      shadowRecord({ tools: [tool("query", 1)] }),
      shadowRecord({
        step: 2,
        tools: [tool("search", 0.5), tool("refund", 0)],
        outcome: { called: ["refund"] },
      }),
    ]);
    const at = (onUncertain: string) =>
      rows.find(
        (row) =>
          row.onUncertain === onUncertain &&
          row.confidenceThreshold === 0.8 &&
          row.rejectionThreshold === 0.2,
      );
    expect(at("fallback")).toMatchObject({ units: 1, missedUnits: 0, fallbackShare: 0.5 });
    expect(at("keep")).toMatchObject({ units: 1, missedUnits: 1, fallbackShare: 0 });
  });

  it("leaves out turns with a missing answer, and says how many", async () => {
    const { turns, leftOut } = await whatIfOf([
      shadowRecord({ threadId: "a" }),
      shadowRecord({ threadId: "b", tools: [tool("query", 0.9), tool("refund", null)] }),
      shadowRecord({ threadId: "c", status: "skipped", judge: null, tools: [pinned("query")] }),
    ]);
    expect({ turns, leftOut }).toEqual({ turns: 1, leftOut: 1 });
  });

  it("counts a tool that was left out of the shortlist as missed under every policy", async () => {
    const record = shadowRecord({
      tools: [tool("query", 0.9), { ...pinned("rare", "not-shortlisted"), kept: false }],
      outcome: { called: ["rare"] },
    });
    const { rows } = await whatIfOf([record]);
    expect(rows.filter(({ onUncertain }) => onUncertain === "keep")).not.toHaveLength(0);
    for (const row of rows) expect(row.missedUnits).toBe(row.units);
  });

  it("does not move the verdict", async () => {
    const records = threads(299, 0, () => ({
      status: "uncertain",
      tools: [tool("query", 0.3), tool("refund", 0.05)],
      policy: {
        confidenceThreshold: 0.8,
        rejectionThreshold: 0.2,
        maxTools: 8,
        onUncertain: "keep",
      },
    }));
    const { exitCode, judged } = await summarize(records);
    expect(judged?.whatIf.rows.some(({ missedUnits }) => missedUnits > 0)).toBe(true);
    expect(exitCode).toBe(0);
  });
});

describe("the variants", () => {
  const recorded = { maxTools: 3, onUncertain: "keep" as const };

  it.each([
    [0.8, 0.2],
    [1, 0],
    [0.02, 0.001],
    [0.999, 0.99],
    [0.5, 0.4999],
    [0.0021, 0.002],
  ])("are valid, few and in steps around %d and %d", (confidenceThreshold, rejectionThreshold) => {
    const policy = { confidenceThreshold, rejectionThreshold, ...recorded };
    const [first, ...others] = listVariants(policy);
    expect(first).toEqual({ ...policy, changed: null });
    expect(others.length).toBeGreaterThanOrEqual(11);
    // One bit each, in the 16 of a column.
    expect(others.length).toBeLessThanOrEqual(15);
    for (const { changed, ...variant } of others) {
      expect(variant.rejectionThreshold).toBeLessThan(variant.confidenceThreshold);
      expect(variant.rejectionThreshold).toBeGreaterThanOrEqual(0);
      expect(variant.confidenceThreshold).toBeLessThanOrEqual(1);
      expect(changed).not.toBeNull();
      if (changed !== null) expect(variant[changed]).not.toBe(policy[changed]);
    }
    expect(
      others.filter(({ changed }) => changed === "maxTools").map(({ maxTools }) => maxTools),
    ).toEqual([2, 6, 12]);
    expect(others.filter(({ changed }) => changed === "onUncertain")).toMatchObject([
      { onUncertain: "fallback" },
    ]);
  });

  it("change one option at a time where the thresholds are apart", () => {
    const policy = { confidenceThreshold: 0.8, rejectionThreshold: 0.2, ...recorded };
    for (const { changed, ...variant } of listVariants(policy).slice(1)) {
      expect({ ...variant, [changed ?? ""]: undefined }).toEqual({
        ...policy,
        [changed ?? ""]: undefined,
      });
    }
  });

  it("take the other threshold along where the two are adjacent", () => {
    const variants = listVariants({
      confidenceThreshold: 0.5,
      rejectionThreshold: 0.4999,
      ...recorded,
    });
    expect(variants).toContainEqual({
      confidenceThreshold: 0.8,
      rejectionThreshold: 0.7999,
      ...recorded,
      changed: "rejectionThreshold",
    });
    expect(variants).toContainEqual({
      confidenceThreshold: 0.2,
      rejectionThreshold: 0.1999,
      ...recorded,
      changed: "confidenceThreshold",
    });
  });
});
