import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitIntoBatches } from "../../src/core/batch.js";
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

  it("counts a schema only up to its cap, and one that cannot be serialised as nothing", () => {
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
