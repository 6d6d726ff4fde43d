import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeTool } from "../../src/core/describe.js";

const schema = { type: "object", properties: { id: { type: "string" } } };

describe("describeTool", () => {
  it.each([
    [
      "OpenAI Chat",
      { type: "function", function: { name: "a", description: "d", parameters: schema } },
    ],
    ["OpenAI Responses", { type: "function", name: "a", description: "d", parameters: schema }],
    ["Anthropic", { name: "a", description: "d", input_schema: schema }],
    ["Anthropic custom", { type: "custom", name: "a", description: "d", input_schema: schema }],
    ["MCP", { name: "a", description: "d", inputSchema: schema }],
    ["Bedrock", { toolSpec: { name: "a", description: "d", inputSchema: { json: schema } } }],
    ["LangChain with JSON Schema", { name: "a", description: "d", schema }],
  ])("reads the shape of %s", (_, tool) => {
    expect(describeTool(tool)).toEqual({ name: "a", description: "d", parameters: schema });
  });

  it.each([
    ["a dated built-in", { type: "web_search_20250305", name: "web_search" }],
    ["a built-in without a name", { type: "file_search" }],
    ["a hosted MCP server", { type: "mcp", server_label: "x" }],
    ["Google search", { googleSearch: {} }],
    ["Google function declarations", { functionDeclarations: [{ name: "a" }, { name: "b" }] }],
    [
      "a provider tool behind extras",
      { name: "a", description: "d", extras: { providerToolDefinition: {} } },
    ],
    ["an empty name", { name: "", description: "d" }],
    ["a name that is no text", { name: 7, description: "d" }],
    ["nothing", null],
    ["a string", "search"],
  ])("does not name %s", (_, tool) => {
    expect(describeTool(tool)).toBeNull();
  });

  it("reads zod 4 schemas, what JSON Schema cannot say included", () => {
    const tool = { name: "a", description: "d", schema: z.object({ at: z.date(), n: z.number() }) };
    expect(describeTool(tool)?.parameters).toMatchObject({
      type: "object",
      properties: { at: {}, n: { type: "number" } },
    });
  });

  it("leaves out a description that is no text and a schema that throws", () => {
    const tool = {
      name: "a",
      description: { evil: true },
      get schema(): unknown {
        throw new Error("no");
      },
    };
    expect(describeTool(tool)).toEqual({ name: "a" });
  });

  it.each([
    "constructor",
    "__proto__",
    "toString",
    "a/b",
    "my tool",
    "查天气",
    'q"\n',
    "x".repeat(128),
  ])("keeps the odd name %j as it is", (name) => {
    expect(describeTool({ name, description: "d" })?.name).toBe(name);
  });

  it("never throws, whatever it is given", () => {
    fc.assert(fc.property(fc.anything(), (tool) => void describeTool(tool)));
  });
});
