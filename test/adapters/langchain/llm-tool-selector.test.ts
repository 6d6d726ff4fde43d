/** Side by side with the selector that LangChain ships: each weakness once theirs, then ours. */

import { createAgent, llmToolSelectorMiddleware } from "langchain";
import type { AnyAgentMiddleware } from "langchain";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { caching } from "../../../src/judges/wrappers/caching.js";
import { memorySink } from "../../../src/sinks/memory.js";
import { fakeJudge, recordingChatModel } from "../../../src/testing/index.js";
import type { RecordingChatModelOptions, ScriptedReply } from "../../../src/testing/index.js";
import { agentWith, ask, judging, namedTools } from "../support.js";

const names = ["query_order", "refund", "escalate"];
const tools = namedTools(...names);
const where = ask("Where is order 7?");

/** The reply of a selecting model. */
const picks = (...chosen: readonly string[]): ScriptedReply => ({
  toolCalls: [{ name: "extract", args: { tools: chosen } }],
});

/** Its types do not go with `exactOptionalPropertyTypes`. */
const theirMiddleware = (options: object): AnyAgentMiddleware =>
  llmToolSelectorMiddleware(options as never) as unknown as AnyAgentMiddleware;

function theirs(
  selecting: RecordingChatModelOptions,
  options: { readonly maxTools?: number; readonly alwaysInclude?: string[] } = {},
  replies: RecordingChatModelOptions["replies"] = [],
) {
  const selector = recordingChatModel(selecting);
  const model = recordingChatModel({ replies });
  const agent = createAgent({
    model,
    tools,
    middleware: [theirMiddleware({ model: selector, ...options })],
  });
  return { agent, model, selector };
}

describe("what the selector sees", () => {
  it("theirs: names alone, without descriptions", async () => {
    const { agent, selector } = theirs({ replies: [picks("query_order")] });
    await agent.invoke(where);
    const sent = JSON.stringify([selector.calls[0]?.messages, selector.calls[0]?.tools]);
    expect(sent).toContain("query_order");
    expect(sent).not.toContain("Does what query_order is for.");
  });

  it("ours: names, descriptions and parameters", async () => {
    const judge = fakeJudge();
    const { agent } = agentWith({ tools, selector: { mode: "enforce", judge } });
    await agent.invoke(where);
    expect(judge.requests[0]?.candidates[0]).toMatchObject({
      name: "query_order",
      description: "Does what query_order is for.",
      parameters: { type: "object", properties: { query: { type: "string" } } },
    });
  });

  const conversation = {
    messages: [
      new HumanMessage("Please refund order 7"),
      new AIMessage("Shall I refund 30 euros?"),
      new HumanMessage("yes, do it"),
    ],
  };

  it("theirs: the last human message alone", async () => {
    const { agent, selector } = theirs({ replies: [picks("refund")] });
    await agent.invoke(conversation);
    const sent = JSON.stringify(selector.calls[0]?.messages);
    expect(sent).toContain("yes, do it");
    expect(sent).not.toContain("Please refund");
  });

  it("ours: the conversation around it", async () => {
    const judge = fakeJudge();
    const { agent } = agentWith({ tools, selector: { mode: "enforce", judge } });
    await agent.invoke(conversation);
    expect(judge.requests[0]?.context.messages.map(({ text }) => text)).toEqual([
      "Please refund order 7",
      "Shall I refund 30 euros?",
      "yes, do it",
    ]);
  });
});

describe("one unknown name", () => {
  it("theirs: aborts the run", async () => {
    const { agent } = theirs({ replies: [picks("query_order", "query_orders")] });
    await expect(agent.invoke(where)).rejects.toThrow();
  });

  it("ours: cannot happen, because answers go by position", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: () => [0.95, 0.05, 0.05] },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["query_order"]);
  });
});

describe("an outage of the selecting model", () => {
  it("theirs: aborts the run", async () => {
    const { agent } = theirs({ replies: [{ error: new Error("503") }] });
    await expect(agent.invoke(where)).rejects.toThrow("503");
  });

  it("ours: offers the full catalog", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: fakeJudge({ error: new Error("503") }) },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(names);
  });
});

describe("no user message", () => {
  const silent = { messages: [new AIMessage("Good morning")] };

  it("theirs: aborts the run", async () => {
    const { agent } = theirs({ replies: [picks("refund")] });
    await expect(agent.invoke(silent)).rejects.toThrow("No user message");
  });

  it("ours: skips the turn", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: fakeJudge() },
    });
    await agent.invoke(silent);
    expect(model.calls[0]?.toolNames).toEqual(names);
    expect((await records())[0]).toMatchObject({ status: "skipped", reason: "no-user-text" });
  });
});

describe("an alwaysInclude name that is absent this turn", () => {
  it("theirs: aborts the run", async () => {
    const { agent } = theirs({ replies: [picks("refund")] }, { alwaysInclude: ["absent"] });
    await expect(agent.invoke(where)).rejects.toThrow("not found");
  });

  it("ours: is no error", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ refund: 0.95 }), alwaysInclude: ["absent"] },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["refund"]);
  });
});

describe("the order of the tools", () => {
  it("theirs: moves those always included to the end", async () => {
    const { agent, model } = theirs(
      { replies: [picks("refund")] },
      { alwaysInclude: ["query_order"] },
    );
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["refund", "query_order"]);
  });

  it("ours: is the catalog's", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: {
        mode: "enforce",
        judge: judging({ refund: 0.95 }),
        alwaysInclude: ["query_order"],
      },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
  });
});

describe("a loop of five steps", () => {
  const loop: RecordingChatModelOptions["replies"] = (_call, step) =>
    step < 5 ? { toolCalls: [{ name: "query_order" }] } : "done";

  it("theirs: selects on every step", async () => {
    const { agent, selector } = theirs({ replies: () => picks("query_order") }, {}, loop);
    await agent.invoke(where);
    expect(selector.calls).toHaveLength(5);
  });

  it("ours: a judge that remembers is asked again only when the candidates change", async () => {
    const judge = fakeJudge({ probabilities: { query_order: 0.95 } });
    const { agent, model } = agentWith({
      tools,
      selector: {
        mode: "enforce",
        judge: caching(judge),
        context: { strategy: "latest-user-message" },
      },
      model: { replies: loop },
    });
    await agent.invoke(where);
    expect(model.calls).toHaveLength(5);
    // Once for the catalog, once more without the tool that its own call has pinned.
    expect(judge.requests).toHaveLength(2);
  });
});

describe("maxTools in the context of one call", () => {
  it("theirs: is ignored when the answer is cut", async () => {
    const { agent, model } = theirs({ replies: [picks(...names)] }, { maxTools: 3 });
    await agent.invoke(where, { context: { maxTools: 1 } });
    expect(model.calls[0]?.toolNames).toHaveLength(3);
  });

  it("ours: counts", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: () => [0.9, 0.95, 0.85], maxTools: 3 },
    });
    await agent.invoke(where, { context: { toolSelector: { maxTools: 1 } } } as never);
    expect(model.calls[0]?.toolNames).toEqual(["refund"]);
  });
});

describe("a selecting model that does not answer", () => {
  it("theirs: has no timeout of its own", async () => {
    const { agent, model } = theirs({ delayMs: 700, replies: [picks("refund")] });
    const start = performance.now();
    await agent.invoke(where);
    expect(performance.now() - start).toBeGreaterThan(650);
    expect(model.calls).toHaveLength(1);
  });

  it("ours: waits for the budget, then offers the full catalog", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: fakeJudge({ hang: true }), timeoutMs: 50 },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(names);
    expect((await records())[0]).toMatchObject({ fallback: true, reason: "timeout" });
  });
});

describe("doubt", () => {
  it("theirs: knows none; what the model leaves out is hidden", async () => {
    const { agent, model } = theirs({ replies: [picks()] });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual([]);
  });

  it("ours: has probabilities and thresholds, and keeps what is uncertain", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: () => [0.95, 0.5, 0.05], onUncertain: "keep" },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
    expect(
      (await records())[0]?.tools.map(({ probability, verdict }) => [probability, verdict]),
    ).toEqual([
      [0.95, "applicable"],
      [0.5, "uncertain"],
      [0.05, "not-applicable"],
    ]);
  });
});

describe("a catalog of 130 tools", () => {
  const many = namedTools(...Array.from({ length: 130 }, (_, index) => `tool_${index}`));

  it("theirs: is one request", async () => {
    const selector = recordingChatModel({ replies: [picks("tool_129")] });
    const agent = createAgent({
      model: recordingChatModel(),
      tools: many,
      middleware: [theirMiddleware({ model: selector })],
    });
    await agent.invoke(where);
    expect(selector.calls).toHaveLength(1);
  });

  it.each([0, 64, 129])(
    "ours: is three batches, and any may hold the winner: %i",
    async (index) => {
      const judge = fakeJudge({ probabilities: { [`tool_${index}`]: 0.95 } });
      const { agent, model } = agentWith({ tools: many, selector: { mode: "enforce", judge } });
      await agent.invoke(where);
      expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual([64, 64, 2]);
      expect(model.calls[0]?.toolNames).toEqual([`tool_${index}`]);
    },
  );
});

describe("trying it out on live traffic", () => {
  it("theirs: has no shadow, it hides from the first turn on and leaves no record", async () => {
    const { agent, model } = theirs({ replies: [picks("refund")] });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["refund"]);
  });

  it("ours: hides nothing until told to, and records every turn", async () => {
    const sink = memorySink();
    const { agent, model, middleware } = agentWith({
      tools,
      selector: { judge: judging({ refund: 0.95 }), sinks: sink },
    });
    await agent.invoke(where);
    await middleware.selector.flush();
    expect(model.calls[0]?.toolNames).toEqual(names);
    expect(sink.records[0]).toMatchObject({ mode: "shadow", suggested: { tools: 1 } });
  });
});
