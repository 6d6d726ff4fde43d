/**
 * A tool as prompts show it: plain text only, well-formed, bounded, without invisible characters.
 */

import { toJson } from "../core/json.js";
import type { ResolvedJudgeLimits } from "../core/limits.js";
import { listSchemaProperties } from "../core/schema-properties.js";
import { cleanText, cutText } from "../core/text.js";
import type { JsonSchema, ToolDescription } from "../core/types.js";

export interface PromptTool {
  readonly name: string;
  readonly description: string;
  /** JSON text of the schema; absent if there is none, or if it cannot be serialised. */
  readonly parameters?: string | undefined;
}

const maxNameChars = 256;

/** The part of a cut schema that may go to the names of properties behind the cut. */
const nameShare = 1 / 4;

/**
 * Names of properties that a head of the schema does not show, as text of at most so many
 * characters.
 */
function listHiddenNames(schema: JsonSchema, head: string, maxChars: number): string {
  const names = new Set(
    listSchemaProperties(schema).map(({ name }) => JSON.stringify(cleanText(name))),
  );
  let text = "… properties:";
  let isEmpty = true;
  for (const name of names) {
    if (head.includes(`${name}:`) || text.length + name.length + 1 > maxChars) continue;
    text += ` ${name}`;
    isEmpty = false;
  }
  return isEmpty ? "" : text;
}

/**
 * JSON text of a schema within a number of characters: its head, and the names of properties that
 * the cut has hidden. A schema may refer to itself, or repeat a part without end: its text is
 * bounded before it is cut.
 */
function writeSchema(schema: JsonSchema, maxChars: number): string | null {
  const json = toJson(schema);
  if (json === null) return null;
  const text = cleanText(json);
  if (text.length <= maxChars) return text;
  const nameChars = Math.floor(maxChars * nameShare);
  const names = listHiddenNames(schema, cutText(text, maxChars - nameChars), nameChars);
  return cutText(text, maxChars - names.length) + names;
}

/** Renders a tool for a prompt, within the limits. */
export function toPromptTool(tool: ToolDescription, limits: ResolvedJudgeLimits): PromptTool {
  const name = cutText(cleanText(tool.name), maxNameChars);
  const description = cutText(cleanText(tool.description ?? ""), limits.descriptionChars);
  const { parameters } = tool;
  const schema = parameters === undefined ? null : writeSchema(parameters, limits.schemaChars);
  // No key without a value: some services refuse it.
  return schema === null ? { name, description } : { name, description, parameters: schema };
}
