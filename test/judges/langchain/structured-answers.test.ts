import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { readStructured } from "../../../src/judges/langchain/structured-answers.js";

const answers = (...values: readonly unknown[]) => ({
  answers: values.map((probability, index) => ({ number: index + 1, probability })),
});
const called = (args: unknown, name = "tool_answers") => ({
  parsed: null,
  raw: { tool_calls: [{ name, args }] },
});

describe("a structured answer", () => {
  it.each([
    ["parsed", { parsed: answers(0.1, 0.9), raw: {} }],
    ["the call of an answer tool", called(answers(0.1, 0.9))],
    [
      "text, fenced",
      {
        parsed: null,
        raw: { content: `Sure:\n\`\`\`json\n${JSON.stringify(answers(0.1, 0.9))}\n\`\`\`` },
      },
    ],
    [
      "text in a block",
      {
        parsed: null,
        raw: new AIMessage({
          content: [{ type: "text", text: JSON.stringify(answers(0.1, 0.9)) }],
        }),
      },
    ],
    ["the reply itself", answers(0.1, 0.9)],
    [
      "any order",
      {
        answers: [
          { number: 2, probability: 0.9 },
          { number: 1, probability: 0.1 },
        ],
      },
    ],
  ])("is read from %s", (_case, reply) => {
    expect(readStructured(reply, 2)).toEqual([0.1, 0.9]);
  });

  const numbered = (...pairs: readonly (readonly [unknown, unknown])[]) => ({
    parsed: { answers: pairs.map(([number, probability]) => ({ number, probability })) },
  });
  it.each<[string, unknown, readonly unknown[]]>([
    ["another order", numbered([3, 0.3], [1, 0.1], [2, 0.2]), [0.1, 0.2, 0.3]],
    ["one number missing", numbered([1, 0.1], [3, 0.3]), [0.1, undefined, 0.3]],
    ["one number twice", numbered([1, 0.1], [2, 0.9], [2, 0.9], [3, 0.3]), [0.1, undefined, 0.3]],
    ["a number out of range", numbered([1, 0.1], [2, 0.2], [3, 0.3], [4, 0.9]), [0.1, 0.2, 0.3]],
    ["a number 0 beside the others", numbered([0, 1], [1, 0.1], [3, 0.3]), [0.1, undefined, 0.3]],
    [
      "a negative, a broken and a textual number",
      numbered([-1, 1], [1.5, 1], ["2", 1], [3, 0.3]),
      [undefined, undefined, 0.3],
    ],
    [
      "entries that are none",
      { answers: [null, 7, { number: 2, probability: 0.2 }] },
      [undefined, 0.2, undefined],
    ],
  ])("is read by number with %s", (_case, reply, expected) => {
    expect(readStructured(reply, 3)).toEqual(expected);
  });

  it("reads 63 of 64", () => {
    const values = Array.from({ length: 64 }, (_, index) => index / 64);
    const reply = { answers: answers(...values).answers.filter(({ number }) => number !== 40) };
    expect(readStructured(reply, 64)).toEqual(
      values.with(39, Number.NaN).map((p) => (Number.isNaN(p) ? undefined : p)),
    );
  });

  it.each([1.1, -0.1, "0.9", null, undefined, Number.NaN])(
    "takes %j as no probability",
    (value) => {
      expect(readStructured({ parsed: answers(value, 0.9) }, 2)).toEqual([undefined, 0.9]);
    },
  );

  it.each([
    ["null", null],
    ["text", "ok"],
    ["an empty object", {}],
    ["null answers", { answers: null }],
    [
      "a number twice",
      {
        answers: [
          { number: 1, probability: 0 },
          { number: 1, probability: 0 },
        ],
      },
    ],
    [
      "numbers from 0",
      {
        answers: [
          { number: 0, probability: 0 },
          { number: 1, probability: 0 },
        ],
      },
    ],
    [
      "textual numbers",
      {
        answers: [
          { number: "1", probability: 0 },
          { number: "2", probability: 0 },
        ],
      },
    ],
    ["bare numbers", { answers: [0.1, 0.9] }],
    ["another tool's call", called(answers(0.1, 0.9), "other")],
    [
      "two answer calls",
      {
        raw: {
          tool_calls: [
            { name: "tool_answers", args: answers(0.1, 0.9) },
            { name: "tool_answers", args: answers(0.1, 0.9) },
          ],
        },
      },
    ],
    ["torn text", { parsed: null, raw: { content: '{"answers":[{"number":1' } }],
  ])("is none in %s", (_case, reply) => {
    expect(() => readStructured(reply, 2)).toThrow(
      expect.objectContaining({ reason: "malformed" }),
    );
  });

  it.each([
    ["refused", { additional_kwargs: { refusal: "no" } }],
    ["refused", { response_metadata: { finish_reason: "content_filter" } }],
    ["refused", { response_metadata: { stop_reason: "refusal" } }],
    ["refused", { response_metadata: { finishReason: "SAFETY" } }],
    ["truncated", { response_metadata: { finish_reason: "length" } }],
    ["truncated", { response_metadata: { stop_reason: "max_tokens" } }],
    ["truncated", { response_metadata: { finishReason: "MAX_TOKENS" } }],
  ])("is %s when the message says %j, even if whole", (reason, raw) => {
    expect(() => readStructured({ parsed: answers(0.1, 0.9), raw }, 2)).toThrow(
      expect.objectContaining({ reason }),
    );
  });
});
