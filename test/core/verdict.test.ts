import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isValidAnswer, toJudgment } from "../../src/core/verdict.js";

const thresholds = { confidenceThreshold: 0.8, rejectionThreshold: 0.2 };

describe("toJudgment", () => {
  it.each([
    [1, "applicable"],
    [0.8, "applicable"],
    [0.799_999, "uncertain"],
    [0.200_001, "uncertain"],
    [0.2, "not-applicable"],
    [0, "not-applicable"],
    [-0, "not-applicable"],
    [null, "abstained"],
  ] as const)("reads %s as %s, equality with a threshold decided", (answer, verdict) => {
    expect(toJudgment(answer, thresholds).verdict).toBe(verdict);
  });

  it.each([
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0.01,
    1.01,
    "0.05",
    "",
    true,
    false,
    {},
    [],
    [0.05],
    0n,
  ])("reads %s as unjudged, never as a number", (answer) => {
    expect(toJudgment(answer, thresholds)).toEqual({ probability: null, verdict: "unjudged" });
  });

  it("keeps the probability exactly as it came", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (p) => {
        expect(toJudgment(p, thresholds).probability).toBe(p);
      }),
    );
  });

  it("accepts only numbers in [0, 1] and null as answers", () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const expected =
          answer === null || (typeof answer === "number" && answer >= 0 && answer <= 1);
        expect(isValidAnswer(answer)).toBe(expected);
      }),
    );
  });
});
