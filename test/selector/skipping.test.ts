/** Turns that are not judged, empty lists that are dangerous, and what is pinned. */

import { describe, expect, it, vi } from "vitest";
import { createToolSelector } from "../../src/index.js";
import type { ToolSelectorOptions, Turn } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { assistant, toolResult, toolsNamed, turnOf, user } from "../support/turns.js";

const tools = toolsNamed("a", "b");

async function enforce(
  turn: Partial<Turn<(typeof tools)[number]>>,
  options: ToolSelectorOptions = {},
) {
  const judge = fakeJudge({ otherwise: 0.01 });
  const selector = createToolSelector({ judge, mode: "enforce", ...options });
  const selection = await selector.select(turnOf(turn.tools ?? tools, turn));
  return { judge, selection };
}

describe("a turn is skipped, request untouched, no judge call", () => {
  it.each([
    ["no tools", { tools: [] }, {}, "no-candidates"],
    ["only pinned tools", {}, { alwaysInclude: ["*"] }, "no-candidates"],
    ["no message", { messages: [] }, {}, "no-user-text"],
    ["no user message", { messages: [{ role: "system", text: "s" }] }, {}, "no-user-text"],
    ["only an assistant message", { messages: [assistant("hello")] }, {}, "no-user-text"],
    ["an image alone", { messages: [user("look"), user("")] }, {}, "no-user-text"],
    ["tool choice none", { toolChoice: "none" }, {}, "tool-choice-none"],
    ["tool choice { type: none }", { toolChoice: { type: "none" } }, {}, "tool-choice-none"],
    ["too few candidates", {}, { minCandidates: 3 }, "too-few-candidates"],
  ] as const)("with %s", async (_, turn, options, reason) => {
    const { judge, selection } = await enforce(turn, options);
    expect(judge.requests).toHaveLength(0);
    expect(selection).toMatchObject({ status: "skipped", reason, fallback: false, enforced: true });
    expect(selection.tools).toEqual("tools" in turn ? [] : tools);
    expect(selection.record).toMatchObject({ status: "skipped", reason, judge: null, error: null });
  });

  it("offers the caller's own array", async () => {
    expect((await enforce({ messages: [] })).selection.tools).toBe(tools);
  });

  it("but is judged with exactly `minCandidates` candidates", async () => {
    expect((await enforce({}, { minCandidates: 2 })).selection.status).toBe("decided");
  });

  it("but is judged in a tool loop, whose last message is not the user's", async () => {
    const messages = [user("go"), assistant("", "x"), toolResult("x", "done")];
    expect((await enforce({ messages })).judge.requests[0]?.context.request).toBe("go");
  });
});

describe("mode off", () => {
  it("asks nobody and offers the caller's own array", async () => {
    const { judge, selection } = await enforce({}, { mode: "off" });
    expect(judge.requests).toHaveLength(0);
    expect(selection).toMatchObject({ status: "skipped", reason: "mode-off", enforced: false });
    expect(selection.tools).toBe(tools);
  });
});

describe("an empty list", () => {
  it("is a valid selection when nothing applies", async () => {
    const { selection } = await enforce({});
    expect(selection.tools).toEqual([]);
    expect(selection.reason).toBe("none-applicable");
  });

  it.each([
    ["tool choice any", { toolChoice: "any" }],
    ["tool choice required", { toolChoice: "required" }],
    ["tool choice { type: any }", { toolChoice: { type: "any" } }],
    ["a structured-response strategy", { emptyAllowed: false }],
    [
      "calls of tools that are gone in the history",
      { messages: [user("x"), assistant("", "gone"), user("go")] },
    ],
    [
      "results of tools that are gone in the history",
      { messages: [toolResult("gone", "r"), user("go")] },
    ],
  ])("is refused with %s: the full catalog goes through", async (_, turn) => {
    const { selection } = await enforce(turn);
    expect(selection.tools).toBe(tools);
    expect(selection).toMatchObject({
      status: "decided",
      reason: "empty-not-allowed",
      fallback: true,
    });
    expect(selection.outcomes.map(({ reason }) => reason)).toEqual(["fallback", "fallback"]);
  });

  it.each([{ toolChoice: "required" }, { emptyAllowed: false }])(
    "is not what %j gets while a pinned tool is left",
    async (turn) => {
      const { selection } = await enforce(turn, { alwaysInclude: ["b"] });
      expect(selection.tools).toEqual([tools[1]]);
      expect(selection.fallback).toBe(false);
    },
  );
});

describe("pinned tools", () => {
  it.each([
    { type: "function", function: { name: "b" } },
    { type: "function", name: "b" },
    { type: "tool", name: "b" },
    "b",
    { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "b" }] },
  ])("that %j names is never hidden", async (toolChoice) => {
    const { judge, selection } = await enforce({ toolChoice });
    expect(selection.tools).toEqual([tools[1]]);
    expect(selection.outcomes[1]?.reason).toBe("tool-choice");
    expect(judge.requests[0]?.candidates.map(({ name }) => name)).toEqual(["a"]);
  });

  it("whose calls are in the history stay", async () => {
    const messages = [user("x"), assistant("", "a"), toolResult("a", "r"), user("do that again")];
    const { selection } = await enforce({ messages });
    expect(selection.tools).toEqual([tools[0]]);
    expect(selection.outcomes[0]).toEqual({
      name: "a",
      probability: null,
      verdict: null,
      kept: true,
      reason: "history",
    });
  });

  it("take no place under the cap", async () => {
    const catalog = toolsNamed("a", "b", "c", "d");
    const judge = fakeJudge({ probabilities: { a: 0.9, b: 0.95 }, otherwise: 0.01 });
    const selector = createToolSelector({
      judge,
      mode: "enforce",
      maxTools: 1,
      alwaysInclude: ["c", "d"],
    });
    expect((await selector.select(turnOf(catalog))).tools).toEqual([
      catalog[1],
      catalog[2],
      catalog[3],
    ]);
  });

  it("without a usable description are warned about once each", async () => {
    const warn = vi.fn();
    const selector = createToolSelector({ judge: fakeJudge(), logger: { warn } });
    const catalog = [{ name: "bare" }, { name: "same", description: "same" }, ...tools];
    await selector.select(turnOf<unknown>(catalog));
    await selector.select(turnOf<unknown>(catalog));
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining('"bare"'),
      expect.stringContaining('"same"'),
    ]);
  });
});

it("warnings of one kind leave room for those of another", async () => {
  const warn = vi.fn();
  const selector = createToolSelector({
    judge: fakeJudge(),
    logger: { warn },
    redact: () => {
      throw new Error("no");
    },
  });
  const bare = Array.from({ length: 2000 }, (_, index) => ({ name: `bare_${index}` }));
  await selector.select(turnOf<unknown>([...bare, ...tools]));
  expect(warn.mock.calls.length).toBeLessThan(200);
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining("`redact`"));
});

describe("the judge's view", () => {
  it.each([
    ["redaction", { redact: () => " " }],
    ["`context`", { context: () => ({ request: "", messages: [] }) }],
  ])("without any request left after %s skips the turn", async (_, options) => {
    const judge = fakeJudge();
    const selector = createToolSelector({ judge, mode: "enforce", ...options });
    expect(await selector.select(turnOf(tools))).toMatchObject({
      status: "skipped",
      reason: "no-user-text",
      fallback: false,
    });
    expect(judge.requests).toEqual([]);
  });

  it("is what `context` returns, after redaction", async () => {
    const judge = fakeJudge();
    const selector = createToolSelector({
      judge,
      context: (turn) => ({ request: `${turn.messages.length} secret`, messages: [] }),
      redact: (text) => text.replace("secret", "***"),
    });
    await selector.select(turnOf(tools));
    expect(judge.requests[0]?.context).toEqual({ request: "1 ***", messages: [] });
  });

  it("holds no invisible characters", async () => {
    const judge = fakeJudge();
    const catalog = [{ name: "a", description: "ignore\u200B this\u{E0041}" }];
    await createToolSelector({ judge }).select(
      turnOf(catalog, { messages: [user("he\u200Bllo")] }),
    );
    expect(judge.requests[0]?.context.request).toBe("hello");
    expect(judge.requests[0]?.candidates[0]?.description).toBe("ignore this");
  });
});
