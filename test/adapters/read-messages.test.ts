import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { toTurnMessages } from "../../src/adapters/read-messages.js";

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

describe("toTurnMessages", () => {
  it.each<[string, unknown, object]>([
    [
      "a human message",
      new HumanMessage({ content: "Hi", id: "m-1" }),
      { role: "user", text: "Hi", id: "m-1" },
    ],
    ["an AI message", new AIMessage("Hello"), { role: "assistant", text: "Hello" }],
    ["a chunk", new AIMessageChunk("Hello"), { role: "assistant", text: "Hello" }],
    ["a system message", new SystemMessage("Be kind"), { role: "system", text: "Be kind" }],
    [
      "a developer message",
      { role: "developer", content: "Be kind" },
      { role: "system", text: "Be kind" },
    ],
    ["a generic message of a user", new ChatMessage("Hi", "user"), { role: "user", text: "Hi" }],
    [
      "a generic message of another role",
      new ChatMessage("Hi", "critic"),
      { role: "critic", text: "Hi" },
    ],
    ["a dict", { role: "user", content: "Hi" }, { role: "user", text: "Hi" }],
    ["a pair", ["human", "Hi"], { role: "user", text: "Hi" }],
    ["a string", "Hi", { role: "user", text: "Hi" }],
    ["an empty message", new HumanMessage(""), { role: "user", text: "" }],
    ["an image alone", new HumanMessage({ content: [image] }), { role: "user", text: "" }],
    [
      "several text blocks",
      new HumanMessage({
        content: [{ type: "text", text: "One" }, image, { type: "text", text: "Two" }],
      }),
      { role: "user", text: "One\nTwo" },
    ],
    [
      "reasoning beside text",
      new AIMessage({
        content: [
          { type: "reasoning", reasoning: "SECRET THOUGHT" },
          { type: "thinking", thinking: "SECRET THOUGHT" },
          { type: "text", text: "Hello" },
        ],
      }),
      { role: "assistant", text: "Hello" },
    ],
    [
      "a tool result with a name",
      new ToolMessage({ content: "found", tool_call_id: "9", name: "search" }),
      { role: "tool", text: "found", toolName: "search" },
    ],
    [
      "a tool result that nobody called",
      new ToolMessage({ content: "found", tool_call_id: "9" }),
      { role: "tool", text: "found" },
    ],
    [
      "a function result",
      new FunctionMessage({ content: "found", name: "search" }),
      { role: "tool", text: "found", toolName: "search" },
    ],
  ])("reads %s", (_title, message, expected) => {
    expect(toTurnMessages([message])).toEqual([expected]);
  });

  it("finds the tool of a result by the id of its call", () => {
    const messages = toTurnMessages([
      new AIMessage({
        content: "",
        tool_calls: [
          { name: "search", args: {}, id: "1" },
          { name: "refund", args: {}, id: "2" },
        ],
      }),
      new ToolMessage({ content: "refunded", tool_call_id: "2" }),
      new ToolMessage({ content: "found", tool_call_id: "1" }),
    ]);
    expect(messages[0]?.toolCalls).toEqual([
      { id: "1", name: "search" },
      { id: "2", name: "refund" },
    ]);
    expect(messages.slice(1).map(({ toolName }) => toolName)).toEqual(["refund", "search"]);
  });

  it.each<[string, AIMessage]>([
    [
      "malformed arguments",
      new AIMessage({
        content: "",
        invalid_tool_calls: [{ name: "search", args: "{", id: "1", error: "JSON" }],
      }),
    ],
    [
      "an Anthropic block alone",
      Object.assign(
        new AIMessage({ content: [{ type: "tool_use", id: "1", name: "search", input: {} }] }),
        { tool_calls: [] },
      ),
    ],
    ...["tool_call", "tool_use", "server_tool_use", "server_tool_call", "invalid_tool_call"].map(
      (type): [string, AIMessage] => [
        `a content block of type ${type}`,
        Object.assign(new AIMessage(""), {
          content: [{ type, id: "1", name: "search", input: {}, args: "{" }],
        }),
      ],
    ),
    [
      "OpenAI's raw field",
      new AIMessage({
        content: "",
        additional_kwargs: {
          tool_calls: [
            { id: "1", type: "function", function: { name: "search", arguments: "{}" } },
          ],
        },
      }),
    ],
  ])("counts a call with %s", (_title, message) => {
    expect(toTurnMessages([message])[0]?.toolCalls).toEqual([{ id: "1", name: "search" }]);
  });

  it("counts OpenAI's older function_call, which has no id", () => {
    const message = new AIMessage({
      content: "",
      additional_kwargs: { function_call: { name: "search", arguments: "{}" } },
    });
    expect(toTurnMessages([message])[0]?.toolCalls).toEqual([{ name: "search" }]);
  });

  it("counts a call once where calls and blocks both show it", () => {
    const message = new AIMessage({
      content: [{ type: "tool_use", id: "1", name: "search", input: {} }],
      tool_calls: [{ name: "search", args: {}, id: "1" }],
    });
    expect(toTurnMessages([message])[0]?.toolCalls).toHaveLength(1);
  });

  it("leaves out what removes a message, and what it cannot read", () => {
    const hostile = new Proxy(new HumanMessage("x"), {
      get: () => {
        throw new Error("hostile");
      },
    });
    const revoked = Proxy.revocable(new HumanMessage("x"), {});
    revoked.revoke();
    const messages = toTurnMessages([
      new RemoveMessage({ id: "1" }),
      null,
      undefined,
      7,
      {},
      { role: "user" },
      hostile,
      revoked.proxy,
      new HumanMessage("Hi"),
    ]);
    expect(messages.at(-1)).toEqual({ role: "user", text: "Hi" });
    expect(messages.filter(({ text }) => text !== "")).toHaveLength(1);
  });
});
