/** How much of a tool reaches a judge's prompt. The tool itself is never shortened. */

import * as z from "zod";
import type { ToolDescription } from "./types.js";
import { integerFrom } from "./parse-options.js";
import { toJson } from "./json.js";
import { cleanText, cutText } from "./text.js";

export const judgeLimitsSchema = z.strictObject({
  descriptionChars: integerFrom(1).default(2000),
  schemaChars: integerFrom(1).default(4000),
  batchChars: integerFrom(1).default(100_000),
});

/** Caps in characters (UTF-16 units) on what a prompt carries of the tools. */
export interface JudgeLimits {
  /** Of one description; the head is kept. Default 2,000. */
  readonly descriptionChars?: number | undefined;
  /** Of one parameter schema, as JSON; the head is kept. Default 4,000. */
  readonly schemaChars?: number | undefined;
  /** Of one batch, all its tools together; a larger one is split, never trimmed. Default 100,000. */
  readonly batchChars?: number | undefined;
}

export type ResolvedJudgeLimits = z.output<typeof judgeLimitsSchema>;

/** A tool as a prompt shows it: plain strings only, bounded, without invisible characters. */
export interface PromptTool {
  readonly name: string;
  readonly description: string;
  /** JSON text of the schema; absent if there is none, or if it cannot be serialised. */
  readonly parameters?: string | undefined;
}

/** Renders a tool for a prompt, within the limits. */
export function toPromptTool(tool: ToolDescription, limits: ResolvedJudgeLimits): PromptTool {
  const name = cutText(cleanText(tool.name), 256);
  const description = cutText(cleanText(tool.description ?? ""), limits.descriptionChars);
  const schema = tool.parameters === undefined ? null : toJson(tool.parameters);
  // No key without a value: some services refuse it.
  if (schema === null) return { name, description };
  return { name, description, parameters: cutText(cleanText(schema), limits.schemaChars) };
}
