/** Options that the adapters for LangGraph have in common. */

import * as z from "zod";
import type { ToolSelectorOptions } from "../../core/options.js";
import { read } from "../../core/read.js";
import type { ToolSelector } from "../../selector/tool-selector.js";

/** Options of every adapter for LangGraph. */
export interface NodeSelectionOptions<T> {
  /** A tool selector, or the options of a new one. */
  readonly selector: ToolSelector | ToolSelectorOptions;
  /** All tools of the agent; the offered ones are a subsequence of these very objects. */
  readonly tools: readonly T[];
  /** The tool choice of the model call, in any provider's spelling. */
  readonly toolChoice?: unknown;
}

export const nodeOptionFields = {
  selector: z.custom(
    (value) => typeof value === "object" && value !== null,
    "a tool selector, or the options of one",
  ),
  tools: z.custom((value) => Array.isArray(value), "an array of tools"),
  toolChoice: z.unknown().optional(),
};

export const modelOptionField = {
  model: z.custom(
    (value) => typeof read(value, "bindTools") === "function",
    "a chat model with a `bindTools` method",
  ),
};
