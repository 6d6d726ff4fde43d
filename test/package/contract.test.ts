/** The public names: each is exported from its entry, as a function unless it is said otherwise. */

import { describe, expect, it } from "vitest";
import { createToolSelector, InvalidOptionsError } from "../../src/index.js";

const functions: Readonly<Record<string, string>> = {
  index: `createToolSelector localJudge retrying caching circuitBreaking cascading calibrated
    fitCalibration memorySink fanOut parseSelectionRecord createLexicalToolIndex
    createHybridToolIndex isToolIndex createToolSessions neverEvict alwaysEvict lruEviction
    ttlEviction compositeEviction catalogFingerprint findToolsSchema parseFindToolsRequest`,
  node: "jsonlSink",
  langchain: "toolSelectorMiddleware",
  models: "decisionModelJudge chatModelJudge embeddingToolIndex embedTools judgedToolIndex",
  langgraph: "toolSelectorNode withToolSelection dynamicModel findToolsTool guardedToolNode",
  jev: "jevJudge judgedToolIndex",
  openai: "openaiJudge",
  postgres: "postgresSink",
  otel: "otelSink",
  report: "readRecords summarize renderReport tuneThresholds",
  testing: "fakeJudge recordingChatModel describeJudgeContract",
};

async function load(entry: string): Promise<Readonly<Record<string, unknown>>> {
  const loaded: unknown =
    entry === "testing"
      ? await import("../../src/testing/index.js")
      : await import(`../../src/${entry}.ts`);
  return loaded as Record<string, unknown>;
}

describe.each(Object.entries(functions))("the entry %s", (entry, names) => {
  it.each(names.split(/\s+/u))("exports the function %s", async (name) => {
    expect(typeof (await load(entry))[name]).toBe("function");
  });
});

describe("other exports", () => {
  it("names errors that tell themselves apart", async () => {
    const root = await load("index");
    const names = `ToolSieveError InvalidOptionsError JudgeHttpError JudgeTimeoutError
      JudgeResponseError RecordFormatError`.split(/\s+/u);
    const shapes = names.map((name) => [
      name,
      typeof Reflect.get(Object(root[name]), "isInstance"),
    ]);
    expect(shapes).toEqual(names.map((name) => [name, "function"]));
  });

  it.each([
    ["index", "selectionRecordSchema", ["parse", "safeParse"]],
    ["index", "metadataFilter", ["eq", "in", "and", "or", "not"]],
    ["langchain", "presets", ["todoList", "deepAgents", "handoffs"]],
    ["langgraph", "toolsieveState", ["spec"]],
  ])("%s: %s has its members", async (entry, name, members) => {
    const value = Object((await load(entry))[name]) as object;
    expect(members.filter((member) => !(member in value))).toEqual([]);
  });

  it("a selector has its methods", async () => {
    const { createToolSelector } = await import("../../src/index.js");
    const selector = createToolSelector({ judge: () => [] });
    const methods = ["select", "run", "flush", "close", "prepare", "find", "guardCall"];
    expect(methods.filter((name) => typeof Reflect.get(selector, name) !== "function")).toEqual([]);
    expect(selector.policyFingerprint).toMatch(/^[0-9a-f]{64}$/u);
    expect(selector.options.maxTools).toBe(8);
  });

  it.each([
    ["options", "text"],
    ["memory", { memory: 3 }],
    ["limits", { limits: null }],
    ["context", { context: 3 }],
  ])("says in plain words that an object is expected: %s", async (name, options) => {
    const { createToolSelector } = await import("../../src/index.js");
    const create = (): unknown => createToolSelector(options as never);
    expect(create).toThrow(new RegExp(`${name}.* to be an object, got`, "u"));
  });
});

describe("adapters that need a selector", () => {
  it.each(["findToolsTool", "guardedToolNode"])("%s refuses its options", async (name) => {
    const adapters = await import("../../src/langgraph.js");
    const options = { findTools: true, guard: true } as never;
    const create = (): unknown =>
      name === "findToolsTool"
        ? adapters.findToolsTool(options)
        : adapters.guardedToolNode({ tools: [], selector: options });
    expect(create).toThrow(`Expected the selector of ${name} to be one of \`createToolSelector\`.`);
  });

  it.each(["toolSelectorNode", "withToolSelection", "dynamicModel"] as const)(
    "%s says what is missing when it is called without options",
    async (name) => {
      const adapters = await import("../../src/langgraph.js");
      const create = adapters[name] as (options?: unknown) => unknown;
      expect(() => create()).toThrow(InvalidOptionsError);
    },
  );

  it.each(["a b!", "", "x".repeat(65)])("refuse %j as the name of the finder", (name) => {
    expect(() => createToolSelector({ findTools: { name } })).toThrow(
      /1 to 64 letters, digits, _ or -/u,
    );
  });
});
