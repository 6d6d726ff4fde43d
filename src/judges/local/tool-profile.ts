/** The words of a tool by field, read once for each description object. */

import { listSchemaProperties } from "../../core/schema-properties.js";
import type { ToolDescription } from "../../core/types.js";
import { isStopWord, splitWords, stem } from "../../core/words.js";

/** A tool, ready to be matched by words. */
export interface ToolProfile {
  /** Stems of the name, each once. */
  readonly name: readonly string[];
  /** The description without its numbers: equal in tools that are made to fill a catalog. */
  readonly prose: string;
  /** The name as it is, in lower case. */
  readonly plainName: string;
  /** The server or the kit that it seems to come from. */
  readonly server: string;
  /** Stems of the parameters' names. */
  readonly parameters: ReadonlySet<string>;
  /** How often each stem counts: in the name three times, in a parameter half. */
  readonly counts: ReadonlyMap<string, number>;
  /** Sum of the counts. */
  readonly length: number;
  /** Pairs of neighbouring stems in name and description. */
  readonly pairs: ReadonlySet<string>;
}

const limits = { nameChars: 200, proseChars: 1200, hintChars: 1000, schemaChars: 1500 };
const maxProperties = 40;
const weights = { name: 3, prose: 1, parameters: 0.5 };

/** Stems of the words that say something, in order. */
export function readStems(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !isStopWord(word))
    .map(stem);
}

/** Pairs of neighbours. */
export function readPairs(stems: readonly string[]): ReadonlySet<string> {
  return new Set(stems.slice(1).map((word, index) => `${stems[index]} ${word}`));
}

/** `filesystem__read_file` comes from `filesystem`; a tool without such a prefix is known by the first word of its name. */
function findServer({ name, group }: ToolDescription): string {
  if (group !== undefined) return group;
  const prefix = /^(.+?)(?:__|[.:/])/u.exec(name)?.[1];
  return prefix ?? splitWords(name)[0] ?? "";
}

/** Reads a tool; `hints` are example requests for it. */
export function readToolProfile(tool: ToolDescription, hints: readonly string[]): ToolProfile {
  const properties = listSchemaProperties(tool.parameters, { maxProperties });
  const schema = properties.map(({ name, description }) => `${name}\n${description}`).join("\n");
  const examples = hints.map((hint) => hint.slice(0, limits.hintChars));
  const description = (tool.description ?? "").slice(0, limits.proseChars);
  const prose = [description, tool.group ?? ""];
  const fields = {
    name: readStems(tool.name.slice(0, limits.nameChars)),
    prose: readStems([...prose, ...examples].join("\n")),
    parameters: readStems(schema.slice(0, limits.schemaChars)),
  };
  const counts = new Map<string, number>();
  let length = 0;
  for (const field of ["name", "prose", "parameters"] as const) {
    for (const word of fields[field]) counts.set(word, (counts.get(word) ?? 0) + weights[field]);
    length += fields[field].length * weights[field];
  }
  return {
    name: [...new Set(fields.name)],
    prose: description.replaceAll(/\d+/gu, "").toLowerCase(),
    plainName: tool.name.slice(0, limits.nameChars).toLowerCase(),
    server: findServer(tool),
    parameters: new Set(properties.flatMap(({ name }) => readStems(name))),
    counts,
    length,
    pairs: readPairs([...fields.name, ...fields.prose]),
  };
}
