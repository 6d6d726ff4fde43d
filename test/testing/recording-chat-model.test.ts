import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { recordingChatModel } from "../../src/testing/index.js";
import { namedTools } from "../adapters/support.js";

const tools = namedTools("query_order", "refund");

describe("recordingChatModel", () => {
  it("keeps messages, tools and tool choice of every call", async () => {
    const model = recordingChatModel();
    const provider = { type: "web_search_20250305", name: "web_search" };
    await model.bindTools?.([...tools, provider], { tool_choice: "any" }).invoke("Hi");
    await model.invoke([new HumanMessage("Again")]);
    expect(model.calls).toMatchObject([
      { toolNames: ["query_order", "refund", "web_search"], toolChoice: "any" },
      { toolNames: [], tools: [] },
    ]);
    expect(model.calls[0]?.tools[0]).toBe(tools[0]);
    expect(model.calls[1]?.messages[0]?.text).toBe("Again");
  });

  it("answers what the script says, then that it is done", async () => {
    const own = new AIMessage("my own message");
    const model = recordingChatModel({
      replies: [
        "text",
        own,
        {
          text: "calls",
          toolCalls: [{ name: "refund", args: { id: 7 } }],
          usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 1 },
        },
      ],
      modelName: "my-model",
    });
    expect((await model.invoke("Hi")).text).toBe("text");
    expect((await model.invoke("Hi")).text).toBe("my own message");
    expect(await model.invoke("Hi")).toMatchObject({
      text: "calls",
      tool_calls: [{ name: "refund", args: { id: 7 }, id: "call_3_1" }],
      usage_metadata: {
        input_tokens: 10,
        output_tokens: 2,
        total_tokens: 12,
        input_token_details: { cache_read: 4, cache_creation: 1 },
      },
      response_metadata: { model_name: "my-model" },
    });
    expect((await model.invoke("Hi")).text).toBe("done");
  });

  it("asks a function for its answers", async () => {
    const model = recordingChatModel({
      replies: async (call, number) => `${number}: ${call.messages[0]?.text}`,
    });
    expect((await model.invoke("Hi")).text).toBe("1: Hi");
    expect((await model.invoke("Ho")).text).toBe("2: Ho");
  });

  it("streams word by word, calls and usage last", async () => {
    const model = recordingChatModel({
      replies: [
        {
          text: "one two",
          toolCalls: [{ name: "refund", args: { id: 7 } }],
          usage: { inputTokens: 10, outputTokens: 2 },
        },
      ],
    });
    const chunks = [];
    for await (const chunk of await model.stream("Hi")) chunks.push(chunk);
    expect(chunks.map(({ text }) => text)).toEqual(["one ", "two", ""]);
    expect(chunks.at(-1)).toMatchObject({
      tool_calls: [{ name: "refund", args: { id: 7 } }],
      usage_metadata: { input_tokens: 10 },
    });
  });

  it("throws what the script says, without a retry", async () => {
    const model = recordingChatModel({ replies: [{ error: new Error("model down") }] });
    await expect(model.invoke("Hi")).rejects.toThrow("model down");
    expect(model.calls).toHaveLength(1);
  });

  it("ends its wait when it is aborted", async () => {
    const model = recordingChatModel({ delayMs: 60_000 });
    const caller = new AbortController();
    const run = model.invoke("Hi", { signal: caller.signal });
    caller.abort(new Error("the caller left"));
    await expect(run).rejects.toThrow();
  });

  it("serves structured output, recorded like any call", async () => {
    const model = recordingChatModel({
      replies: [{ toolCalls: [{ name: "extract", args: { answer: "yes" } }] }],
    });
    const structured = model.withStructuredOutput(z.object({ answer: z.string() }));
    expect(await structured.invoke("Hi")).toEqual({ answer: "yes" });
    expect(model.calls[0]?.toolNames).toEqual(["extract"]);
  });
});
