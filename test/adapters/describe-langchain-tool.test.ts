import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { describeLangChainTool } from "../../src/adapters/describe-langchain-tool.js";
import { keepLastOfEachName } from "../../src/adapters/unique-tools.js";
import { namedTool } from "./support.js";

const description = "Finds orders.";
const parameters = { type: "object", properties: { id: { type: "string" } } };
const make = (schema: unknown) =>
  tool(() => "x", { name: "find", description, schema: schema as z.ZodObject });

describe("describeLangChainTool", () => {
  it.each<[string, unknown]>([
    ["zod 4", make(z.object({ id: z.string() }))],
    ["zod 3", make(z3.object({ id: z3.string() }))],
    ["JSON Schema", make(parameters)],
    [
      "a runnable as a tool",
      RunnableLambda.from((input: { id: string }) => input.id).asTool({
        name: "find",
        description,
        schema: z.object({ id: z.string() }),
      }),
    ],
    ["OpenAI Chat", { type: "function", function: { name: "find", description, parameters } }],
    ["OpenAI Responses", { type: "function", name: "find", description, parameters }],
    ["Anthropic", { name: "find", description, input_schema: parameters }],
    ["MCP", { name: "find", description, inputSchema: parameters }],
    ["Bedrock", { toolSpec: { name: "find", description, inputSchema: { json: parameters } } }],
  ])("reads %s", (_title, source) => {
    const read = describeLangChainTool(source);
    expect(read).toMatchObject({ name: "find", description });
    expect(read?.parameters?.["properties"]).toMatchObject({ id: { type: "string" } });
  });

  it.each<[unknown]>([
    [{ type: "web_search_20250305", name: "web_search" }],
    [{ type: "file_search" }],
    [{ googleSearch: {} }],
    [{ functionDeclarations: [{ name: "a" }, { name: "b" }] }],
    [{ type: "function", function: {} }],
    [{}],
    [null],
    [7],
  ])("pins what it cannot name, and a provider's own tool: %j", (source) => {
    expect(describeLangChainTool(source)).toBeNull();
  });

  it.each<[string, unknown]>([
    ["zod 4 with a date", z.object({ at: z.date() })],
    ["zod 3 with a date", z3.object({ at: z3.date() })],
    ["zod 4 with a transform", z.object({ at: z.string().transform(Number) })],
    ["zod 4 with a function", z.object({ at: z.custom(() => true) })],
  ])("reads a schema that JSON cannot say: %s", (_title, schema) => {
    expect(describeLangChainTool(make(schema))).toMatchObject({ name: "find", description });
  });

  it("survives schemas and getters that throw", () => {
    const throwing = (key: string) =>
      Object.defineProperty(namedTool("find"), key, {
        get: () => {
          throw new Error("hostile");
        },
      });
    expect(describeLangChainTool(throwing("schema"))).toMatchObject({ name: "find" });
    expect(describeLangChainTool(throwing("metadata"))).toMatchObject({ name: "find" });
    expect(describeLangChainTool(throwing("name"))).toBeNull();
    const cyclic: Record<string, unknown> = { _def: {} };
    cyclic["_def"] = cyclic;
    expect(describeLangChainTool(Object.assign(namedTool("find"), { schema: cyclic }))).toEqual(
      expect.objectContaining({ name: "find" }),
    );
  });

  it("carries the annotations of an MCP tool", () => {
    const annotations = { readOnlyHint: true };
    const source = Object.assign(namedTool("find"), { metadata: { annotations } });
    expect(describeLangChainTool(source)?.metadata).toEqual({ annotations });
  });

  it("reads a tool without a schema of its own", () => {
    const source = new DynamicTool({ name: "find", description, func: async () => "x" });
    expect(describeLangChainTool(source)).toMatchObject({ name: "find", description });
  });
});

describe("keepLastOfEachName", () => {
  const [x1, x2, y] = [namedTool("x", "One."), namedTool("x", "Two."), namedTool("y")];

  it("is the very array where every name is its own", () => {
    const list = [x1, y];
    expect(keepLastOfEachName(list).tools).toBe(list);
  });

  it("keeps the last, and names each duplicate once", () => {
    const x3 = namedTool("x", "Three.");
    expect(keepLastOfEachName([x1, y, x2, x3])).toEqual({ tools: [y, x3], duplicates: ["x"] });
  });

  it("keeps one object twice, dicts, and a dict beside a tool of its name", () => {
    const dict = { name: "x", description: "A dict.", input_schema: {} };
    const list = [y, dict, { ...dict }, x1, y];
    expect(keepLastOfEachName(list).tools).toBe(list);
  });

  it("goes by Map, not by object: names of Object.prototype are names", () => {
    const list = ["constructor", "__proto__", "toString"].map((name) => namedTool(name));
    expect(keepLastOfEachName(list).tools).toBe(list);
  });

  it("lets unreadable tools be", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const list = [proxy, x1];
    expect(keepLastOfEachName(list).tools).toBe(list);
  });
});
