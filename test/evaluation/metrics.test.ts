import { describe, expect, it } from "vitest";
import type { JudgedCase } from "../../src/evaluation/judge-cases.js";
import {
  measureCalibration,
  measureNoneDetection,
  measurePolicy,
  standardPolicies,
} from "../../src/evaluation/metrics.js";

const judged = (
  answers: JudgedCase["answers"],
  needed: readonly boolean[] | null,
  changes: Partial<JudgedCase> = {},
): JudgedCase => ({
  id: "1",
  unit: "1",
  set: "",
  labels: "applicable",
  answers,
  needed,
  ...changes,
});
const policies = standardPolicies({ confidenceThreshold: 0.8, rejectionThreshold: 0.2 });

describe("measurePolicy", () => {
  const cases = [
    judged([0.9, 0.1, 0.1, 0.1], [true, false, false, false], { unit: "a" }),
    judged([0.9, 0.1, 0.5, 0.1], [true, true, false, false], { unit: "b" }),
  ];

  it("cuts by default at the cap of the judge, if it has one", () => {
    const thresholds = { confidenceThreshold: 0.8, rejectionThreshold: 0.2 };
    expect(standardPolicies(thresholds, 12).default.maxTools).toBe(12);
    expect(standardPolicies(thresholds).default.maxTools).toBe(8);
  });

  it("counts recall per case and per tool, and what is hidden, over all cases", () => {
    const { recallPerCase, recallPerTool, hidden, fallbacks } = measurePolicy(cases, policies.keep);
    expect(recallPerCase).toMatchObject({ value: 1 / 2, cases: 2 });
    expect(recallPerTool?.value).toBeCloseTo(2 / 3);
    expect(hidden?.value).toBeCloseTo(5 / 8);
    expect(fallbacks?.value).toBe(0);
  });

  it("keeps everything where doubt restores the catalog", () => {
    const { recallPerCase, hidden, fallbacks } = measurePolicy(cases, policies.default);
    expect(recallPerCase?.value).toBe(1);
    expect(hidden?.value).toBeCloseTo(3 / 8);
    expect(fallbacks?.value).toBe(1 / 2);
  });

  it("cuts at eight with keep8 and by default", () => {
    const needed = Array.from({ length: 10 }, (_, index) => index === 9);
    const answers = needed.map((_, index) => 0.99 - index / 100);
    expect(measurePolicy([judged(answers, needed)], policies.keep8).recallPerCase?.value).toBe(0);
    expect(measurePolicy([judged(answers, needed)], policies.default).hidden?.value).toBe(0.2);
    expect(measurePolicy([judged(answers, needed)], policies.keep).recallPerCase?.value).toBe(1);
  });

  it("never reads a missing answer or an abstention as a rejection", () => {
    const answers = [undefined, null, 0.1];
    const needed = answers.map(() => true);
    expect(
      measurePolicy([judged(answers, needed)], policies.keep).recallPerTool?.value,
    ).toBeCloseTo(2 / 3);
  });

  it.each([
    { title: "need no tool", one: judged([0.1], [false]) },
    { title: "need an unknown one", one: judged([0.1], null) },
  ])("leaves out cases that $title", ({ one }) => {
    expect(measurePolicy([one], policies.keep).recallPerCase).toBeNull();
  });
});

describe("measureNoneDetection", () => {
  const some = (score: number): JudgedCase => judged([0, score], [false, true]);
  const none = (score: number): JudgedCase => judged([0, score], [false, false]);

  it.each([
    { title: "perfect", cases: [some(0.9), some(0.8), none(0.1)], area: 1 },
    { title: "reversed", cases: [some(0.1), none(0.9)], area: 0 },
    { title: "ties count half", cases: [some(0.5), none(0.5)], area: 0.5 },
    { title: "ties count half, in any order", cases: [none(0.5), some(0.5)], area: 0.5 },
    {
      title: "one of four pairs wrong",
      cases: [some(0.9), some(0.3), none(0.4), none(0.1)],
      area: 0.75,
    },
    {
      title: "a tie among four pairs",
      cases: [some(0.9), some(0.4), none(0.4), none(0.1)],
      area: 0.875,
    },
  ])("$title", ({ cases, area }) => {
    expect(measureNoneDetection(cases)?.value).toBeCloseTo(area);
  });

  it("counts `at least one` as needing a tool, and an abstention as no sign of none", () => {
    expect(measureNoneDetection([judged([null], null), none(0.9)])?.value).toBe(1);
  });

  it("is unknown without both kinds, and for runs", () => {
    expect(measureNoneDetection([some(0.9)])).toBeNull();
    const run = judged([0.1], [false], { labels: "called" });
    expect(measureNoneDetection([some(0.9), run])).toBeNull();
  });
});

describe("measureCalibration", () => {
  it("is zero where the shares are as stated", () => {
    const answers = [0.25, 0.25, 0.25, 0.25];
    expect(measureCalibration([judged(answers, [true, false, false, false])])).toMatchObject({
      error: 0,
      pairs: 4,
    });
  });

  it("weighs each bin by its pairs, and ignores tools without a probability", () => {
    const result = measureCalibration([
      judged([1, 1, 0.02, null, undefined], [true, false, false, true, true]),
    ]);
    expect(result?.error).toBeCloseTo((1 + 0.02) / 3);
    expect(result?.brier).toBeCloseTo((1 + 0.0004) / 3);
    expect(result?.pairs).toBe(3);
  });

  it("is unknown without labels of all that applies", () => {
    expect(
      measureCalibration([judged([0.5], null), judged([0.5], [true], { labels: "called" })]),
    ).toBeNull();
  });
});
