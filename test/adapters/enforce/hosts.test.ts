import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";
import { createTools, hosts } from "./support.js";

const contents = (messages: readonly { content: unknown }[]): readonly string[] =>
  messages.map(({ content }) => String(content));

describe.each(hosts)("enforcement in %s", (_host, create) => {
  it("gets a hidden tool back through the finder, visible and executable at once", async () => {
    const agent = create({
      selector: { findTools: true, guard: true },
      checkpointer: new MemorySaver(),
      replies: [
        { toolCalls: [{ name: "find_tools", args: { query: "send mail" } }] },
        { toolCalls: [{ name: "send_mail" }] },
        "done",
        "again",
      ],
    });
    const messages = await agent.say("refund it");
    expect(agent.model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["refund", "find_tools"],
      ["refund", "send_mail", "find_tools"],
      ["refund", "send_mail", "find_tools"],
    ]);
    expect(agent.executed).toEqual(["send_mail"]);
    expect(contents(messages)).toContainEqual(expect.stringContaining("Found 1 tool"));
    expect(agent.sink.records[1]?.findTools).toEqual({ searches: 1, found: 1 });
    await agent.say("login now");
    expect(agent.model.calls.at(-1)?.toolNames).toEqual(["login", "send_mail", "find_tools"]);
  });

  it("lets the model correct a wrong request, and stops one that repeats itself", async () => {
    const again = { toolCalls: [{ name: "find_tools", args: { query: "weather in Rome" } }] };
    const agent = create({
      selector: { findTools: true },
      checkpointer: new MemorySaver(),
      replies: [
        { toolCalls: [{ name: "find_tools", args: { name: ["sendmail"], limit: 99 } }] },
        again,
        again,
        again,
        "done",
      ],
    });
    const texts = contents(await agent.say("refund it"));
    expect(texts[2]).toContain('name: No such field. The nearest is "names".');
    expect(texts[4]).toContain("No further tool fits");
    expect(texts[8]).toContain("answered before");
  });

  it("does not execute a call of a hidden tool, and executes the others beside it", async () => {
    const agent = create({
      selector: { guard: true },
      checkpointer: new MemorySaver(),
      replies: [{ toolCalls: [{ name: "refund" }, { name: "login" }] }, "done"],
    });
    const messages = await agent.say("refund it");
    expect(agent.executed).toEqual(["refund"]);
    expect(contents(messages)).toContainEqual(expect.stringContaining('"login" was not offered'));
    expect(agent.sink.records[0]?.outcome?.missed).toEqual(["login"]);
    expect(agent.sink.records[1]?.guard).toEqual({ stopped: ["login"] });
  });

  it("keeps two interleaved threads apart", async () => {
    const agent = create({
      selector: { sticky: "thread", findTools: true },
      checkpointer: new MemorySaver(),
      replies: ({ messages }) =>
        (messages.at(-1)?.text ?? "").startsWith("find")
          ? { toolCalls: [{ name: "find_tools", args: { names: ["send_mail"] } }] }
          : "done",
    });
    await Promise.all([agent.say("find refund", "t1"), agent.say("login", "t2")]);
    await Promise.all([agent.say("login", "t1"), agent.say("query_order", "t2")]);
    const last = agent.model.calls.slice(-2).map(({ toolNames }) => toolNames.join());
    expect(last.toSorted()).toEqual([
      "query_order,login,find_tools",
      "refund,login,send_mail,find_tools",
    ]);
  });

  it.each([
    ["without the finder", false],
    ["the finder among them", true],
  ])("offers at most so many tools when the judge is down, %s", async (_title, findTools) => {
    const catalog = Array.from({ length: 200 }, (_, index) => `tool_${index}`);
    const agent = create({
      catalog,
      selector: {
        fallbackMaxTools: 128,
        findTools,
        judge: () => {
          throw new Error("down");
        },
      },
      checkpointer: new MemorySaver(),
      replies: ["done"],
    });
    await agent.say("anything");
    expect(agent.model.calls[0]?.toolNames).toHaveLength(128);
    expect(agent.model.calls[0]?.toolNames.includes("find_tools")).toBe(findTools);
  });

  it("asks the judge once for each user message", async () => {
    const agent = create({
      selector: { rejudge: "user-message" },
      checkpointer: new MemorySaver(),
      replies: [{ toolCalls: [{ name: "refund" }] }, { toolCalls: [{ name: "refund" }] }, "done"],
    });
    await agent.say("refund it");
    expect(agent.sink.records.map(({ judge }) => judge?.rejudged)).toEqual([true, false, false]);
  });

  it("in shadow offers everything, no finder, and guards nothing", async () => {
    const agent = create({
      selector: { mode: "shadow", findTools: true, guard: true, sticky: "thread" },
      checkpointer: new MemorySaver(),
      replies: [{ toolCalls: [{ name: "login" }] }, "done"],
    });
    await agent.say("refund it");
    await agent.selector.flush();
    expect(agent.model.calls[0]?.toolNames).toHaveLength(5);
    expect(agent.executed).toEqual(["login"]);
    const memory = (await agent.readState())["_toolsieve"] as { sticky?: unknown } | undefined;
    expect(memory?.sticky ?? []).toEqual([]);
  });
});

describe("the middleware", () => {
  it("with everything off has no state, no `wrapToolCall`, and adds no tool", async () => {
    const middleware = toolSelectorMiddleware({ mode: "enforce" });
    expect(middleware.wrapToolCall).toBeUndefined();
    expect(middleware.stateSchema).toBeUndefined();
    const agent = hosts[0]?.[1]({ checkpointer: new MemorySaver(), replies: ["done"] });
    await agent?.say("refund it");
    expect(agent?.model.calls[0]?.toolNames).toEqual(["refund"]);
    expect(await agent?.readState()).not.toHaveProperty("_toolsieve");
  });

  it("works without a checkpointer and without a thread", async () => {
    const { tools, executed } = createTools();
    const model = recordingChatModel({
      replies: [
        { toolCalls: [{ name: "find_tools", args: { names: ["login"] } }] },
        { toolCalls: [{ name: "login" }] },
        "done",
      ],
    });
    const middleware = toolSelectorMiddleware({
      mode: "enforce",
      judge: ({ candidates }) => candidates.map(() => 0.01),
      findTools: true,
      guard: true,
    });
    const agent = createAgent({ model, tools, middleware: [middleware] });
    await agent.invoke({ messages: [{ role: "user", content: "hi" }] });
    expect(executed).toEqual(["login"]);
  });
});
