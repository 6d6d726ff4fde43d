import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { readModelOutcome } from "../../src/adapters/read-outcome.js";

const usage = (input: number, details = {}) => ({
  input_tokens: input,
  output_tokens: 1,
  total_tokens: input + 1,
  input_token_details: details,
});
const message = (fields: object) => Object.assign(new AIMessage(""), fields);

describe("readModelOutcome", () => {
  it("reads calls in order, malformed ones included", () => {
    const result = message({
      tool_calls: [{ name: "b" }, { name: "a" }, { name: "b" }],
      invalid_tool_calls: [{ name: "c", args: "{", error: "JSON" }, { args: "" }],
    });
    expect(readModelOutcome(result, [])?.called).toEqual(["b", "a", "b", "c"]);
  });

  it("reads usage and cached tokens as the provider reported them", () => {
    const result = message({ usage_metadata: usage(900, { cache_read: 600, cache_creation: 20 }) });
    expect(readModelOutcome(result, [])?.usage).toEqual({
      inputTokens: 900,
      outputTokens: 1,
      cacheReadTokens: 600,
      cacheWriteTokens: 20,
    });
  });

  it("leaves unknown numbers out", () => {
    expect(readModelOutcome(message({ usage_metadata: usage(5) }), [])?.usage).toEqual({
      inputTokens: 5,
      outputTokens: 1,
    });
    expect(readModelOutcome(message({}), [])).toEqual({ called: [] });
  });

  it.each([NaN, -1, "5", null, undefined, Number.POSITIVE_INFINITY])(
    "takes no usage from a count that is none: %s",
    (input) => {
      const result = message({ usage_metadata: { ...usage(1), input_tokens: input } });
      expect(readModelOutcome(result, [])?.usage).toBeUndefined();
    },
  );

  it.each([
    [{ model_name: "gpt" }, "gpt"],
    [{ model: "claude" }, "claude"],
    [{ model_name: "", model: "claude" }, "claude"],
    [{ model: 7 }, undefined],
    [{}, undefined],
  ])("reads the model from %j", (response_metadata, expected) => {
    expect(readModelOutcome(message({ response_metadata }), [])?.model).toBe(expected);
  });

  it("adds up several messages of one step", () => {
    const result = {
      structuredResponse: {},
      messages: [
        message({ usage_metadata: usage(5), tool_calls: [{ name: "a" }] }),
        new HumanMessage("Hi"),
        message({ usage_metadata: usage(7, { cache_read: 3 }), tool_calls: [{ name: "b" }] }),
      ],
    };
    expect(readModelOutcome(result, [])).toEqual({
      called: ["a", "b"],
      usage: { inputTokens: 12, outputTokens: 2, cacheReadTokens: 3 },
    });
  });

  it("takes no news from messages that went in", () => {
    const old = message({ tool_calls: [{ name: "a" }] });
    const fresh = message({ tool_calls: [{ name: "b" }] });
    expect(readModelOutcome({ messages: [old, fresh] }, [old])?.called).toEqual(["b"]);
  });

  it.each([
    [{ role: "assistant", content: "", tool_calls: [{ name: "a", args: {}, id: "1" }] }],
    [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: "{}" } }],
      },
    ],
  ])("reads calls of a plain %j", (plain) => {
    expect(readModelOutcome({ messages: [plain] }, [])?.called).toEqual(["a"]);
  });

  it.each([undefined, {}, { messages: [] }, { messages: [new HumanMessage("Hi")] }])(
    "knows nothing of what the model did from %j",
    (result) => {
      expect(readModelOutcome(result, [])).toBeNull();
    },
  );

  it("ends in a result that holds itself", () => {
    const circular: { messages?: unknown } = {};
    circular.messages = circular;
    expect(readModelOutcome(circular, [])).toBeNull();
  });
});
