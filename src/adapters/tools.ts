/** Reads LangChain tools, and finds the duplicates that the host cannot carry through a middleware. */

import { Runnable } from "@langchain/core/runnables";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { describeTool } from "../core/describe.js";
import type { JsonSchema, ToolDescription } from "../core/types.js";
import { read, readText } from "./read.js";

/** Schemas that only LangChain can convert: zod 3, and other libraries with the standard interface. */
function isForeignSchema(schema: unknown): boolean {
  return (
    read(schema, "_zod") === undefined &&
    (read(schema, "_def") !== undefined || read(schema, "~standard") !== undefined)
  );
}

function convert(schema: unknown): JsonSchema | undefined {
  try {
    const json: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
    return json === schema ? undefined : (json as JsonSchema);
  } catch {
    return undefined;
  }
}

/**
 * Reads a tool of any shape that an agent accepts; `null` (a provider's own tool, or one without a name) pins it.
 *
 * A schema that cannot be converted leaves the tool without `parameters`; nothing throws.
 */
export function describeLangChainTool(tool: unknown): ToolDescription | null {
  const description = describeTool(tool);
  const schema = read(tool, "schema");
  if (description === null || !isForeignSchema(schema)) return description;
  const { parameters: _unconverted, ...rest } = description;
  const parameters = convert(schema);
  return parameters === undefined ? rest : { ...rest, parameters };
}

function isExecutable(tool: unknown): boolean {
  try {
    return Runnable.isRunnable(tool);
  } catch {
    return false;
  }
}

/** Tools to offer, and the names of those that were left out because a later tool has the same name. */
export interface UniqueTools<T> {
  /** The very array that came in, where nothing was left out. */
  readonly tools: readonly T[];
  readonly duplicates: readonly string[];
}

/**
 * Keeps the last of several executable tools with one name.
 *
 * `createAgent` refuses the others as soon as any middleware wraps a model call. Plain dicts pass that check, and the same
 * object twice does as well; both stay.
 */
export function lastOfEachName<T>(tools: readonly T[]): UniqueTools<T> {
  const names = tools.map((tool) => (isExecutable(tool) ? readText(tool, "name") : undefined));
  const last = new Map(names.map((name, index) => [name, tools[index]]));
  const isShadowed = tools.map(
    (tool, index) => names[index] !== undefined && last.get(names[index]) !== tool,
  );
  if (!isShadowed.includes(true)) return { tools, duplicates: [] };
  return {
    tools: tools.filter((_tool, index) => isShadowed[index] !== true),
    duplicates: [
      ...new Set(names.filter((name, index) => name !== undefined && isShadowed[index] === true)),
    ].filter((name) => name !== undefined),
  };
}
