import { describe, expect, it } from "vitest";
import { buildAllowedTools } from "../../src/core/allowed-tools.js";
import { readToolChoice } from "../../src/core/tool-choice.js";

const tools = [{ name: "refund", tool: {} }];
const web = { name: null, tool: { type: "web_search_preview" } };

describe("buildAllowedTools", () => {
  it("spells it for the chat API", () => {
    expect(buildAllowedTools(tools, readToolChoice("auto"), "chat")).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "refund" } }] },
    });
  });

  it("spells it for the Responses API, with tools of the provider by their type", () => {
    expect(buildAllowedTools([...tools, web], readToolChoice("required"), "responses")).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "refund" }, { type: "web_search_preview" }],
    });
  });

  it.each([
    ["no tool is left", [], "auto", "chat"],
    ["the request forces a tool", tools, "refund", "responses"],
    ["the request forbids calls", tools, "none", "responses"],
    ["a provider's tool has no name in the chat API", [web], "auto", "chat"],
    ["a tool has neither name nor type", [{ name: null, tool: {} }], "auto", "responses"],
  ] as const)("cannot say it where %s", (_title, allowed, choice, api) => {
    expect(buildAllowedTools(allowed, readToolChoice(choice), api)).toBeNull();
  });

  it("is read back as a choice that names these tools", () => {
    const choice = buildAllowedTools(tools, readToolChoice("any"), "chat");
    expect(readToolChoice(choice)).toEqual({ kind: "required", names: ["refund"] });
  });
});
