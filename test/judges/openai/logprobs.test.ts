import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JudgeResponseError } from "../../../src/errors.js";
import { readLogprobs } from "../../../src/judges/openai/logprobs.js";
import { answerTokens, completion, token, type TokenSpec } from "./completions.js";

const head = [token('{"', 1), token("answers", 1), token('":"', 1)];
const tail = token('"}', 1);

/** One tool, its mark in the given token. */
const one = (mark: TokenSpec, number = token("1", 1)): unknown =>
  completion([...head, number, mark, tail]);

const reasonOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (JudgeResponseError.isInstance(error)) return error.reason;
    throw error;
  }
  return "none";
};

const entry = (token: string, logprob: unknown, top_logprobs?: unknown): TokenSpec => ({
  token,
  logprob,
  top_logprobs,
});

describe("reading marks", () => {
  it("gives each tool the probability of its own mark", () => {
    const read = readLogprobs(completion(answerTokens([0.03, 0.97, 0.4, 0.6])), 4);
    expect(read.map((p) => p?.toFixed(6))).toEqual([
      "0.030000",
      "0.970000",
      "0.400000",
      "0.600000",
    ]);
  });

  it("reads any probabilities back, whatever number of tools", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.001, max: 0.999, noNaN: true }), {
          minLength: 1,
          maxLength: 40,
        }),
        (ps) => {
          const read = readLogprobs(completion(answerTokens(ps)), ps.length);
          ps.forEach((p, index) => expect(read[index]).toBeCloseTo(p, 9));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("normalises by yes and no alone", () => {
    expect(readLogprobs(one(token("Y", 0.6, { N: 0.2, x: 0.2 })), 1)[0]).toBeCloseTo(0.75, 12);
  });

  it.each([
    ["the number and the mark in one token", [token("1N", 0.9, { "1Y": 0.1 })], 0.1],
    ["quote, number and mark in one token", [token('":"1N', 0.9, { '":"1Y': 0.1 })], 0.1],
    [
      "mark and closing quote in one token",
      [token("1", 1), token('N"}', 0.9, { 'Y"}': 0.1 })],
      0.1,
    ],
    [
      "an alternative spelt as a word",
      [token("1", 1), token("N", 0.7, { Yes: 0.1, no: 0.1, yes: 0.05, NO: 0.05 })],
      0.15,
    ],
    [
      "alternatives with spaces and quotes",
      [token("1", 1), token("N", 0.7, { " Y": 0.1, '"Y': 0.1, ' "y"': 0.1 })],
      0.3,
    ],
    [
      "words that only begin like yes or no",
      [token("1", 1), token("N", 0.6, { Y: 0.2, None: 0.1, Yep: 0.1 })],
      0.25,
    ],
    [
      "letters beyond ASCII",
      [token("1", 1), token("N", 0.6, { Y: 0.2, Nö: 0.1, "Y\u0308": 0.05, Да: 0.05 })],
      0.25,
    ],
    ["another text after the mark", [token("1", 1), token("N", 0.6, { "Y 2": 0.4 })], 0.4],
    ["an alternative that lacks the prefix", [token("1N", 0.6, { Y: 0.4 })], 0.4],
    [
      "empty tokens between",
      [token("1", 1), token("", 1), token("N", 0.8, { Y: 0.2 }), token("", 1)],
      0.2,
    ],
  ] satisfies [string, TokenSpec[], number][])(
    "reads a mark with %s",
    (_case, tokens, expected) => {
      const opening = tokens[0]?.token.startsWith('":"') ? head.slice(0, 2) : head;
      const closing = tokens.some(({ token }) => token.endsWith('"}')) ? [] : [tail];
      expect(readLogprobs(completion([...opening, ...tokens, ...closing]), 1)[0]).toBeCloseTo(
        expected,
        9,
      );
    },
  );

  it("reads marks from tokens that carry the space and the number", () => {
    const tokens = [
      ...head,
      token("1N", 0.9, { "1Y": 0.1 }),
      token(" 2Y", 0.8, { " 2N": 0.2 }),
      tail,
    ];
    const read = readLogprobs(completion(tokens), 2);
    expect(read[0]).toBeCloseTo(0.1, 9);
    expect(read[1]).toBeCloseTo(0.8, 9);
  });

  it("leaves both tools unjudged when one token carries both marks", () => {
    const tokens = [...head, token("1N 2Y", 1), token(" 3", 1), token("N", 0.9, { Y: 0.1 }), tail];
    const read = readLogprobs(completion(tokens), 3);
    expect(read.slice(0, 2)).toEqual([undefined, undefined]);
    expect(read[2]).toBeCloseTo(0.1, 9);
  });
});

describe("believing a distribution", () => {
  it.each([
    ["null", null],
    ["NaN", Number.NaN],
    ["positive", 0.01],
    ["-Infinity", -Infinity],
    ["text", "-0.1"],
    ["missing", undefined],
  ])("leaves a tool unjudged when its own logprob is %s", (_case, logprob) => {
    const mark = entry("N", logprob, [
      { token: "N", logprob: -0.01 },
      { token: "Y", logprob: -5 },
    ]);
    expect(readLogprobs(one(mark), 1)).toEqual([undefined]);
  });

  it.each([
    ["1.02, rounding", 1.0199, 0.5099 / 1.0199],
    ["more", 1.021, undefined],
  ])("takes a sum up to %s", (_case, sum, expected) => {
    const read = readLogprobs(one(token("N", 0.51, { Y: sum - 0.51 })), 1)[0];
    if (expected === undefined) expect(read).toBeUndefined();
    else expect(read).toBeCloseTo(expected, 9);
  });

  it.each([
    ["half the mass", 0.1, 0.2],
    ["a little less", 0.0999, undefined],
  ])("needs yes and no to hold half: %s", (_case, yes, expected) => {
    const read = readLogprobs(one(token("N", 0.4, { Y: yes + 1e-12, other: 0.45 })), 1)[0];
    if (expected === undefined) expect(read).toBeUndefined();
    else expect(read).toBeCloseTo(expected, 6);
  });

  it("does not read a seven per cent share as an answer", () => {
    expect(readLogprobs(one(token("N", 0.05, { Y: 0.02, The: 0.9 })), 1)).toEqual([undefined]);
  });

  it("counts the same text once, the chosen token's own value", () => {
    const mark = entry("N", Math.log(0.6), [
      { token: "N", logprob: Math.log(0.3) },
      { token: "Y", logprob: Math.log(0.4) },
      { token: "Y", logprob: Math.log(0.4) },
    ]);
    expect(readLogprobs(one(mark), 1)[0]).toBeCloseTo(0.4, 9);
  });

  it.each([
    ["what the others leave", [{ token: "N", logprob: Math.log(0.97) }], Math.log(0.97), 0.03],
    ["a millionth at least", [], 0, 1e-6 / (1 + 1e-6)],
    ["a millionth for -9999 too", [{ token: "Y", logprob: -9999 }], 0, 1e-6 / (1 + 1e-6)],
    ["a millionth for no alternatives at all", null, 0, 1e-6 / (1 + 1e-6)],
  ])("gives a side without mass %s", (_case, top, own, expected) => {
    expect(readLogprobs(one(entry("N", own, top)), 1)[0]).toBeCloseTo(expected, 9);
  });

  it("never answers exactly 0 or 1", () => {
    expect(readLogprobs(one(entry("N", 0, [{ token: "Y", logprob: -100 }])), 1)).toEqual([1e-6]);
    expect(readLogprobs(one(entry("Y", 0, [{ token: "N", logprob: -100 }])), 1)).toEqual([
      1 - 1e-6,
    ]);
  });

  it("ignores alternatives that are no finite logprob up to 0", () => {
    const top = [
      null,
      "Y",
      { token: 5, logprob: -1 },
      { token: "Y", logprob: 0.5 },
      { token: "y", logprob: null },
      { token: "yes", logprob: Math.log(0.2) },
    ];
    expect(readLogprobs(one(entry("N", Math.log(0.8), top)), 1)[0]).toBeCloseTo(0.2, 9);
  });
});

describe("finding the answer", () => {
  const answer = answerTokens([0.1, 0.9]);
  it.each([
    ["a fence", [token("```json\n", 1), ...answer, token("\n```", 1)]],
    ["prose", [token("Sure: ", 1), ...answer, token(" Done.", 1)]],
    ["a closed think block", [token("<think>1Y 2N?</think>\n\n", 1), ...answer]],
    ["a think block opened by the template", [token("1Y?</think>", 1), ...answer]],
    ["white space", [token(" \n", 1), ...answer, token("\n", 1)]],
  ])("reads through %s", (_case, tokens) => {
    const read = readLogprobs(completion(tokens), 2);
    expect(read[0]).toBeCloseTo(0.1, 9);
    expect(read[1]).toBeCloseTo(0.9, 9);
  });

  it("reads where the logprobs also cover what the server took out of the content", () => {
    const tokens = [
      token("<think>draft ", 1),
      ...answerTokens([0.9, 0.9]),
      token("</think>", 1),
      ...answer,
      token("<|end|>", 1),
    ];
    const content = answer.map(({ token }) => token).join("");
    const read = readLogprobs(completion(tokens, { message: { content } }), 2);
    expect(read[0]).toBeCloseTo(0.1, 9);
  });

  it("reads JSON with white space", () => {
    const tokens = [token('{ "answers" : "', 1), ...answer.slice(3, -1), token('"\n}', 1)];
    expect(readLogprobs(completion(tokens), 2)[1]).toBeCloseTo(0.9, 9);
  });

  const content = (text: string): unknown => completion([token(text, 1)]);
  it.each([
    ["two answers", '{"answers":"1N 2N"}{"answers":"1Y 2Y"}'],
    ["a torn answer before a whole one", '{"answers":"1N 2 {"answers":"1N 2N"}'],
    ["an answer in a closed think block only", '<think>{"answers":"1N 2N"}</think>'],
    ["an answer in a think block that the template opened", '{"answers":"1N 2N"}</think>'],
    ["an unclosed think block", '<think>so {"answers":"1N 2N"}'],
    ["torn JSON", '{"answers":"1N 2N'],
    ["an unclosed object", '{"answers":"1N 2N"'],
    ["another key", '{"answer":"1N 2N"}'],
    ["a second key", '{"answers":"1N 2N","note":"x"}'],
    ["a list", '{"answers":["1N","2N"]}'],
    ["marks without braces", "1N 2N"],
    ["too few marks", '{"answers":"1N"}'],
    ["too many marks", '{"answers":"1N 2N 3N"}'],
    ["a repeated number", '{"answers":"1N 1N"}'],
    ["another order", '{"answers":"2N 1N"}'],
    ["a number from 0", '{"answers":"0N 1N"}'],
    ["lower case", '{"answers":"1n 2n"}'],
    ["words", '{"answers":"1No 2No"}'],
    ["another mark", '{"answers":"1N 2X"}'],
    ["no separators", '{"answers":"1N2N"}'],
    ["commas", '{"answers":"1N, 2N"}'],
    ["escapes", String.raw`{"answers":"1N 2\u004e"}`],
    ["nothing", '{"answers":""}'],
    ["only white space", "  \n"],
  ])("takes no answer from %s", (_case, text) => {
    expect(reasonOf(() => readLogprobs(content(text), 2))).toBe("malformed");
  });
});

describe("a reply as a whole", () => {
  const tokens = answerTokens([0.1]);
  const text = '{"answers":"1N"}';
  it.each([
    ["refused", "a refusal beside content", { message: { content: text, refusal: "I cannot" } }],
    ["refused", "a refusal without content", { message: { content: null, refusal: "I cannot" } }],
    ["refused", "a content filter, content or not", { finish_reason: "content_filter" }],
    [
      "refused",
      "a content filter without a message",
      { finish_reason: "content_filter", message: null },
    ],
    [
      "refused",
      "a refusal that was cut",
      { finish_reason: "length", message: { content: null, refusal: "I" } },
    ],
    ["truncated", "a whole answer that ended by length", { finish_reason: "length" }],
    ["malformed", "another finish reason", { finish_reason: "tool_calls" }],
    ["malformed", "no finish reason", { finish_reason: null }],
    ["malformed", "null content", { message: { content: null } }],
    [
      "malformed",
      "reasoning without content",
      { message: { content: "", reasoning_content: text } },
    ],
    ["malformed", "content that is no text", { message: { content: [{ type: "text", text }] } }],
    ["no-logprobs", "null logprobs", { logprobs: null }],
    ["no-logprobs", "absent logprobs", { logprobs: undefined }],
    ["no-logprobs", "empty logprobs", { logprobs: { content: [] } }],
    ["no-logprobs", "null token list", { logprobs: { content: null } }],
    ["no-logprobs", "fewer tokens than text", { logprobs: { content: tokens.slice(0, -1) } }],
    ["no-logprobs", "tokens of another text", { logprobs: { content: answerTokens([0.9]) } }],
    ["no-logprobs", "a token without text", { logprobs: { content: [null, ...tokens] } }],
    [
      "no-logprobs",
      "its text twice in the tokens",
      { logprobs: { content: [...tokens, ...tokens] } },
    ],
  ])("is %s: %s", (reason, _case, over) => {
    expect(reasonOf(() => readLogprobs(completion(tokens, over), 1))).toBe(reason);
  });

  it.each([
    [{}],
    [null],
    [undefined],
    ["ok"],
    [[]],
    [{ choices: [] }],
    [{ choices: null }],
    [{ choices: [null] }],
    [{ answers: null }],
  ])("is malformed: %j", (body) => expect(reasonOf(() => readLogprobs(body, 1))).toBe("malformed"));

  it("looks at choice 0 only", () => {
    const body = completion(tokens);
    const second = completion(answerTokens([0.9])).choices[0];
    expect(readLogprobs({ ...body, choices: [...body.choices, second, null] }, 1)[0]).toBeCloseTo(
      0.1,
      9,
    );
  });

  it("answers in [0, 1] or not at all, or throws its own error, for any tokens", () => {
    const anyToken = fc.record({
      token: fc.constantFrom("1", "N", "Y", " 2", '{"answers":"', '"}', "1N", ""),
      logprob: fc.oneof(fc.double(), fc.constant(null)),
      top_logprobs: fc.anything(),
    });
    fc.assert(
      fc.property(fc.array(anyToken, { maxLength: 8 }), (tokens) => {
        let read: readonly (number | undefined)[] = [];
        try {
          read = readLogprobs(completion(tokens), 2);
        } catch (error) {
          expect(JudgeResponseError.isInstance(error)).toBe(true);
        }
        for (const p of read) expect(p === undefined || (p > 0 && p < 1)).toBe(true);
      }),
    );
  });
});
