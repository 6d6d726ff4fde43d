/**
 * Reads a file of tools as people have them: a JSON list, or one wrapped in the reply of an API or
 * an MCP server.
 */

import { ToolSieveError } from "../errors.js";
import { describeTool } from "../core/describe.js";
import type { Catalog } from "../evaluation/catalog.js";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unwrap(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Reflect.get(value, "tools") ?? unwrap(Reflect.get(value, "result") ?? undefined);
}

/**
 * The tools of a JSON list, of `{tools: […]}` or of `{result: {tools: […]}}`; `null` if the text is
 * none of these.
 */
export function parseToolList(text: string): readonly unknown[] | null {
  const list = unwrap(parseJson(text));
  return Array.isArray(list) ? list : null;
}

/**
 * The tools of a JSON list in any of its wrappers, or of JSONL with one tool a line.
 *
 * @throws {ToolSieveError} if there is no tool.
 */
export function parseTools(text: string): readonly unknown[] {
  const list = parseToolList(text);
  if (list !== null && list.length > 0) return list;
  const tools = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseJson);
  if (tools.length > 0 && tools.every((tool) => describeTool(tool) !== null)) return tools;
  throw new ToolSieveError("Expected a JSON list of tools, {tools: […]}, or one tool a line.");
}

/** A catalog with the names of the tools as their ids. */
export function toCatalog(tools: readonly unknown[]): Catalog {
  const described = tools.flatMap((tool) => describeTool(tool) ?? []);
  return new Map(described.map((tool) => [tool.name, tool]));
}
