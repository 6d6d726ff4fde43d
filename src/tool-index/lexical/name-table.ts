/** Finds tools by name: the whole name in any case, or the part behind its last namespace. */

import type { ToolDescription } from "../../core/types.js";

const namespaceEnd = /__|[./:]/;
const edges = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu;
/** A word that looks like an identifier; a plain word may be meant as a word. */
const identifier = /[\p{L}\p{N}][._/:-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}/u;
/** More of a query is not read for names. */
const maxChars = 8000;

/** Positions of tools by lower-case name. */
export type NameTable = ReadonlyMap<string, readonly number[]>;

/** Builds the table of a session. */
export function buildNameTable(tools: readonly ToolDescription[]): NameTable {
  const table = new Map<string, number[]>();
  for (const [position, { name }] of tools.entries()) {
    const local = name.split(namespaceEnd).at(-1) ?? "";
    const keys = identifier.test(local) ? [name, local] : [name];
    for (const key of new Set(keys.map((one) => one.toLowerCase()))) {
      table.set(key, [...(table.get(key) ?? []), position]);
    }
  }
  return table;
}

/**
 * Tools that a query names: all of it is the name, or one of its words is and looks like an
 * identifier.
 */
export function findNamedTools(
  table: NameTable,
  query: string,
): { readonly whole: readonly number[]; readonly mentioned: readonly number[] } {
  const text = query.slice(0, maxChars).trim();
  const whole =
    table.get(text.toLowerCase()) ?? table.get(text.replaceAll(edges, "").toLowerCase());
  const mentioned = text
    .split(/\s+/)
    .map((word) => word.replaceAll(edges, ""))
    .filter((word) => identifier.test(word))
    .flatMap((word) => table.get(word.toLowerCase()) ?? []);
  return { whole: whole ?? [], mentioned };
}
