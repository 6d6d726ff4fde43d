/**
 * Reads a tool of any common shape: OpenAI, Anthropic, MCP, Bedrock, LangChain. Tools that it
 * cannot name are `null`: pinned.
 */

import * as z from "zod";
import { read } from "./read.js";
import type { JsonSchema, ToolDescription } from "./types.js";

function readString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * JSON Schema of a zod 4 schema or of JSON Schema itself; `undefined` for everything else, zod 3
 * included.
 */
function toSchema(schema: unknown): JsonSchema | undefined {
  if (!isPlainObject(schema)) return undefined;
  if (read(schema, "_zod") !== undefined) {
    try {
      return z.toJSONSchema(schema as unknown as z.ZodType, {
        io: "input",
        unrepresentable: "any",
      });
    } catch {
      return undefined;
    }
  }
  return read(schema, "_def") === undefined ? schema : undefined;
}

function toDescription(
  name: unknown,
  details: { readonly description: unknown; readonly schema: unknown; readonly metadata?: unknown },
): ToolDescription | null {
  if (typeof name !== "string" || name === "") return null;
  return {
    name,
    description: readString(details.description),
    parameters: toSchema(details.schema),
    metadata: isPlainObject(details.metadata) ? details.metadata : undefined,
  };
}

/** Types of dicts that describe a tool of the caller; any other type is a tool of the provider. */
const ownTypes: ReadonlySet<unknown> = new Set([undefined, "function", "custom"]);

/**
 * Reads a tool.
 *
 * Understood: OpenAI Chat (`{ type: "function", function }`) and Responses (`{ type: "function",
 * name, parameters }`), Anthropic (`input_schema`), MCP (`inputSchema`), Bedrock (`{ toolSpec }`),
 * LangChain tools (`schema` in zod 4 or JSON Schema). Built-ins of a provider, lists of Google
 * function declarations and dicts without a name give `null`.
 */
export function describeTool(tool: unknown): ToolDescription | null {
  if (read(read(tool, "extras"), "providerToolDefinition") !== undefined) return null;
  if (!ownTypes.has(read(tool, "type"))) return null;
  const inner = [read(tool, "function"), read(tool, "custom"), read(tool, "toolSpec")].find(
    isPlainObject,
  );
  const source = inner ?? tool;
  const bedrock = read(source, "inputSchema");
  const schema = [
    read(source, "parameters"),
    read(source, "input_schema"),
    read(bedrock, "json") ?? bedrock,
    read(source, "schema"),
  ].find((found) => found !== undefined);
  return toDescription(read(source, "name"), {
    description: read(source, "description"),
    schema,
    metadata: read(tool, "metadata"),
  });
}
