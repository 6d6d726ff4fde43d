/** Calls in the history pin their tools and count as called, in whatever form a message shows them. */

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createToolSelector } from "../../src/index.js";
import { withToolSelection } from "../../src/langgraph.js";
import { memorySink } from "../../src/sinks/memory.js";
import { judging, namedTools } from "./support.js";

const blockOf = (type: string) =>
  Object.assign(new AIMessage(""), { content: [{ type, id: "1", name: "search", input: {} }] });

const calls: Record<string, AIMessage> = {
  "invalid tool calls alone": new AIMessage({
    content: "",
    invalid_tool_calls: [{ name: "search", args: "{", id: "1", error: "JSON" }],
  }),
  "a block of type tool_call": blockOf("tool_call"),
  "a block of type tool_use": blockOf("tool_use"),
  "a block of type server_tool_use": blockOf("server_tool_use"),
};

function nodeReturning(message: unknown) {
  const sink = memorySink();
  const selector = createToolSelector({ mode: "enforce", judge: judging({}), sinks: sink });
  const node = withToolSelection({
    selector,
    tools: namedTools("search", "refund"),
    node: (_state: unknown, _config, offered) => ({
      offered: offered.map(({ name }) => name),
      messages: [message],
    }),
  });
  return { node, sink };
}

describe.each(Object.entries(calls))("%s", (_, message) => {
  it("pins the tool", async () => {
    const { node } = nodeReturning(new AIMessage("done"));
    const state = { messages: [new HumanMessage("Hi"), message, new HumanMessage("Again")] };
    expect((await node(state)).offered).toEqual(["search"]);
  });

  it("counts as called", async () => {
    const { node, sink } = nodeReturning(message);
    await node({ messages: [new HumanMessage("Hi")] });
    expect(sink.records[0]?.outcome).toMatchObject({ called: ["search"], missed: ["search"] });
  });
});

it("a tool result whose call is gone pins its tool where it says the name, and else nothing", async () => {
  const { node } = nodeReturning(new AIMessage("done"));
  const result = (name?: string) =>
    new ToolMessage({ content: "found", tool_call_id: "gone", ...(name ? { name } : {}) });
  const ask = (message: ToolMessage) => node({ messages: [message, new HumanMessage("Hi")] });
  expect((await ask(result("search"))).offered).toEqual(["search"]);
  // Without any tool the history could not be sent: a result is in it.
  expect((await ask(result())).offered).toEqual(["search", "refund"]);
});
