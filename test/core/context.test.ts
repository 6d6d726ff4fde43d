import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildContext,
  cleanContext,
  contextOptionsSchema,
  requestText,
} from "../../src/core/context.js";
import type { ContextOptions, Redact } from "../../src/core/context.js";
import { parseOptions } from "../../src/core/parse-options.js";
import type { TurnMessage } from "../../src/core/types.js";
import { assistant, toolResult, user } from "../support/turns.js";

const build = (
  messages: readonly TurnMessage[],
  options: ContextOptions = {},
  redact: Redact = (text) => text,
) => buildContext(messages, contextOptionsSchema.parse(options), redact);
const texts = (...parameters: Parameters<typeof build>): readonly string[] =>
  build(...parameters).messages.map(({ text }) => text);

describe("recent-window", () => {
  it("keeps the newest messages, oldest first", () => {
    const messages = Array.from({ length: 12 }, (_, index) => user(`m${index}`));
    expect(texts(messages)).toEqual(["m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11"]);
    expect(texts(messages, { maxMessages: 2 })).toEqual(["m10", "m11"]);
  });

  it("gives blank messages no slot", () => {
    const messages = [user("first"), assistant("", "search"), assistant(" \n"), user("last")];
    expect(texts(messages, { maxMessages: 2 })).toEqual(["first", "last"]);
  });

  it("cuts the oldest message kept to the budget and keeps its head", () => {
    expect(texts([user("0123456789"), user("abc")], { maxChars: 8 })).toEqual(["01234", "abc"]);
  });

  it("keeps nothing older than the message that it cut", () => {
    expect(texts([user("x"), user("0123456789"), user("abc")], { maxChars: 8 })).toEqual([
      "01234",
      "abc",
    ]);
  });

  it("never splits a surrogate pair", () => {
    expect(texts([user("ab😀"), user("c")], { maxChars: 4 })).toEqual(["ab", "c"]);
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" })),
        fc.integer({ min: 1, max: 40 }),
        (list, maxChars) => {
          const kept = texts(
            list.map((text) => user(text)),
            { maxChars },
          );
          expect(kept.every((text) => encodeURIComponent(text) !== "")).toBe(true);
          expect(kept.join("").length).toBeLessThanOrEqual(maxChars);
        },
      ),
    );
  });

  it("leaves the system prompt and unknown roles out", () => {
    const system = { role: "system", text: "secret rules" };
    expect(texts([system, { role: "developer", text: "x" }, user("hello")])).toEqual(["hello"]);
  });

  it("cuts a tool result at 2,000 characters", () => {
    expect(texts([toolResult("a", "r".repeat(5000)), user("go")])[0]).toHaveLength(2000);
  });

  it("caps the request at maxChars", () => {
    expect(build([user("0123456789")], { maxChars: 4 }).request).toBe("0123");
  });

  it("keeps the request even when it is older than the window", () => {
    const messages = [
      user("the request"),
      ...Array.from({ length: 20 }, () => toolResult("a", "r")),
    ];
    const context = build(messages, { maxMessages: 3 });
    expect(context.request).toBe("the request");
    expect(context.messages).toHaveLength(3);
  });

  it("shows a short answer together with the question that it answers", () => {
    const messages = [user("Weather please"), assistant("For which city?"), user("London")];
    expect(texts(messages)).toEqual(["Weather please", "For which city?", "London"]);
    expect(build(messages).request).toBe("London");
  });
});

describe("other strategies", () => {
  const messages = [
    user("one"),
    assistant("two"),
    user("three"),
    assistant("", "x"),
    toolResult("x", "four"),
  ];

  it("latest-user-message shows the request alone", () => {
    expect(build(messages, { strategy: "latest-user-message" })).toEqual({
      request: "three",
      messages: [{ role: "user", text: "three" }],
    });
  });

  it("full-conversation shows everything, without a limit unless asked", () => {
    const long = Array.from({ length: 50 }, () => user("x".repeat(1000)));
    expect(texts(long, { strategy: "full-conversation" })).toHaveLength(50);
    expect(texts(long, { strategy: "full-conversation", maxChars: 2500 })).toHaveLength(3);
  });
});

describe("redact", () => {
  it("runs over every text before anything is cut", () => {
    const redact = (text: string, role: string): string =>
      text.replaceAll("4111 1111", `[card:${role}]`);
    const context = build(
      [assistant("4111 1111 a"), user("pay with 4111 1111")],
      { maxChars: 26 },
      redact,
    );
    expect(JSON.stringify(context)).not.toContain("4111");
    expect(context.request).toBe("pay with [card:user]");
  });

  it("that throws, or returns no text, is thrown: nothing unredacted is shown", () => {
    expect(() => build([user("x")], {}, () => undefined as never)).toThrow(TypeError);
    expect(() =>
      build([user("x")], {}, () => {
        throw new Error("down");
      }),
    ).toThrow("down");
  });
});

describe("requestText", () => {
  it.each([
    ["no message", [], null],
    ["no user message", [{ role: "system", text: "s" }, assistant("hi")], null],
    ["an image alone", [user("earlier"), user("")], null],
    ["blank text", [user(" \n\u200B")], null],
    [
      "a user message before tool steps",
      [user("go"), assistant("", "a"), toolResult("a", "r")],
      "go",
    ],
  ] as const)("with %s", (_, messages, expected) => {
    expect(requestText(messages)).toBe(expected);
  });
});

describe("cleanContext", () => {
  it("redacts what a user's function built", () => {
    const context = { request: "a secret", messages: [{ role: "user", text: "a secret" }] };
    expect(cleanContext(context, (text) => text.replace("secret", "***"))).toEqual({
      request: "a ***",
      messages: [{ role: "user", text: "a ***" }],
    });
  });

  it.each([
    undefined,
    null,
    {},
    { request: 1, messages: [] },
    { request: "", messages: [{ role: "system", text: "" }] },
  ])("refuses %j", (value) => {
    expect(() => cleanContext(value, (text) => text)).toThrow(TypeError);
  });
});

describe("options", () => {
  it.each([
    [{ maxMessages: 0 }, "Expected `maxMessages` to be an integer from 1, got `0` (number)."],
    [{ strategy: "all" }, "Expected `strategy` to be"],
    [
      { strategy: "full-conversation", maxMessages: 3 },
      "Expected `maxMessages` to be absent unless",
    ],
    [{ window: 3 }, "no option `window`"],
  ])("refuses %j", (options, message) => {
    expect(() => parseOptions(contextOptionsSchema, options, "context")).toThrow(message);
  });
});
