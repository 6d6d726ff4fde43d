import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readToolChoice } from "../../src/core/tool-choice.js";

describe("readToolChoice", () => {
  it.each([
    [undefined, "auto", []],
    [null, "auto", []],
    ["", "auto", []],
    ["auto", "auto", []],
    ["none", "none", []],
    ["any", "required", []],
    ["required", "required", []],
    ["NONE", "none", ["NONE"]],
    ["REQUIRED", "required", ["REQUIRED"]],
    ["search", "required", ["search"]],
    ["__proto__", "required", ["__proto__"]],
    [{ type: "auto" }, "auto", []],
    [{ type: "none" }, "none", []],
    [{ type: "any" }, "required", []],
    [{ type: "function", function: { name: "y" } }, "required", ["y"]],
    [{ type: "function", name: "y" }, "required", ["y"]],
    [{ type: "tool", name: "y" }, "required", ["y"]],
    [{ type: "custom", custom: { name: "y" } }, "required", ["y"]],
    [{ type: "custom", name: "y" }, "required", ["y"]],
    [{ type: "file_search" }, "required", []],
    [{ tool: { name: "y" } }, "required", ["y"]],
    [{ any: {} }, "required", []],
    [{ auto: {} }, "auto", []],
    [
      { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a", "b"] } },
      "required",
      ["a", "b"],
    ],
    [{ function_calling_config: { mode: "NONE" } }, "none", []],
    [{ toolConfig: { functionCallingConfig: { mode: "AUTO" } } }, "auto", []],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "a" }] },
      "required",
      ["a"],
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "a" } }] },
      },
      "auto",
      ["a"],
    ],
    [{ type: "allowed_tools", tools: ["a", [{ name: "b" }]] }, "auto", ["a", "b"]],
    [{ toolChoice: { tool: { name: "y" } } }, "required", ["y"]],
    [{ tool_choice: "any" }, "required", []],
    [{ type: "tool", toolName: "y" }, "required", ["y"]],
    [{ mode: "any", allowedFunctionNames: ["a", "b"] }, "required", ["a", "b"]],
    [{ type: "any", disable_parallel_tool_use: true }, "required", []],
    [["a", { type: "tool", name: "b" }], "auto", ["a", "b"]],
    [{ unknown: true }, "auto", []],
    [42, "auto", []],
  ] as const)("reads %j", (choice, kind, names) => {
    expect(readToolChoice(choice)).toEqual({ kind, names });
  });

  it("never throws, whatever it is given", () => {
    const hostile = {
      get type(): string {
        throw new Error("no");
      },
    };
    expect(readToolChoice(hostile)).toEqual({ kind: "auto", names: [] });
    fc.assert(fc.property(fc.anything(), (value) => void readToolChoice(value)));
  });
});
