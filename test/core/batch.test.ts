import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitIntoBatches, splitToFit } from "../../src/core/batch.js";
import { judgeLimitsSchema } from "../../src/core/limits.js";

const candidates = fc.array(
  fc.record({ name: fc.string({ minLength: 1 }), description: fc.string({ maxLength: 200 }) }),
  { maxLength: 50 },
);

describe("splitIntoBatches", () => {
  it("concatenates back to the candidates, within both limits", () => {
    fc.assert(
      fc.property(
        candidates,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 500 }),
        (list, size, batchChars) => {
          const batches = splitIntoBatches(list, size, judgeLimitsSchema.parse({ batchChars }));
          expect(batches.flat()).toEqual(list);
          for (const batch of batches) {
            expect(batch.length).toBeGreaterThan(0);
            expect(batch.length).toBeLessThanOrEqual(size);
            const chars = batch.reduce(
              (sum, { name, description }) => sum + name.length + (description?.length ?? 0),
              0,
            );
            expect(batch.length === 1 || chars <= batchChars).toBe(true);
          }
        },
      ),
    );
  });

  it("counts a schema only up to its cap, one that contains itself too", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const big = { type: "object", description: "x".repeat(10_000) };
    const limits = judgeLimitsSchema.parse({ batchChars: 8100 });
    const list = [
      { name: "a", parameters: big },
      { name: "b", parameters: big },
      { name: "c", parameters: cyclic },
    ];
    expect(splitIntoBatches(list, 64, limits)).toHaveLength(1);
  });
});

describe("splitToFit", () => {
  const budgets = [
    { measure: () => 1, limit: 3 },
    { measure: (item: number) => item, limit: 10 },
  ];

  it.each<[number[], number[][]]>([
    [[], []],
    [
      [1, 1, 1, 1],
      [[1, 1, 1], [1]],
    ],
    [
      [4, 6, 1],
      [[4, 6], [1]],
    ],
    [
      [4, 7, 3],
      [[4], [7, 3]],
    ],
    [
      [99, 1],
      [[99], [1]],
    ],
    [
      [1, 99, 1],
      [[1], [99], [1]],
    ],
  ])("splits %j into %j", (items, parts) => {
    expect(splitToFit(items, budgets)).toEqual(parts);
  });

  it("cuts into parts that concatenate back, each within every budget or a single item", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (items) => {
        const parts = splitToFit(items, budgets);
        expect(parts.flat()).toEqual(items);
        for (const part of parts) {
          const size = part.reduce((a, b) => a + b, 0);
          expect(part.length === 1 || (part.length <= 3 && size <= 10)).toBe(true);
        }
      }),
    );
  });
});
