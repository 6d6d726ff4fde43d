/**
 * OpenAI's `allowed_tools`: the request carries every tool, and the tool choice says which ones the
 * model may call.
 */

import type { ToolChoice } from "./tool-choice.js";

/** The two APIs of OpenAI spell it differently. */
export type AllowedToolsApi = "chat" | "responses";

/** A tool choice that allows some of the tools, in the spelling of an API. */
export type AllowedToolsChoice =
  | {
      readonly type: "allowed_tools";
      readonly mode: "auto" | "required";
      readonly tools: readonly AllowedTool[];
    }
  | {
      readonly type: "allowed_tools";
      readonly allowed_tools: {
        readonly mode: "auto" | "required";
        readonly tools: readonly AllowedTool[];
      };
    };

type AllowedTool = Readonly<Record<string, unknown>>;

/** Types of dicts that hold a function of the caller; any other type is a tool of the provider. */
function readProviderType(tool: unknown): string | null {
  if (typeof tool !== "object" || tool === null || !("type" in tool)) return null;
  return typeof tool.type === "string" && tool.type !== "function" ? tool.type : null;
}

/** A tool that may be called: its name, and the object that the caller gave. */
export interface AllowedToolInput {
  /** `null` for a provider's own tool. */
  readonly name: string | null;
  readonly tool: unknown;
}

function nameTool({ name, tool }: AllowedToolInput, api: AllowedToolsApi): AllowedTool | null {
  if (name !== null) {
    return api === "chat" ? { type: "function", function: { name } } : { type: "function", name };
  }
  const type = readProviderType(tool);
  return type === null || api === "chat" ? null : { type };
}

/**
 * Builds the tool choice for the tools that may be called.
 *
 * @returns `null` where that cannot be said: no tool is left, a tool has neither name nor type, or
 * the request forces one tool.
 */
export function buildAllowedTools(
  tools: readonly AllowedToolInput[],
  toolChoice: ToolChoice,
  api: AllowedToolsApi,
): AllowedToolsChoice | null {
  const allowed = tools.map((tool) => nameTool(tool, api));
  const isForced = toolChoice.names.length > 0 || toolChoice.kind === "none";
  if (isForced || allowed.length === 0 || allowed.includes(null)) return null;
  const mode = toolChoice.kind === "required" ? "required" : "auto";
  const list = allowed.filter((tool) => tool !== null);
  return api === "chat"
    ? { type: "allowed_tools", allowed_tools: { mode, tools: list } }
    : { type: "allowed_tools", mode, tools: list };
}
