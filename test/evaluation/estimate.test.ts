import { expect, it } from "vitest";
import { estimateShare } from "../../src/evaluation/estimate.js";

const parts = (count: number, units: number): { unit: string; part: number; whole: number }[] =>
  Array.from({ length: count }, (_, index) => ({
    unit: String(index % units),
    part: (index % units) % 2,
    whole: 1,
  }));

it("has about the textbook interval of a share", () => {
  const estimate = estimateShare(parts(400, 400), 1);
  expect(estimate?.value).toBe(0.5);
  const textbook = 1.96 * Math.sqrt(0.25 / 400);
  expect(Math.abs((estimate?.low ?? 0) - (0.5 - textbook))).toBeLessThan(0.01);
  expect(Math.abs((estimate?.high ?? 0) - (0.5 + textbook))).toBeLessThan(0.01);
});

it("draws conversations, not turns: turns of few conversations give a wide interval", () => {
  const width = (units: number): number => {
    const { low, high } = estimateShare(parts(400, units), 1) ?? { low: 0, high: 0 };
    return high - low;
  };
  expect(width(8)).toBeGreaterThan(4 * width(400));
});

it("draws the turns of a conversation together, as if they were one part", () => {
  const turns = Array.from({ length: 200 }, (_, index) => ({
    unit: String(index % 20),
    part: index % 3 === 0 ? 1 : 0,
    whole: 1,
  }));
  const units = Array.from({ length: 20 }, (_, unit) => {
    const own = turns.filter((turn) => turn.unit === String(unit));
    return { unit: String(unit), part: own.filter(({ part }) => part === 1).length, whole: 10 };
  });
  const { value, low, high } = estimateShare(turns, 1) ?? {};
  expect(estimateShare(units, 1)).toMatchObject({ value, low, high });
});

it("is the same for the same seed, and none for nothing", () => {
  expect(estimateShare(parts(50, 50), 3)).toEqual(estimateShare(parts(50, 50), 3));
  expect(estimateShare([], 1)).toBeNull();
});
