/** Reads a tool of any shape that a LangChain agent accepts. */

import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { describeTool } from "../core/describe.js";
import { read } from "../core/read.js";
import type { JsonSchema, ToolDescription } from "../core/types.js";

/**
 * Schemas that only LangChain can convert: zod 3, and other libraries with the standard interface.
 */
function isForeignSchema(schema: unknown): boolean {
  return (
    read(schema, "_zod") === undefined &&
    (read(schema, "_def") !== undefined || read(schema, "~standard") !== undefined)
  );
}

function toJsonSchemaSafely(schema: unknown): JsonSchema | undefined {
  try {
    const json: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
    return json === schema ? undefined : (json as JsonSchema);
  } catch {
    return undefined;
  }
}

/**
 * Reads a tool of any shape that an agent accepts; `null` (a provider's own tool, or one without a
 * name) pins it.
 *
 * A schema that cannot be converted leaves the tool without `parameters`; nothing throws.
 */
export function describeLangChainTool(tool: unknown): ToolDescription | null {
  const description = describeTool(tool);
  const schema = read(tool, "schema");
  if (description === null || !isForeignSchema(schema)) return description;
  return { ...description, parameters: toJsonSchemaSafely(schema) };
}
