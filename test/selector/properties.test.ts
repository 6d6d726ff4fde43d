/** Properties of a whole selection, over random catalogs, answers and policies. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createToolSelector, parseSelectionRecord } from "../../src/index.js";
import { completeRecord } from "../../src/core/build-record.js";
import { assistant, turnOf, user } from "../support/turns.js";

const hostileName = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "a.b",
    "a_b",
    "查天气",
    'q"',
    "\n",
    "find*",
  ),
);
const catalog = fc.array(
  fc.record({
    tool: fc.record({ name: hostileName, description: fc.string({ maxLength: 20 }) }),
    answer: fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(null, undefined, Number.NaN, 2, "0.1"),
      fc.constantFrom(0.01, 0.99),
    ),
  }),
  { maxLength: 30 },
);
const policy = fc.record({
  mode: fc.constantFrom("shadow" as const, "enforce" as const),
  onUncertain: fc.constantFrom("fallback" as const, "keep" as const),
  maxTools: fc.integer({ min: 1, max: 10 }),
  batchSize: fc.integer({ min: 1, max: 10 }),
  alwaysInclude: fc.array(hostileName, { maxLength: 3 }),
});

describe("a selection", () => {
  it("offers a subsequence of the caller's own objects, keeps every pinned tool, and partitions the catalog", async () => {
    await fc.assert(
      fc.asyncProperty(catalog, policy, async (entries, options) => {
        const tools = entries.map(({ tool }) => tool);
        const answers = new Map(
          entries.map(({ tool, answer }) => [tool.description + tool.name, answer]),
        );
        const selector = createToolSelector({
          ...options,
          judge: ({ candidates }) =>
            candidates.map(
              ({ name, description }) => answers.get((description ?? "") + name) as number,
            ),
        });
        const selection = await selector.select(
          turnOf(tools, { messages: [user("go"), assistant("", "a.b")] }),
        );

        let position = -1;
        for (const tool of selection.suggested) {
          position = tools.indexOf(tool, position + 1);
          expect(position).toBeGreaterThanOrEqual(0);
        }
        expect(selection.outcomes).toHaveLength(tools.length);
        expect(selection.suggested).toHaveLength(
          selection.outcomes.filter(({ kept }) => kept).length,
        );
        for (const outcome of selection.outcomes) {
          if (outcome.verdict === null) expect(outcome.kept).toBe(true);
          if (!outcome.kept) expect(["not-applicable", "over-cap"]).toContain(outcome.reason);
          if (outcome.name === "a.b") expect(outcome.kept).toBe(true);
        }
        if (options.mode === "shadow") expect(selection.tools).toBe(tools);
        if (selection.fallback) expect(selection.suggested).toBe(tools);
        expect(selection.suggested.length === tools.length).toBe(selection.suggested === tools);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves a record that round-trips", async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog,
        policy,
        fc.array(fc.string(), { maxLength: 3 }),
        async (entries, options, called) => {
          const selector = createToolSelector({
            ...options,
            judge: ({ candidates }) => candidates.map(() => 0.01),
          });
          const { record } = await selector.select(turnOf(entries.map(({ tool }) => tool)));
          const complete = completeRecord(record, {
            latencyMs: 1,
            error: false,
            model: { called },
          });
          expect(parseSelectionRecord(JSON.stringify(complete))).toEqual(complete);
        },
      ),
      { numRuns: 100 },
    );
  });
});
