import { expect, it } from "vitest";
import { findJustBelow, placeAdjacent } from "../../src/report/thresholds.js";

it.each([
  [1, 0.999],
  [0.3, 0.2999],
  [0.31, 0.3099],
  [0.123456, 0.1234],
  [0.00012345, 0.0001234],
  [5e-324, 0],
])("just below %d is %d", (probability, expected) => {
  expect(findJustBelow(probability)).toBe(expected);
});

it("places two thresholds so that nothing lies between them at four digits", () => {
  expect(placeAdjacent(0.5)).toEqual({ confidenceThreshold: 0.5, rejectionThreshold: 0.4999 });
});
