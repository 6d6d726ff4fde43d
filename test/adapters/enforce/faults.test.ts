import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ToolSelectorOptions } from "../../../src/core/options.js";
import { createToolSelector } from "../../../src/index.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";
import { turnOf } from "../../support/turns.js";
import { createTools, namingJudge } from "./support.js";

const allOn: ToolSelectorOptions = {
  judge: namingJudge(),
  mode: "enforce",
  sticky: "thread",
  rejudge: "user-message",
  findTools: true,
  guard: true,
  fallbackMaxTools: 128,
};
const config = { configurable: { thread_id: "t1" } };
const say = (content: string) => ({ messages: [new HumanMessage(content)] });

describe("tool schemas that refer to themselves, with everything on", () => {
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { child: cyclic };
  const nested = Array.from({ length: 30 }).reduce<object>(
    (inner) => ({ type: "object", properties: { inner } }),
    { type: "string" },
  );
  it.each([
    [
      "$ref and $defs",
      {
        $defs: { node: { properties: { child: { $ref: "#/$defs/node" } } } },
        $ref: "#/$defs/node",
      },
    ],
    ["a JavaScript object that contains itself", cyclic],
    ["30 levels", nested],
  ])("finishes and finds the tool: %s", async (_title, parameters) => {
    const selector = createToolSelector(allOn);
    const tools = [
      { name: "odd_tool", description: "Walks a tree.", parameters },
      { name: "refund", description: "Refunds." },
    ];
    const turn = turnOf(tools, { messages: [{ role: "user", text: "refund" }] });
    const selection = await selector.select(turn);
    expect(selection.tools).toEqual([tools[1]]);
    expect((await selector.find(turn, { query: "walk tree" })).found).toEqual(["odd_tool"]);
  });
});

describe("invalid tool calls in the history, with everything on", () => {
  it("are read as calls: pinned, and never thrown on", async () => {
    const { tools } = createTools();
    const model = recordingChatModel({ replies: ["done"] });
    const agent = createAgent({ model, tools, middleware: [toolSelectorMiddleware(allOn)] });
    await agent.invoke({
      messages: [
        new HumanMessage("hi"),
        new AIMessage({
          content: [{ type: "tool_use", id: "u1", name: "send_mail", input: {} }],
          invalid_tool_calls: [{ name: "login", args: "{", id: "i1", type: "invalid_tool_call" }],
        }),
        new ToolMessage({ content: "lost", tool_call_id: "gone", name: "transfer_money" }),
        new HumanMessage("refund it"),
      ],
    });
    expect(model.calls[0]?.toolNames).toEqual([
      "refund",
      "login",
      "transfer_money",
      "send_mail",
      "find_tools",
    ]);
  });
});

describe("a history that is replaced by a summary", () => {
  it("takes nothing from what was found, shown and called", async () => {
    const { tools, executed } = createTools();
    const model = recordingChatModel({
      replies: [
        { toolCalls: [{ name: "find_tools", args: { names: ["send_mail"] } }] },
        { toolCalls: [{ name: "send_mail" }] },
        "done",
        "done",
      ],
    });
    let isSummarizing = false;
    const summarizing = createMiddleware({
      name: "Summarizing",
      beforeModel: () =>
        isSummarizing
          ? {
              messages: [
                new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
                new HumanMessage("A summary. The user now wants: login"),
              ],
            }
          : undefined,
    });
    const agent = createAgent({
      model,
      tools,
      middleware: [summarizing, toolSelectorMiddleware({ ...allOn, pinHistory: false })],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(say("refund it"), config);
    expect(executed).toEqual(["send_mail"]);
    isSummarizing = true;
    await agent.invoke(say("login"), config);
    expect(model.calls.at(-1)?.toolNames).toEqual(["refund", "login", "send_mail", "find_tools"]);
    const { values } = await agent.graph.getState(config);
    expect(values["_toolsieve"]).toMatchObject({ called: ["find_tools", "send_mail"] });
  });
});

describe("another middleware that adds or removes tools", () => {
  const added = tool(async () => "added", {
    name: "added_tool",
    description: "Adds refund things.",
    schema: z.object({}),
  });
  const adding = createMiddleware({
    name: "Adding",
    wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, added] }),
    wrapToolCall: (request, handler) =>
      request.toolCall.name === "added_tool"
        ? handler({ ...request, tool: added })
        : handler(request),
  });
  const narrowing = createMiddleware({
    name: "Narrowing",
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: request.tools.filter((known) => known.name !== "refund") }),
  });

  it.each([
    ["outside", true],
    ["inside", false],
  ] as const)(
    "%s the selector: its tool runs, and what it removes stays removed",
    async (_where, isOuter) => {
      const { tools } = createTools();
      const model = recordingChatModel({
        replies: [{ toolCalls: [{ name: "added_tool" }] }, "done"],
      });
      const ours = toolSelectorMiddleware({ ...allOn, alwaysInclude: ["added_tool"] });
      const others = [adding, narrowing];
      const agent = createAgent({
        model,
        tools,
        middleware: isOuter ? [...others, ours] : [ours, ...others],
      });
      const { messages } = await agent.invoke(say("refund and login"));
      expect(messages.map(({ content }) => content)).toContain("added");
      expect(model.calls[0]?.toolNames).not.toContain("refund");
      expect(model.calls[0]?.toolNames).toEqual(expect.arrayContaining(["login", "added_tool"]));
    },
  );
});

describe("a wrong argument of a strict tool", () => {
  it.each([
    ["everything off", { mode: "enforce", judge: namingJudge() } as const],
    ["everything on", allOn],
  ])("is answered as without a selector: %s", async (_title, options) => {
    const strict = tool(async () => "ok", {
      name: "refund",
      description: "Refunds.",
      schema: z.object({ id: z.string() }),
    });
    const answer = async (middleware: Parameters<typeof createAgent>[0]["middleware"]) => {
      const model = recordingChatModel({
        replies: [{ toolCalls: [{ name: "refund", args: { id: 7 }, id: "c1" }] }, "done"],
      });
      const agent = createAgent({ model, tools: [strict], middleware: middleware ?? [] });
      const { messages } = await agent.invoke(say("refund it"));
      // The host writes its own stack into the text; the frames of that say nothing of the answer.
      const text = messages.find(({ type }) => type === "tool")?.text ?? "";
      return text.split("\n").filter((line) => !line.startsWith("    at "));
    };
    const without = await answer([]);
    expect(without.join()).toContain("did not match expected schema");
    expect(await answer([toolSelectorMiddleware(options)])).toEqual(without);
  });
});

describe("the finder and the policy", () => {
  it("is there whatever the judge and the cap say, and only while something is hidden", async () => {
    const { tools } = createTools();
    const model = recordingChatModel({ replies: ["done", "done"] });
    const middleware = toolSelectorMiddleware({ ...allOn, sticky: "off", maxTools: 1 });
    const agent = createAgent({ model, tools, middleware: [middleware] });
    await agent.invoke(say("refund"));
    await agent.invoke(say("query_order"));
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["refund", "find_tools"],
      ["query_order", "find_tools"],
    ]);
  });

  it("may be called beside another tool in one message", async () => {
    const { tools, executed } = createTools();
    const model = recordingChatModel({
      replies: [
        {
          toolCalls: [
            { name: "find_tools", args: { names: ["login"] } },
            { name: "find_tools", args: { names: ["send_mail"] } },
            { name: "refund" },
          ],
        },
        { toolCalls: [{ name: "login" }, { name: "send_mail" }] },
        "done",
      ],
    });
    const agent = createAgent({ model, tools, middleware: [toolSelectorMiddleware(allOn)] });
    await agent.invoke(say("refund"));
    expect(executed).toEqual(["refund", "login", "send_mail"]);
  });
});
