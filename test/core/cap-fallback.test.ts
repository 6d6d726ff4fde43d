import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capFallback } from "../../src/core/cap-fallback.js";
import type { FallbackTool } from "../../src/core/cap-fallback.js";

const plain: FallbackTool = {
  pin: null,
  isRemembered: false,
  verdict: "unjudged",
  probability: null,
  wasCalled: false,
};

describe("capFallback", () => {
  it("keeps the better kind first, and within a kind the more probable, then the earlier", () => {
    const tools: readonly FallbackTool[] = [
      plain,
      { ...plain, wasCalled: true },
      { ...plain, verdict: "uncertain", probability: 0.3 },
      { ...plain, verdict: "uncertain", probability: 0.6 },
      { ...plain, verdict: "applicable", probability: 0.9 },
      { ...plain, isRemembered: true },
      { ...plain, pin: "no-description" },
      { ...plain, pin: "tool-choice" },
      plain,
    ];
    const keptAt = (most: number): number[] =>
      capFallback(tools, most).flatMap((kept, index) => (kept ? [index] : []));
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(keptAt)).toEqual([
      [7],
      [6, 7],
      [5, 6, 7],
      [4, 5, 6, 7],
      [3, 4, 5, 6, 7],
      [2, 3, 4, 5, 6, 7],
      [1, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3, 4, 5, 6, 7],
    ]);
  });

  it("offers exactly as many as there are, or as it may; a larger bound takes nothing away", () => {
    const tool = fc.record({
      pin: fc.constantFrom(null, "history", "always-include", "revealed" as const),
      isRemembered: fc.boolean(),
      verdict: fc.constantFrom(null, "applicable", "uncertain", "not-applicable" as const),
      probability: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      wasCalled: fc.boolean(),
    }) as fc.Arbitrary<FallbackTool>;
    fc.assert(
      fc.property(
        fc.array(tool, { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (tools, most) => {
          const kept = capFallback(tools, most);
          expect(kept.filter(Boolean)).toHaveLength(Math.min(tools.length, most));
          const more = capFallback(tools, most + 1);
          expect(kept.every((isKept, index) => !isKept || more[index] === true)).toBe(true);
        },
      ),
    );
  });
});
