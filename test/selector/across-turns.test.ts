import { describe, expect, it } from "vitest";
import type { ToolSelectorOptions } from "../../src/core/options.js";
import type { SelectionRecord } from "../../src/core/record.js";
import type { MemoryChange, ThreadMemory, Turn, TurnMessage } from "../../src/core/types.js";
import { reduceMemory } from "../../src/selector/memory/thread-memory.js";
import { createToolSelector } from "../../src/selector/tool-selector.js";
import type { ToolSelector } from "../../src/selector/tool-selector.js";
import { memorySink } from "../../src/sinks/memory.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import {
  assistant,
  numberedTools,
  toolResult,
  toolsNamed,
  turnOf,
  user,
} from "../support/turns.js";
import type { TestTool } from "../support/turns.js";

const tools = toolsNamed("query_order", "refund", "login", "transfer_money", "send_mail");

/** A judge that finds applicable what the newest user message names. */
const namingJudge = () =>
  fakeJudge({
    reply: ({ context, candidates }) => ({
      probabilities: candidates.map(({ name }) => (context.request.includes(name) ? 0.95 : 0.05)),
    }),
  });

function enforce(options: ToolSelectorOptions = {}) {
  const sink = memorySink();
  const judge = namingJudge();
  const selector = createToolSelector({ judge, mode: "enforce", sinks: sink, ...options });
  return { selector, sink, judge };
}

const ask = (text: string, id: string): Partial<Turn<TestTool>> => ({ messages: [user(text, id)] });

/** Runs one model step and says which tools it offered. */
async function step(
  selector: ToolSelector,
  turn: Turn<TestTool>,
  called: readonly string[] = [],
): Promise<readonly string[]> {
  return selector.run(turn, {
    callModel: async (offered) => offered.map(({ name }) => name),
    readOutcome: () => ({ called }),
  });
}

const reasons = (record: SelectionRecord | undefined): Record<string, string> =>
  Object.fromEntries((record?.tools ?? []).map(({ name, reason }) => [name, reason]));

describe("sticky", () => {
  it.each([
    ["off", ["refund"]],
    ["run", ["refund"]],
    ["thread", ["query_order", "refund"]],
  ] as const)("%s: at the next user message the model sees %j", async (sticky, expected) => {
    const { selector } = enforce({ sticky });
    await step(selector, turnOf(tools, ask("query_order", "m1")));
    expect(await step(selector, turnOf(tools, ask("refund", "m2")))).toEqual(expected);
  });

  it("only grows within a run, whatever the judge says later", async () => {
    const { selector, sink } = enforce({
      sticky: "run",
      judge: fakeJudge({
        reply: ({ context, candidates }) => ({
          probabilities: candidates.map(({ name }) =>
            context.messages.some(({ text }) => text.includes(`now ${name}`)) ? 0.9 : 0.1,
          ),
        }),
      }),
      context: { maxMessages: 1 },
    });
    const first = [user("now refund", "m1")];
    await step(selector, turnOf(tools, { messages: first }));
    const second = [...first, assistant("now login")];
    expect(await step(selector, turnOf(tools, { messages: second }))).toEqual(["refund", "login"]);
    expect(reasons(sink.records[1])).toMatchObject({ refund: "sticky", login: "applicable" });
  });

  it("is outside the cap", async () => {
    const { selector } = enforce({ sticky: "thread", maxTools: 1 });
    await step(selector, turnOf(tools, ask("query_order", "m1")));
    expect(await step(selector, turnOf(tools, ask("refund", "m2")))).toEqual([
      "query_order",
      "refund",
    ]);
  });

  it("offers no more tools at each step of a run that judges alike", async () => {
    const judge = fakeJudge({ otherwise: 0.9 });
    const { selector } = enforce({ sticky: "thread", maxTools: 2, judge, rejudge: "user-message" });
    const loop = [user("all", "m1"), assistant("a", "query_order"), assistant("b")];
    const counts: number[] = [];
    for (const length of [1, 2, 3]) {
      const messages = loop.slice(0, length);
      counts.push((await step(selector, turnOf(tools, { messages }))).length);
    }
    expect(counts).toEqual([2, 2, 2]);
    const next = turnOf(tools, { messages: [...loop, user("more", "m2")] });
    expect(await step(selector, next)).toHaveLength(4);
  });

  it("does not remember a fallback, nor tools without an answer", async () => {
    const judge = fakeJudge({
      reply: ({ candidates }, call) => ({
        probabilities: candidates.map(() => (call === 1 ? 0.5 : 0.1)),
      }),
    });
    const { selector } = enforce({ sticky: "thread", judge });
    expect(await step(selector, turnOf(tools, ask("a", "m1")))).toHaveLength(5);
    expect(await step(selector, turnOf(tools, ask("b", "m2")))).toEqual([]);
  });

  it("forgets a tool that was redescribed, and one that was removed", async () => {
    const { selector } = enforce({ sticky: "thread" });
    await step(selector, turnOf(tools, ask("query_order login", "m1")));
    const changed = tools
      .filter(({ name }) => name !== "login")
      .map((tool) => (tool.name === "query_order" ? { ...tool, description: "Other." } : tool));
    expect(await step(selector, turnOf(changed, ask("refund", "m2")))).toEqual(["refund"]);
    expect(await step(selector, turnOf(tools, ask("refund", "m3")))).toEqual(["refund"]);
  });

  it("drops the oldest beyond `stickyMax` at the turn that begins a new user message", async () => {
    const { selector } = enforce({ sticky: "thread", stickyMax: 1 });
    await step(selector, turnOf(tools, ask("query_order refund", "m1")));
    expect(await step(selector, turnOf(tools, ask("login", "m2")))).toEqual(["refund", "login"]);
  });

  it("remembers nothing without a thread id, and nothing across threads", async () => {
    const { selector } = enforce({ sticky: "thread" });
    await step(selector, turnOf(tools, ask("query_order", "m1")));
    const other = turnOf(tools, { ...ask("refund", "m2"), threadId: "thread-2" });
    expect(await step(selector, other)).toEqual(["refund"]);
    const anonymous = { messages: [user("login", "m3")], tools };
    expect(await step(selector, anonymous)).toEqual(["login"]);
    expect(await step(selector, { ...anonymous, messages: [user("refund", "m4")] })).toEqual([
      "refund",
    ]);
  });

  it("in shadow changes nothing, and the record says what enforce would offer", async () => {
    const { selector, sink } = enforce({ sticky: "thread", mode: "shadow" });
    await step(selector, turnOf(tools, ask("query_order", "m1")));
    await selector.flush();
    const offered = await step(selector, turnOf(tools, ask("refund", "m2")));
    await selector.flush();
    expect(offered).toHaveLength(5);
    expect(reasons(sink.records[1])).toMatchObject({ query_order: "sticky" });
  });
});

describe("rejudge: user-message", () => {
  const loop: readonly TurnMessage[] = [
    user("refund", "m1"),
    assistant("", "send_mail"),
    toolResult("send_mail", "sent"),
  ];

  it("asks the judge once for each user message, and says so in the record", async () => {
    const { selector, sink, judge } = enforce({ rejudge: "user-message" });
    for (const length of [1, 2, 3]) {
      await step(selector, turnOf(tools, { messages: loop.slice(0, length) }));
    }
    await step(selector, turnOf(tools, { messages: [...loop, user("login", "m2")] }));
    expect(judge.requests).toHaveLength(2);
    expect(sink.records.map((record) => record.judge?.rejudged)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(reasons(sink.records[2])).toMatchObject({ refund: "applicable" });
  });

  it("judges only tools that are new or redescribed since", async () => {
    const { selector, judge } = enforce({ rejudge: "user-message" });
    await step(selector, turnOf(tools, { messages: loop.slice(0, 1) }));
    const changed = [
      ...tools.map((tool) => (tool.name === "login" ? { ...tool, description: "New." } : tool)),
      ...toolsNamed("added"),
    ];
    await step(selector, turnOf(changed, { messages: loop.slice(0, 2) }));
    expect(judge.requests[1]?.candidates.map(({ name }) => name)).toEqual(["login", "added"]);
  });

  it("judges all of them again where answers depend on the other tools", async () => {
    const judge = fakeJudge({ scope: "catalog", probabilities: { refund: 0.9 } });
    const { selector } = enforce({ rejudge: "user-message", judge });
    await step(selector, turnOf(tools, { messages: loop.slice(0, 1) }));
    await step(
      selector,
      turnOf([...tools, ...toolsNamed("added")], { messages: loop.slice(0, 2) }),
    );
    expect(judge.requests[1]?.candidates).toHaveLength(5);
  });

  it("does not use failures again", async () => {
    const judge = fakeJudge({
      error: (call: number) => (call === 1 ? new Error("down") : undefined),
    });
    const { selector } = enforce({ rejudge: "user-message", judge });
    await step(selector, turnOf(tools, { messages: loop.slice(0, 1) }));
    await step(selector, turnOf(tools, { messages: loop.slice(0, 2) }));
    expect(judge.requests).toHaveLength(2);
  });
});

describe("memo", () => {
  it("judges an identical turn of a run once, however often it is retried", async () => {
    const { selector, judge, sink } = enforce();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await step(selector, turnOf(tools, ask("refund", "m1")));
    }
    expect(judge.requests).toHaveLength(1);
    expect(sink.records.map((record) => record.judge?.requests)).toEqual([1, 0, 0]);
  });

  it("shares the call of two identical turns at one time", async () => {
    const judge = fakeJudge({ delayMs: 20, probabilities: { refund: 0.9 } });
    const { selector } = enforce({ judge });
    const turn = turnOf(tools, ask("refund", "m1"));
    expect(await Promise.all([step(selector, turn), step(selector, turn)])).toEqual([
      ["refund"],
      ["refund"],
    ]);
    expect(judge.requests).toHaveLength(1);
  });

  it("goes on for the one when the other is cancelled", async () => {
    const judge = fakeJudge({ delayMs: 20, probabilities: { refund: 0.9 } });
    const { selector } = enforce({ judge });
    const controller = new AbortController();
    const turn = turnOf(tools, ask("refund", "m1"));
    const cancelled = step(selector, { ...turn, signal: controller.signal });
    const other = step(selector, turn);
    setTimeout(() => controller.abort(new Error("left")), 5);
    await expect(cancelled).rejects.toThrow("left");
    expect(await other).toEqual(["refund"]);
  });
});

describe("keepTogether", () => {
  it("keeps the prerequisites of kept tools, outside the cap, and says why", async () => {
    const { selector, sink } = enforce({ keepTogether: [["login", "transfer_*"]], maxTools: 1 });
    expect(await step(selector, turnOf(tools, ask("transfer_money", "m1")))).toEqual([
      "login",
      "transfer_money",
    ]);
    expect(reasons(sink.records[0])).toMatchObject({ login: "kept-together" });
  });
});

describe("fallbackMaxTools", () => {
  it("bounds a fallback, warns once, and the called and sticky tools come first", async () => {
    const warnings: string[] = [];
    const catalog = numberedTools(200);
    const judge = fakeJudge({
      reply: ({ candidates }, call) => {
        if (call > 1) throw new Error("down");
        return { probabilities: candidates.map(({ name }) => (name === "tool_190" ? 0.9 : 0.1)) };
      },
      batchSize: 200,
    });
    const { selector, sink } = enforce({
      judge,
      batchSize: 200,
      sticky: "thread",
      fallbackMaxTools: 128,
      logger: { warn: (message) => warnings.push(message) },
    });
    await step(selector, turnOf(catalog, ask("a", "m1")), ["tool_199"]);
    const offered = await step(selector, turnOf(catalog, ask("b", "m2")));
    await step(selector, turnOf(catalog, ask("c", "m3")));
    expect(offered).toHaveLength(128);
    expect(offered).toEqual(expect.arrayContaining(["tool_190", "tool_199", "tool_0", "tool_125"]));
    expect(sink.records[1]).toMatchObject({ fallback: true, offered: { tools: 128 } });
    expect(reasons(sink.records[1])).toMatchObject({ tool_150: "fallback-cap" });
    expect(warnings.filter((warning) => warning.includes("fallbackMaxTools"))).toHaveLength(1);
  });

  it("bounds a turn that failed outside the judge as well", async () => {
    const { selector } = enforce({
      fallbackMaxTools: 3,
      redact: () => {
        throw new Error("no");
      },
    });
    expect(await step(selector, turnOf(tools, ask("refund", "m1")))).toHaveLength(3);
  });
});

describe("findTools", () => {
  it("is offered only when something is hidden, at the end, with a schema of what is", async () => {
    const { selector } = enforce({ findTools: true, alwaysInclude: [] });
    const some = await selector.select(turnOf(tools, ask("refund", "m1")));
    expect(some.finder).toMatchObject({ name: "find_tools", parameters: { type: "object" } });
    const all = await selector.select(
      turnOf(tools, ask(tools.map(({ name }) => name).join(" "), "m2")),
    );
    expect(all.finder).toBeNull();
  });

  it("reveals what it found from the next turn on, for the thread and for no other", async () => {
    const { selector, sink } = enforce({ findTools: true });
    const turn = turnOf(tools, ask("refund", "m1"));
    await step(selector, turn, ["find_tools"]);
    const { text, found } = await selector.find(turn, { names: ["sendMail"] });
    expect(found).toEqual(["send_mail"]);
    expect(text).toContain('"send_mail"');
    expect(await step(selector, turn)).toEqual(["refund", "send_mail"]);
    expect(reasons(sink.records[1])).toMatchObject({ send_mail: "revealed" });
    expect(sink.records.map((record) => record.findTools)).toEqual([
      { searches: 0, found: 0 },
      { searches: 1, found: 1 },
    ]);
    expect(await step(selector, turnOf(tools, ask("login", "m2")))).toContain("send_mail");
    const other = turnOf(tools, { ...ask("login", "m3"), threadId: "thread-2" });
    expect(await step(selector, other)).toEqual(["login"]);
  });

  it("searches with words, and stops a model that repeats itself", async () => {
    const { selector } = enforce({ findTools: true });
    const turn = turnOf(tools, ask("refund", "m1"));
    await step(selector, turn);
    const first = await selector.find(turn, { query: "transfer money" });
    expect(first.found).toContain("transfer_money");
    await selector.find(turn, { query: "weather in Rome" });
    await selector.find(turn, { query: "weather in Rome" });
    const third = await selector.find(turn, { query: "weather in  rome" });
    expect(third.text).toContain("answered before");
  });

  it("counts its definition in what the model is sent", async () => {
    const { selector, sink } = enforce({ findTools: true });
    await step(selector, turnOf(tools, ask("refund", "m1")));
    const refund = sink.records[0]?.tools.find(({ name }) => name === "refund")?.tokens ?? 0;
    expect(sink.records[0]?.offered.definitionTokens).toBeGreaterThan(refund + 50);
  });

  it("is not offered in shadow, nor where the user has a tool of that name", async () => {
    const shadow = enforce({ findTools: true, mode: "shadow" }).selector;
    expect((await shadow.select(turnOf(tools, ask("refund", "m1")))).finder).toBeNull();
    const own = [...tools, ...toolsNamed("find_tools")];
    const { selector } = enforce({ findTools: true });
    expect((await selector.select(turnOf(own, ask("refund", "m1")))).finder).toBeNull();
  });
});

describe("guard", () => {
  it("answers a call of a hidden tool, leaves the others alone, and counts it", async () => {
    const { selector, sink } = enforce({ guard: true, findTools: true });
    const turn = turnOf(tools, ask("refund", "m1"));
    await step(selector, turn, ["login"]);
    expect(selector.guardCall(turn, "login")).toContain('"login" was not offered');
    expect(selector.guardCall(turn, "refund")).toBeNull();
    expect(selector.guardCall(turn, "no_such_tool")).toBeNull();
    await selector.find(turn, { names: ["login"] });
    expect(selector.guardCall(turn, "login")).toBeNull();
    await step(selector, turn);
    expect(sink.records[1]?.guard).toEqual({ stopped: ["login"] });
  });

  it.each(["off", "shadow"] as const)("stops nothing after a switch to %s", async (mode) => {
    let current: "off" | "shadow" | "enforce" = "enforce";
    const { selector } = enforce({ guard: true, mode: () => current });
    const turn = turnOf(tools, ask("refund", "m1"));
    await step(selector, turn);
    expect(selector.guardCall(turn, "login")).not.toBeNull();
    current = mode;
    await step(selector, turn);
    expect(selector.guardCall(turn, "login")).toBeNull();
  });

  it("is silent when off", async () => {
    const { selector } = enforce();
    const turn = turnOf(tools, ask("refund", "m1"));
    await step(selector, turn);
    expect(selector.guardCall(turn, "login")).toBeNull();
  });
});

describe("enforcement: allowed-tools", () => {
  it("leaves the tools block whole and restricts through the tool choice", async () => {
    const { selector } = enforce({ enforcement: "allowed-tools" });
    const turn = turnOf(tools, { ...ask("refund", "m1"), allowedToolsApi: "responses" });
    const selection = await selector.select(turn);
    expect(selection.tools).toBe(turn.tools);
    expect(selection.toolChoice).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "refund" }],
    });
    expect(selection.record.offered.tools).toBe(5);
  });

  it("leaves tools out, with one warning, where the model cannot do it", async () => {
    const warnings: string[] = [];
    const { selector } = enforce({
      enforcement: "allowed-tools",
      logger: { warn: (message) => warnings.push(message) },
    });
    for (const id of ["m1", "m2"]) {
      const selection = await selector.select(turnOf(tools, ask("refund", id)));
      expect(selection.tools.map(({ name }) => name)).toEqual(["refund"]);
      expect(selection.toolChoice).toBeUndefined();
    }
    expect(warnings).toHaveLength(1);
  });
});

describe("shortlist", () => {
  const catalog = [...numberedTools(300), ...toolsNamed("refund_order")];

  it("lets only the best matches of a large catalog reach the judge; the others are in reach", async () => {
    const { selector, judge, sink } = enforce({ shortlist: true, findTools: true });
    const turn = turnOf(catalog, ask("refund_order please", "m1"));
    await step(selector, turn);
    expect(judge.requests.flatMap(({ candidates }) => candidates)).toHaveLength(1);
    expect(sink.records[0]?.tools.find(({ name }) => name === "tool_7")).toMatchObject({
      kept: false,
      probability: null,
      reason: "not-shortlisted",
    });
    expect((await selector.find(turn, { names: ["tool_7"] })).found).toEqual(["tool_7"]);
  });

  it("lets all candidates through where the index fails, or the catalog is small", async () => {
    const index = {
      kind: "tool-index" as const,
      indexTools: () => Promise.reject(new Error("down")),
      indexTool: () => Promise.reject(new Error("down")),
      search: () => Promise.reject(new Error("down")),
      clear: async () => undefined,
    };
    const { selector, judge } = enforce({ shortlist: { index } });
    await step(selector, turnOf(catalog, ask("refund_order", "m1")));
    expect(judge.requests.flatMap(({ candidates }) => candidates)).toHaveLength(301);
    const small = enforce({ shortlist: true });
    await step(small.selector, turnOf(tools, ask("refund", "m1")));
    expect(small.judge.requests[0]?.candidates).toHaveLength(5);
  });
});

describe("a host with a state of its own", () => {
  it("gets what the thread is to remember, and this process remembers nothing", async () => {
    const { selector } = enforce({ sticky: "thread", findTools: true });
    let state: ThreadMemory | null = null;
    const save = (change: MemoryChange): void => {
      state = reduceMemory(state, JSON.parse(JSON.stringify(change)));
    };
    const runIn = (memory: unknown, text: string, id: string): Promise<readonly string[]> =>
      selector.run(turnOf(tools, { ...ask(text, id), memory }), {
        callModel: async (offered) => offered.map(({ name }) => name),
        readOutcome: () => ({ called: ["query_order"] }),
        saveMemory: save,
      });
    await runIn(state, "query_order", "m1");
    expect(state).toMatchObject({ called: ["query_order"], sticky: [{ name: "query_order" }] });
    expect(await runIn(null, "refund", "m2")).toEqual(["refund"]);
    expect(await runIn(state, "login", "m3")).toContain("query_order");
  });
});

describe("with everything off", () => {
  it("gives a selection without a finder, and a record without new fields", async () => {
    const { selector, sink } = enforce();
    const saved: MemoryChange[] = [];
    await selector.run(turnOf(tools, { ...ask("refund", "m1"), memory: null }), {
      callModel: async () => null,
      readOutcome: () => ({ called: [] }),
      saveMemory: (change) => saved.push(change),
    });
    expect(saved).toEqual([]);
    expect(JSON.parse(JSON.stringify(sink.records[0]))).not.toHaveProperty("findTools");
    expect(JSON.parse(JSON.stringify(sink.records[0]))).not.toHaveProperty("guard");
    await expect(selector.find(turnOf(tools), {})).rejects.toThrow("Expected `findTools` to be on");
  });
});
