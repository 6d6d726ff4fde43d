import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, isFallbackCertain, readStatus } from "../../src/core/decide.js";
import type { SelectionPolicy } from "../../src/core/decide.js";
import { toJudgment } from "../../src/core/verdict.js";
import type { Judgment } from "../../src/core/types.js";

const policy: SelectionPolicy = {
  confidenceThreshold: 0.8,
  rejectionThreshold: 0.2,
  maxTools: 8,
  onUncertain: "fallback",
};
const keep: SelectionPolicy = { ...policy, onUncertain: "keep" };
const judge = (...answers: readonly unknown[]): readonly Judgment[] =>
  answers.map((answer) => toJudgment(answer, policy));
const notAwaited: Judgment = { probability: null, verdict: "not-awaited" };

describe("readStatus", () => {
  it.each([
    ["decided", judge(0.9, 0.1)],
    ["decided", judge(0.1)],
    ["uncertain", judge(0.9, 0.5)],
    ["uncertain", judge(0.9, null)],
    ["uncertain", [...judge(0.9), notAwaited]],
    ["failed", judge(0.9, undefined)],
    ["failed", judge(undefined, 0.5, null)],
    ["failed", [...judge(undefined), notAwaited]],
  ] as const)("is %s, unjudged before doubt before decided", (status, judgments) => {
    expect(readStatus(judgments)).toBe(status);
  });
});

describe("decide with fallback", () => {
  it.each([
    ["uncertain", judge(0.95, 0.5)],
    ["abstained", judge(0.95, null)],
    ["unjudged", judge(0.95, undefined)],
    ["not awaited", [...judge(0.95), notAwaited]],
  ] as const)("restores everything when one candidate is %s", (_, judgments) => {
    const decision = decide(judgments, policy);
    expect(decision.fallback).toBe(true);
    expect(decision.kept).toEqual([true, true]);
    expect(decision.reasons).toEqual(["fallback", "fallback"]);
  });

  it("hides confident rejections when every candidate is decided", () => {
    expect(decide(judge(0.95, 0.05), policy)).toEqual({
      status: "decided",
      fallback: false,
      kept: [true, false],
      reasons: ["applicable", "not-applicable"],
    });
  });

  it("hides everything when nothing applies", () => {
    expect(decide(judge(0.05, 0.05), policy).kept).toEqual([false, false]);
  });
});

describe("decide with keep", () => {
  it("hides only confident rejections; uncertain, abstained and unjudged tools stay", () => {
    expect(decide(judge(0.05, 0.5, null, undefined, 0.9), keep)).toEqual({
      status: "failed",
      fallback: false,
      kept: [false, true, true, true, true],
      reasons: ["not-applicable", "uncertain", "abstained", "unjudged", "applicable"],
    });
  });

  it.each([
    ["all abstained", judge(null, null)],
    ["all unjudged", judge(undefined, undefined)],
    ["abstained and unjudged", judge(null, undefined)],
  ] as const)("falls back when no candidate got a number: %s", (_, judgments) => {
    expect(decide(judgments, keep).fallback).toBe(true);
  });

  it("hides a rejection beside a failed batch", () => {
    expect(decide(judge(0.05, undefined), keep).kept).toEqual([false, true]);
  });
});

describe("trim", () => {
  it("keeps the most probable, then the uncertain, ties in catalog order", () => {
    const judgments = judge(0.5, 0.8, 0.9, 0.9, 0.7);
    expect(decide(judgments, { ...keep, maxTools: 3 }).kept).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(decide(judgments, { ...keep, maxTools: 4 }).kept).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(decide(judgments, { ...keep, maxTools: 1 }).kept).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it("never prefers an uncertain tool to an applicable one", () => {
    const judgments = [
      { probability: 0.79, verdict: "uncertain" },
      { probability: 0.8, verdict: "applicable" },
    ] as const;
    expect(decide(judgments, { ...keep, maxTools: 1 }).kept).toEqual([false, true]);
  });

  it("never cuts abstained and unjudged tools, which take no place", () => {
    const decision = decide(judge(null, 0.9, undefined, 0.95), { ...keep, maxTools: 1 });
    expect(decision.kept).toEqual([true, false, true, true]);
    expect(decision.reasons[1]).toBe("over-cap");
  });

  it("says over-cap for what it cuts, with either policy", () => {
    expect(decide(judge(0.9, 0.95), { ...policy, maxTools: 1 }).reasons).toEqual([
      "over-cap",
      "applicable",
    ]);
  });
});

describe("isFallbackCertain", () => {
  it.each([
    ["fallback", judge(0.9, 0.1), false],
    ["fallback", judge(0.5), true],
    ["fallback", judge(null), true],
    ["fallback", judge(undefined), true],
    ["keep", judge(undefined, null, 0.5), false],
  ] as const)("with %s", (onUncertain, judgments, expected) => {
    expect(isFallbackCertain(judgments, onUncertain)).toBe(expected);
  });
});

const answers = fc.array(
  fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(null), fc.constant(undefined)),
  { maxLength: 40 },
);
const policies = fc.record({
  rejectionThreshold: fc.double({ min: 0, max: 0.49, noNaN: true }),
  confidenceThreshold: fc.double({ min: 0.5, max: 1, noNaN: true }),
  maxTools: fc.integer({ min: 1, max: 20 }),
  onUncertain: fc.constantFrom("fallback" as const, "keep" as const),
});
const decideAll = (values: readonly unknown[], with_: SelectionPolicy): readonly boolean[] =>
  decide(
    values.map((value) => toJudgment(value, with_)),
    with_,
  ).kept;
const isSubset = (a: readonly boolean[], b: readonly boolean[]): boolean =>
  a.every((kept, index) => !kept || b[index] === true);

describe("properties", () => {
  it("raising the rejection threshold never reveals a tool under keep, as long as something is judged", () => {
    fc.assert(
      fc.property(
        answers,
        policies,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, p, by) => {
          const low: SelectionPolicy = { ...p, onUncertain: "keep", maxTools: 1000 };
          const rejectionThreshold =
            p.rejectionThreshold + by * (p.confidenceThreshold - p.rejectionThreshold) * 0.99;
          expect(
            isSubset(decideAll(values, { ...low, rejectionThreshold }), decideAll(values, low)),
          ).toBe(true);
        },
      ),
    );
  });

  it("lowering maxTools never adds a tool", () => {
    fc.assert(
      fc.property(answers, policies, (values, p) => {
        expect(isSubset(decideAll(values, { ...p, maxTools: 1 }), decideAll(values, p))).toBe(true);
      }),
    );
  });

  it("does not depend on the order of the judgments where probabilities differ", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
        policies,
        (values, p) => {
          const kept = (list: readonly number[]): ReadonlySet<number> =>
            new Set(list.filter((_, index) => decideAll(list, p)[index]));
          expect(kept(values.toReversed())).toEqual(kept(values));
        },
      ),
    );
  });

  it("hides only confident rejections and what is over the cap", () => {
    fc.assert(
      fc.property(answers, policies, (values, p) => {
        const decision = decide(
          values.map((value) => toJudgment(value, p)),
          p,
        );
        decision.kept.forEach((kept, index) => {
          if (kept) return;
          expect(["not-applicable", "over-cap"]).toContain(decision.reasons[index]);
          expect(typeof values[index]).toBe("number");
        });
      }),
    );
  });
});
