/** Judges whose answer for one tool depends on the others, and that rank. */

import { describe, expect, it } from "vitest";
import { createToolSelector } from "../../src/index.js";
import type { ToolSelectorOptions } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import type { FakeJudgeOptions } from "../../src/testing/fake-judge.js";
import { numberedTools, turnOf } from "../support/turns.js";

async function select(
  count: number,
  judgeOptions: FakeJudgeOptions,
  options: ToolSelectorOptions = {},
) {
  const judge = fakeJudge(judgeOptions);
  const selector = createToolSelector({ judge, mode: "enforce", ...options });
  const selection = await selector.select(turnOf(numberedTools(count)));
  return { selection, sizes: judge.requests.map(({ candidates }) => candidates.length), selector };
}

describe("a judge of scope catalog", () => {
  it("gets all candidates in one request, however long their schemas are", async () => {
    const { sizes } = await select(400, { scope: "catalog" }, { limits: { batchChars: 100 } });
    expect(sizes).toEqual([400]);
  });

  it("gets batches where the user says so", async () => {
    const { sizes } = await select(130, { scope: "catalog" }, { batchSize: 64 });
    expect(sizes).toEqual([64, 64, 2]);
  });

  it("gets batches of the size that it can take", async () => {
    const { sizes } = await select(130, { scope: "catalog", batchSize: 100 });
    expect(sizes).toEqual([100, 30]);
  });

  it.each(["keep", "fallback"] as const)(
    "abstains for the whole turn or not at all, with %s",
    async (onUncertain) => {
      // Knows tool_3 only: where that is among the candidates it rejects the others, else it cannot tell.
      const judge: FakeJudgeOptions = {
        scope: "catalog",
        reply: ({ candidates }) => ({
          probabilities: candidates.map(({ name }) =>
            candidates.some((candidate) => candidate.name === "tool_3")
              ? Number(name === "tool_3")
              : null,
          ),
        }),
      };
      const { selection } = await select(130, judge, { onUncertain });
      expect(selection.tools).toHaveLength(1);
      const greeting = await select(130, { scope: "catalog", otherwise: null }, { onUncertain });
      expect(greeting.selection).toMatchObject({ reason: "abstained", fallback: true });
      expect(new Set(greeting.selection.outcomes.map(({ verdict }) => verdict))).toEqual(
        new Set(["abstained"]),
      );
    },
  );

  it("has another policy fingerprint than one of scope tool", () => {
    const [one, other] = (["tool", "catalog"] as const).map(
      (scope) => createToolSelector({ judge: fakeJudge({ scope }) }).policyFingerprint,
    );
    expect(one).not.toBe(other);
  });
});

describe("the cap", () => {
  const applicable = { otherwise: 0.95 };

  it.each([
    ["8 by default", applicable, {}, 8],
    ["the judge's own", { ...applicable, maxTools: 3 }, {}, 3],
    ["the user's before the judge's", { ...applicable, maxTools: 3 }, { maxTools: 5 }, 5],
  ])("is %s", async (_, judge, options, offered) => {
    const { selection, selector } = await select(20, judge, options);
    expect(selection.tools).toHaveLength(offered);
    expect(selector.options.maxTools).toBe(offered);
    expect(selection.record.policy.maxTools).toBe(offered);
  });

  it.each([
    [{ maxTools: 0 }, "`judge.maxTools` to be an integer from 1, got `0` (number)"],
    [{ batchSize: 1.5 }, "`judge.batchSize` to be an integer from 1, got `1.5` (number)"],
    [{ scope: "all" as never }, '`judge.scope` to be "tool" or "catalog"'],
  ])("of a judge is checked at construction: %o", (traits, message) => {
    expect(() => createToolSelector({ judge: fakeJudge(traits) })).toThrow(message);
  });
});
