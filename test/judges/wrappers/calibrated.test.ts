import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../../../src/errors.js";
import { calibrated } from "../../../src/judges/wrappers/calibrated.js";
import { fitCalibration } from "../../../src/judges/calibration/fit-calibration.js";
import {
  applyCalibration,
  type CalibrationCurve,
  type CalibrationPair,
} from "../../../src/judges/calibration/calibration-curve.js";
import { fakeJudge } from "../../../src/testing/fake-judge.js";

const steps: CalibrationCurve = {
  method: "isotonic",
  blocks: [
    { from: 0.1, probability: 0.02 },
    { from: 0.5, probability: 0.4 },
    { from: 0.9, probability: 0.99 },
  ],
};
const options = { signal: new AbortController().signal };
const request = (count: number) => ({
  context: { request: "Where is it?", messages: [] },
  candidates: Array.from({ length: count }, (_, index) => ({ name: `t${index}` })),
});

describe("calibrated", () => {
  it("maps probabilities and leaves abstentions and missing answers what they are", async () => {
    const answers = [0, 0.1, 0.49, 0.5, 0.9, 1, null, undefined, 1.5, Number.NaN, "0.5"];
    const judge = calibrated(
      fakeJudge({ reply: () => ({ probabilities: answers, model: "m-1", requests: 1 }) }),
      steps,
    );
    expect(await judge.judge(request(answers.length), options)).toEqual({
      probabilities: [
        0.02,
        0.02,
        0.02,
        0.4,
        0.99,
        0.99,
        null,
        undefined,
        undefined,
        undefined,
        undefined,
      ],
      model: "m-1",
      requests: 1,
    });
  });

  it("drops the judge's own thresholds", () => {
    const inner = fakeJudge({ thresholds: { confidence: 0.5, rejection: 0.1 } });
    expect(calibrated(inner, steps).thresholds).toBeUndefined();
  });

  it("leaves a reply void that has a wrong number of answers", async () => {
    const judge = calibrated(() => [0.5], steps);
    expect((await judge.judge(request(3), options)).probabilities).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("takes a fit that went through JSON", async () => {
    const pairs = [0.1, 0.3, 0.6, 0.9].map((probability) => ({
      probability,
      applicable: probability > 0.5,
    }));
    const fit = fitCalibration(pairs, { holdOut: 0 });
    const judge = calibrated(() => [0.1, 0.9], JSON.parse(JSON.stringify(fit)));
    const { probabilities } = await judge.judge(request(2), options);
    expect(probabilities[0]).toBeLessThan(0.5);
    expect(probabilities[1]).toBeGreaterThan(0.5);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["an unknown method", { method: "magic" }],
    ["no blocks", { method: "isotonic", blocks: [] }],
    ["blocks out of order", { method: "isotonic", blocks: [steps.blocks[1], steps.blocks[0]] }],
    [
      "falling probabilities",
      {
        method: "isotonic",
        blocks: [
          { from: 0, probability: 0.9 },
          { from: 0.5, probability: 0.1 },
        ],
      },
    ],
    ["a falling curve", { method: "platt", slope: -1, intercept: 0 }],
    ["an infinite intercept", { method: "platt", slope: 1, intercept: Number.POSITIVE_INFINITY }],
  ])("refuses %s as a fit", (_, fit) => {
    expect(() => calibrated(fakeJudge(), fit as CalibrationCurve)).toThrow(InvalidOptionsError);
  });
});

/** Deterministic pairs of an overconfident judge: it says p, and is right with probability 0.25 + p / 2. */
function overconfident(count: number): readonly CalibrationPair[] {
  return Array.from({ length: count }, (_, index) => {
    const probability = ((index * 37) % 101) / 100;
    const draw = ((index * 6151 + 311) % 1009) / 1009;
    return { probability, applicable: draw < 0.25 + probability / 2 };
  });
}

describe("fitCalibration", () => {
  it.each(["isotonic", "platt"] as const)(
    "brings an overconfident judge closer to the truth: %s",
    (method) => {
      const fit = fitCalibration(overconfident(2000), { method });
      expect(fit.heldOut?.brier).toBeLessThan((fit.heldOut?.uncalibratedBrier ?? 0) - 0.01);
      expect(applyCalibration(fit, 0.02)).toBeGreaterThan(0.15);
      expect(applyCalibration(fit, 0.98)).toBeLessThan(0.85);
      expect(applyCalibration(fit, 0.5)).toBeGreaterThan(0.4);
      expect(applyCalibration(fit, 0.5)).toBeLessThan(0.6);
    },
  );

  it("fits stated probabilities, which no logistic curve fits, better with isotonic steps", () => {
    // A chat model states few round values: below 0.9 hardly any is right, at 0.9 and above most are.
    const shares = {
      0: 0.01,
      0.1: 0.02,
      0.3: 0.02,
      0.5: 0.03,
      0.7: 0.03,
      0.8: 0.04,
      0.9: 0.9,
      0.95: 0.92,
      1: 0.93,
    };
    const stated = Object.entries(shares);
    const pairs = Array.from({ length: 3000 }, (_, index): CalibrationPair => {
      const [probability, share] = stated[index % stated.length] ?? ["0", 0];
      return {
        probability: Number(probability),
        applicable: ((index * 6151 + 311) % 3001) / 3001 < share,
      };
    });
    const briers = (["isotonic", "platt"] as const).map(
      (method) => fitCalibration(pairs, { method }).heldOut?.brier ?? 1,
    );
    expect(briers[0]).toBeLessThan((briers[1] ?? 0) * 0.8);
  });

  it("smooths an isotonic block of n pairs with k applicable ones to (k + ½) / (n + 1)", () => {
    const pairs = [
      { probability: 0.1, applicable: false },
      { probability: 0.2, applicable: true },
      { probability: 0.2, applicable: false },
      { probability: 0.3, applicable: false },
      { probability: 0.8, applicable: true },
      { probability: 0.9, applicable: true },
    ];
    expect(fitCalibration(pairs, { holdOut: 0 })).toEqual({
      method: "isotonic",
      blocks: [
        { from: 0.1, probability: 0.25 },
        { from: 0.2, probability: 1.5 / 4 },
        { from: 0.8, probability: 2.5 / 3 },
      ],
      pairs: 6,
      heldOut: null,
    });
  });

  it("pools blocks again that smoothing has put out of order", () => {
    const many = Array.from({ length: 10 }, (_, index) => ({
      probability: 0.2,
      applicable: index === 0,
    }));
    const pairs = [
      { probability: 0.1, applicable: false },
      ...many,
      { probability: 0.9, applicable: true },
    ];
    expect(fitCalibration(pairs, { holdOut: 0 })).toMatchObject({
      blocks: [
        { from: 0.1, probability: 1.5 / 12 },
        { from: 0.9, probability: 0.75 },
      ],
    });
  });

  it("never says 0 or 1, and never turns an order around", () => {
    const pair = fc.record({
      probability: fc.double({ min: 0, max: 1, noNaN: true }),
      applicable: fc.boolean(),
    });
    const lists = fc
      .array(pair, { minLength: 2, maxLength: 60 })
      .filter((pairs) => new Set(pairs.map(({ applicable }) => applicable)).size === 2);
    fc.assert(
      fc.property(
        lists,
        fc.constantFrom("isotonic" as const, "platt" as const),
        (pairs, method) => {
          const fit = fitCalibration(pairs, { method, holdOut: 0 });
          const grid = Array.from({ length: 51 }, (_, index) => index / 50);
          const mapped = grid.map((p) => applyCalibration(fit, p));
          for (const [index, value] of mapped.entries()) {
            expect(value).toBeGreaterThan(0);
            expect(value).toBeLessThan(1);
            expect(value).toBeGreaterThanOrEqual(mapped[index - 1] ?? 0);
          }
        },
      ),
    );
  });

  it("does not turn a judge around that is worse than chance", () => {
    const pairs = overconfident(500).map((pair) => ({ ...pair, applicable: !pair.applicable }));
    const fit = fitCalibration(pairs, { method: "platt", holdOut: 0 });
    expect(fit).toMatchObject({ slope: 0 });
    const share = pairs.filter(({ applicable }) => applicable).length / pairs.length;
    expect(applyCalibration(fit, 0.9)).toBeCloseTo(share, 2);
  });

  it("fits Platt's two numbers close to the curve that made the pairs", () => {
    const pairs = Array.from({ length: 5000 }, (_, index) => {
      const probability = 0.01 + 0.98 * (((index * 37) % 101) / 100);
      const truth = 1 / (1 + Math.exp(-(0.5 * Math.log(probability / (1 - probability)) - 1)));
      return { probability, applicable: ((index * 6151 + 311) % 5003) / 5003 < truth };
    });
    const fit = fitCalibration(pairs, { method: "platt", holdOut: 0 });
    if (fit.method !== "platt") throw new Error("Expected a logistic curve.");
    expect(fit.slope).toBeCloseTo(0.5, 1);
    expect(fit.intercept).toBeCloseTo(-1, 1);
  });

  it("holds out about the share that is asked for, always the same pairs", () => {
    const pairs = overconfident(1000);
    const fit = fitCalibration(pairs, { holdOut: 0.3 });
    expect(fit.heldOut?.pairs).toBe(300);
    expect(fit.pairs).toBe(700);
    expect(fitCalibration(pairs, { holdOut: 0.3 })).toEqual(fit);
  });

  it("never splits a group", () => {
    const pairs = overconfident(400).map((pair, index) => ({ ...pair, group: `g${index % 10}` }));
    const { heldOut, ...fit } = fitCalibration(pairs, { holdOut: 0.3 });
    expect(heldOut).toMatchObject({ pairs: 120, groups: 3 });
    expect(fit.pairs).toBe(280);
    const whole = { ...overconfident(1)[0], group: "one" } as CalibrationPair;
    const one = [whole, { ...whole, applicable: !whole.applicable }];
    expect(fitCalibration(one, { holdOut: 0.9 })).toMatchObject({ pairs: 2, heldOut: null });
  });

  it.each<[string, unknown, unknown, string]>([
    [
      "a probability out of range",
      [{ probability: 2, applicable: true }],
      {},
      "`pairs.0.probability`",
    ],
    ["no list", 7, {}, "`pairs`"],
    [
      "one kind of truth",
      [{ probability: 0.2, applicable: true }],
      {},
      "applicable and not applicable",
    ],
    ["a held-out share of 1", [], { holdOut: 1 }, "`holdOut` to be a number from 0, below 1"],
    ["an unknown method", [], { method: "magic" }, '"isotonic" or "platt"'],
  ])("refuses %s", (_, pairs, options, message) => {
    expect(() => fitCalibration(pairs as [], options as object)).toThrow(message);
  });
});
