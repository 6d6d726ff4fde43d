/** The behaviour that everything else is built around, example by example. */

import { describe, expect, it } from "vitest";
import { createToolSelector } from "../../src/index.js";
import type { ToolSelectorOptions } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { numberedTools, toolsNamed, turnOf } from "../support/turns.js";

const tools = toolsNamed("query", "refund", "help");
const [query, refund, help] = tools;

function selectWith(
  query: number | null | undefined,
  refund: number | null | undefined,
  options: ToolSelectorOptions = {},
) {
  const judge = fakeJudge({ probabilities: { query, refund } });
  return createToolSelector({ judge, mode: "enforce", alwaysInclude: ["help"], ...options }).select(
    turnOf(tools),
  );
}

describe("enforce", () => {
  it("keeps the applicable tool and the always-included one", async () => {
    const selection = await selectWith(0.95, 0.05);
    expect(selection.tools).toEqual([query, help]);
    expect(selection).toMatchObject({
      status: "decided",
      reason: "selected",
      fallback: false,
      enforced: true,
    });
  });

  it("keeps several applicable tools", async () => {
    expect((await selectWith(0.95, 0.9)).tools).toEqual([query, refund, help]);
  });

  it("keeps only the always-included tool when nothing applies", async () => {
    const selection = await selectWith(0.05, 0.05);
    expect(selection.tools).toEqual([help]);
    expect(selection).toMatchObject({
      status: "decided",
      reason: "none-applicable",
      fallback: false,
    });
  });

  it.each([
    ["uncertain", 0.5, "uncertain", "uncertain"],
    ["abstained", null, "uncertain", "abstained"],
    ["unjudged", undefined, "failed", "unjudged"],
  ] as const)(
    "restores the same array object when one tool is %s",
    async (_, answer, status, reason) => {
      const selection = await selectWith(0.95, answer);
      expect(selection.tools).toBe(tools);
      expect(selection.suggested).toBe(tools);
      expect(selection).toMatchObject({ status, reason, fallback: true, enforced: true });
    },
  );

  it("restores the same array object when the judge fails", async () => {
    const judge = fakeJudge({ error: new Error("down") });
    const selection = await createToolSelector({ judge, mode: "enforce" }).select(turnOf(tools));
    expect(selection.tools).toBe(tools);
    expect(selection).toMatchObject({ status: "failed", reason: "judge-error", fallback: true });
  });
});

describe("shadow", () => {
  it.each([
    [0.95, 0.05],
    [0.95, 0.9],
    [0.05, 0.05],
    [0.95, 0.5],
  ])("offers the original array for %s and %s, and says what enforce would offer", async (a, b) => {
    const shadow = await selectWith(a, b, { mode: "shadow" });
    const enforce = await selectWith(a, b);
    expect(shadow.tools).toBe(tools);
    expect(shadow.suggested).toEqual(enforce.tools);
    expect(shadow.enforced).toBe(false);
  });

  it("is the default mode", async () => {
    const selector = createToolSelector({ judge: fakeJudge() });
    expect(selector.options.mode).toBe("shadow");
    expect((await selector.select(turnOf(tools))).tools).toBe(tools);
  });
});

describe("130 tools", () => {
  it.each([0, 63, 64, 127, 128, 129])(
    "are three batches, and the winner may be tool %i",
    async (winner) => {
      const catalog = numberedTools(130);
      const judge = fakeJudge({ probabilities: { [`tool_${winner}`]: 0.95 } });
      const selection = await createToolSelector({ judge, mode: "enforce" }).select(
        turnOf(catalog),
      );
      expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual([64, 64, 2]);
      expect(selection.tools).toEqual([catalog[winner]]);
      expect(selection.record.judge).toMatchObject({ batches: 3, requests: 3 });
    },
  );
});

describe("one candidate", () => {
  it("is still judged and can be rejected", async () => {
    const judge = fakeJudge({ otherwise: 0.01 });
    const selection = await createToolSelector({ judge, mode: "enforce" }).select(
      turnOf(toolsNamed("only")),
    );
    expect(selection.tools).toEqual([]);
    expect(selection.reason).toBe("none-applicable");
  });
});
