import { describe, expect, it } from "vitest";
import { hasUsableDescription, namesInHistory, pinTools } from "../../src/core/pins.js";
import { createCatalogReader } from "../../src/core/catalog.js";
import { describeTool } from "../../src/core/describe.js";
import { judgeLimitsSchema } from "../../src/core/limits.js";
import { readToolChoice } from "../../src/core/tool-choice.js";
import { assistant, toolResult, toolsNamed, user } from "../support/turns.js";

const reader = createCatalogReader({
  countTokens: (text) => text.length,
  limits: judgeLimitsSchema.parse({}),
  onDescribeError: () => undefined,
});
const options = {
  alwaysInclude: [],
  pinHistory: true,
  toolChoice: readToolChoice(undefined),
  messages: [user("hello")],
};
const pins = (tools: readonly unknown[], more: Partial<Parameters<typeof pinTools>[1]> = {}) =>
  pinTools(
    tools.map((tool) => reader.read(tool, describeTool)),
    { ...options, ...more },
  );

describe("pinTools", () => {
  it("leaves named tools with a description as candidates", () => {
    expect(pins(toolsNamed("a", "b"))).toEqual([null, null]);
  });

  it("pins provider tools", () => {
    expect(
      pins([{ type: "web_search_20250305", name: "web_search" }, { googleSearch: {} }]),
    ).toEqual(["provider-tool", "provider-tool"]);
  });

  it("pins names and globs of alwaysInclude; an absent name is no error", () => {
    expect(
      pins(toolsNamed("help", "fs_read", "fs.read", "xfs_read"), {
        alwaysInclude: ["help", "fs_*", "absent", "absent_*"],
      }),
    ).toEqual(["always-include", "always-include", null, null]);
  });

  it("pins the tool that the tool choice names", () => {
    expect(pins(toolsNamed("a", "b"), { toolChoice: readToolChoice("b") })).toEqual([
      null,
      "tool-choice",
    ]);
  });

  it("pins tools whose calls or results are in the messages, unless told not to", () => {
    const messages = [user("go"), assistant("", "a"), toolResult("b", "done")];
    expect(pins(toolsNamed("a", "b", "c"), { messages })).toEqual(["history", "history", null]);
    expect(pins(toolsNamed("a", "b", "c"), { messages, pinHistory: false })).toEqual([
      null,
      null,
      null,
    ]);
  });

  it.each(["", "  \n", "a", " a ", "a tool", "\u200B"])(
    "pins a tool described only as %j",
    (description) => {
      expect(pins([{ name: "a", description }])).toEqual(["no-description"]);
    },
  );

  it("pins a tool without a description", () => {
    expect(pins([{ name: "a" }])).toEqual(["no-description"]);
  });

  it("keeps duplicates apart: both are candidates", () => {
    expect(
      pins([
        { name: "x", description: "first" },
        { name: "x", description: "second" },
      ]),
    ).toEqual([null, null]);
  });
});

describe("hasUsableDescription", () => {
  it("accepts a description that says more than the name", () => {
    expect(hasUsableDescription({ name: "a", description: "Adds numbers" })).toBe(true);
  });
});

describe("namesInHistory", () => {
  it("collects calls and results", () => {
    expect([...namesInHistory([assistant("", "x", "__proto__"), toolResult("y", "")])]).toEqual([
      "x",
      "__proto__",
      "y",
    ]);
  });
});
