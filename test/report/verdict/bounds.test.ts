import betaQuantile from "@stdlib/stats-base-dists-beta-quantile";
import studentT from "@stdlib/stats-base-dists-t-quantile";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeChanceOfReady,
  computeLowerBound,
  compareShares,
  computeStudentQuantile,
  countUnitsNeeded,
  countUnitsWithoutMiss,
  computeUpperBound,
} from "../../../src/report/verdict/bounds.js";

describe("Clopper–Pearson bounds", () => {
  const table = [1, 2, 5, 20, 30, 100, 299, 473, 1000, 5000, 100_000].flatMap((units) =>
    [0, 1, 2, 3, 7, 20, 60].filter((missed) => missed < units).map((missed) => ({ missed, units })),
  );
  it.each(table)("agree with a statistics library for $missed of $units", ({ missed, units }) => {
    for (const alpha of [0.05, 0.01, 0.005]) {
      expect(computeUpperBound(missed, units, alpha)).toBeCloseTo(
        betaQuantile(1 - alpha, missed + 1, units - missed),
        9,
      );
      if (missed > 0) {
        expect(computeLowerBound(missed, units, alpha)).toBeCloseTo(
          betaQuantile(alpha, missed, units - missed + 1),
          9,
        );
      }
    }
  });

  it("agree with a statistics library for any counts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (units, share) => {
          const missed = Math.floor(share * (units - 1));
          const expected = betaQuantile(0.95, missed + 1, units - missed);
          expect(Math.abs(computeUpperBound(missed, units, 0.05) - expected)).toBeLessThan(1e-8);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("are 0 and 1 at the ends", () => {
    expect(computeLowerBound(0, 10, 0.05)).toBe(0);
    expect(computeUpperBound(10, 10, 0.05)).toBe(1);
    expect(computeUpperBound(0, 0, 0.05)).toBe(1);
  });

  it.each([
    [0, 20, 0.139],
    [0, 30, 0.095],
    [0, 299, 0.00997],
  ])("put %d of %d at the published %f", (missed, units, expected) => {
    expect(computeUpperBound(missed, units, 0.05)).toBeCloseTo(expected, 3);
  });
});

describe("units that a verdict needs", () => {
  it.each([
    [0, 0.01, 0.05, 299],
    [1, 0.01, 0.05, 473],
    [2, 0.01, 0.05, 628],
    [0, 0.01, 0.01, 459],
    [0, 0.05, 0.05, 59],
  ])("with %d misses at %f, alpha %f: %d", (missed, limit, alpha, expected) => {
    expect(countUnitsNeeded(missed, limit, alpha)).toBe(expected);
  });

  it("is the first count whose bound is within the limit", () => {
    for (const missed of [0, 1, 2, 5, 9]) {
      const units = countUnitsNeeded(missed, 0.02, 0.05);
      expect(computeUpperBound(missed, units, 0.05)).toBeLessThanOrEqual(0.02);
      expect(computeUpperBound(missed, units - 1, 0.05)).toBeGreaterThan(0.02);
    }
  });

  it("rounds up, but not past an exact count", () => {
    expect(countUnitsWithoutMiss(0.5, 0.25)).toBe(2);
    expect(countUnitsWithoutMiss(0.5, 0.2)).toBe(3);
  });
});

it.each([
  [299, 0.41],
  [1000, 0.81],
])("at a true 0.3 percent, %d units are found ready with a chance of %f", (units, chance) => {
  expect(computeChanceOfReady(units, 0.003, { limit: 0.01, alpha: 0.05 })).toBeCloseTo(chance, 1.9);
});

it("is never ready with too few units", () => {
  expect(computeChanceOfReady(298, 0.0001, { limit: 0.01, alpha: 0.05 })).toBe(0);
});

it.each([1, 2, 5, 29, 298, 10_000])(
  "Student's t with %d degrees agrees with a statistics library",
  (degrees) => {
    expect(computeStudentQuantile(0.95, degrees)).toBeCloseTo(studentT(0.95, degrees), 6);
  },
);

describe("Newcombe's interval", () => {
  // Newcombe (1998), table II, method 10, two-sided 95 %: 56/70 against 48/80, and 9/10 against 3/10.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [10, 10, 0, 20, 0.6791, 1],
  ])("agrees with the published values for %d/%d against %d/%d", (a, m, b, n, low, high) => {
    const interval = compareShares({ hits: a, units: m }, { hits: b, units: n }, 0.025);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("turns round with the sides", () => {
    const one = compareShares({ hits: 5, units: 90 }, { hits: 9, units: 200 }, 0.05);
    const other = compareShares({ hits: 9, units: 200 }, { hits: 5, units: 90 }, 0.05);
    expect(one.low).toBeCloseTo(-other.high, 12);
  });
});
