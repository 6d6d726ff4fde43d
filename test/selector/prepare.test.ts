/** `prepare` warms the judge, once, with the candidates that the turns will hold. */

import { describe, expect, it, vi } from "vitest";
import { createToolSelector } from "../../src/index.js";
import type { Candidate } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { numberedTools, turnOf } from "../support/turns.js";

const tools = numberedTools(3);

function preparing(prepare: (candidates: readonly Candidate[], signal: AbortSignal) => unknown) {
  const warnings: string[] = [];
  const judge = fakeJudge({
    prepare: async (candidates, { signal }) => void (await prepare(candidates, signal)),
  });
  const logger = { warn: (message: string) => void warnings.push(message) };
  const selector = createToolSelector({
    judge,
    logger,
    alwaysInclude: ["tool_1"],
    mode: "enforce",
  });
  return { selector, judge, warnings };
}

describe("prepare", () => {
  it("hands over the very candidates that the judge is asked about later", async () => {
    const prepared: Candidate[] = [];
    const { selector, judge } = preparing((candidates) => prepared.push(...candidates));
    await selector.prepare([...tools, { name: "bare" }, { type: "web_search" }]);
    expect(prepared.map(({ name }) => name)).toEqual(["tool_0", "tool_2"]);
    await selector.select(turnOf(tools));
    expect(judge.requests[0]?.candidates[0]).toBe(prepared[0]);
  });

  it("shares candidates with a `describe` of the turn that says the same", async () => {
    const prepared: Candidate[] = [];
    const { selector, judge } = preparing((candidates) => prepared.push(...candidates));
    await selector.prepare(tools);
    await selector.select(turnOf(tools, { describe: (tool) => ({ ...tool }) }));
    expect(judge.requests[0]?.candidates[0]).toBe(prepared[0]);
    await selector.select(turnOf(tools, { describe: (tool) => ({ ...tool, group: "orders" }) }));
    expect(judge.requests[1]?.candidates[0]).toMatchObject({ group: "orders" });
  });

  it("resolves when the judge is done", async () => {
    let isDone = false;
    const { selector } = preparing(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isDone = true;
    });
    await selector.prepare(tools);
    expect(isDone).toBe(true);
  });

  it.each([
    ["a judge that throws", tools],
    ["tools that are no list", null as never],
  ])("never rejects: %s", async (_, list) => {
    const { selector, warnings } = preparing(() => {
      throw new Error("secret");
    });
    await expect(selector.prepare(list)).resolves.toBeUndefined();
    expect(warnings).toEqual([
      "[toolsieve] Preparing tools failed; the turns to come are not affected.",
    ]);
  });

  it("does nothing with a judge that keeps nothing, and asks it nothing", async () => {
    const judge = fakeJudge();
    await createToolSelector({ judge }).prepare(tools);
    expect(judge.requests).toEqual([]);
  });

  it("is called off by `close`", async () => {
    const onAbort = vi.fn();
    const { selector } = preparing(
      (_, signal) =>
        new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            onAbort();
            resolve();
          });
        }),
    );
    const work = selector.prepare(tools);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await selector.close();
    await work;
    expect(onAbort).toHaveBeenCalledOnce();
  });
});
