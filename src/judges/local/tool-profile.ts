/** What matching needs of a tool: its words by field, its vectors, the letter groups of its name. Computed once a tool. */

import type { JsonSchema, ToolDescription } from "../../core/types.js";
import { addWords, dot, idsOf, normalise, type WordTable } from "./word-table.js";

/** A tool, ready to be matched. Ids are those of the word table, without repeats, in order of first use. */
export interface ToolProfile {
  readonly name: Int32Array;
  /** The first words of the description: what comes later is examples and fine print, or stuffing. */
  readonly lead: Int32Array;
  readonly parameters: Int32Array;
  /** All words once, beside how often they count: name words three times, parameter words half. */
  readonly words: Int32Array;
  readonly counts: Float32Array;
  /** Sum of the counts. */
  readonly length: number;
  readonly vector: Float32Array;
  readonly nameVector: Float32Array;
  /** Vectors of the example requests. */
  readonly hints: readonly Float32Array[];
  readonly trigrams: Int32Array;
  /** Buckets of its pairs of neighbouring words, in name and description. */
  readonly pairs: Int32Array;
  /** Words of name and description that the table knows; counted up to eight. */
  readonly known: number;
}

const limits = {
  nameChars: 200,
  proseChars: 2000,
  schemaTexts: 60,
  schemaChars: 2000,
  hintChars: 1000,
};
const caps = {
  name: 12,
  description: 80,
  lead: 24,
  paired: 120,
  parameters: 60,
  parameterLead: 24,
};
const fieldWeights = { name: 2, description: 1, parameters: 0.3 };
const countWeights = { name: 3, description: 1, parameters: 0.5 };
const maxDepth = 4;
const knownEnough = 8;

function collectTexts(schema: unknown, depth: number, into: string[]): void {
  if (typeof schema !== "object" || schema === null || depth > maxDepth) return;
  const { properties, description, items } = schema as JsonSchema;
  if (depth > 0 && typeof description === "string") into.push(description);
  collectTexts(items, depth + 1, into);
  if (typeof properties !== "object" || properties === null) return;
  for (const [name, property] of Object.entries(properties)) {
    if (into.length >= limits.schemaTexts) return;
    into.push(name);
    collectTexts(property, depth + 1, into);
  }
}

/** Text of a schema: names and descriptions of its properties, nested ones included; of an unreadable one, what came before. */
export function schemaText(schema: JsonSchema | undefined): string {
  const texts: string[] = [];
  try {
    collectTexts(schema, 0, texts);
  } catch {
    // A getter or a proxy that throws: the tool is judged by the rest.
  }
  return texts.join("\n").slice(0, limits.schemaChars);
}

/** Number of buckets that letter groups fall into. */
export const trigramBuckets: number = 1 << 15;

/** Buckets of the letter groups of three of a text's letters and digits, in lower case. */
export function trigramsOf(text: string): Int32Array {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  const trigrams = new Set<number>();
  for (let index = 0; index + 3 <= letters.length; index += 1) {
    const mixed =
      (letters.charCodeAt(index) * 37 + letters.charCodeAt(index + 1)) * 37 +
      letters.charCodeAt(index + 2);
    trigrams.add(mixed & (trigramBuckets - 1));
  }
  return Int32Array.from(trigrams);
}

/** Number of buckets that pairs of words fall into. */
export const pairBuckets: number = 1 << 15;

/** Buckets of the pairs of neighbouring words. */
export function pairsOf(ids: readonly number[]): Int32Array {
  const pairs = new Set<number>();
  for (let index = 0; index + 1 < ids.length; index += 1) {
    const mixed = Math.imul(ids[index] as number, 0x9e3779b1) ^ (ids[index + 1] as number);
    pairs.add((mixed ^ (mixed >>> 15)) & (pairBuckets - 1));
  }
  return Int32Array.from(pairs);
}

/** Mean direction of words. */
export function meanVector(table: WordTable, ids: Iterable<number>): Float32Array {
  const sum = new Float32Array(table.dimensions);
  addWords(table, sum, ids, 1);
  return normalise(sum);
}

function first(ids: readonly number[], cap: number): Int32Array {
  return Int32Array.from([...new Set(ids)].slice(0, cap));
}

interface Counted {
  readonly words: Int32Array;
  readonly counts: Float32Array;
  readonly length: number;
}

function countWords(
  fields: readonly (readonly [ids: readonly number[], weight: number])[],
): Counted {
  const counts = new Map<number, number>();
  let length = 0;
  for (const [ids, weight] of fields) {
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + weight);
    length += ids.length * weight;
  }
  return {
    words: Int32Array.from(counts.keys()),
    counts: Float32Array.from(counts.values()),
    length,
  };
}

/** Reads a tool; `hints` are example requests for it, which count as words of its description too. */
export function profileTool(
  table: WordTable,
  tool: ToolDescription,
  hints: readonly string[],
): ToolProfile {
  const prose = (tool.description ?? "").slice(0, limits.proseChars);
  const examples = hints.map((hint) => hint.slice(0, limits.hintChars));
  const nameIds = idsOf(table, tool.name.slice(0, limits.nameChars));
  const proseIds = idsOf(table, [prose, ...examples, tool.group ?? ""].join("\n"));
  const schemaIds = idsOf(table, schemaText(tool.parameters));
  const name = first(nameIds, caps.name);
  const description = first(proseIds, caps.description);
  const parameters = first(schemaIds, caps.parameters);
  const vector = new Float32Array(table.dimensions);
  addWords(table, vector, name, fieldWeights.name);
  addWords(table, vector, description, fieldWeights.description);
  addWords(table, vector, parameters, fieldWeights.parameters);
  const known = [...name, ...description].filter((id) => id < table.size).length;
  return {
    name,
    lead: description.slice(0, caps.lead),
    parameters: parameters.slice(0, caps.parameterLead),
    ...countWords([
      [nameIds, countWeights.name],
      [proseIds, countWeights.description],
      [schemaIds, countWeights.parameters],
    ]),
    vector: normalise(vector),
    nameVector: meanVector(table, name),
    hints: examples.map((hint) => meanVector(table, new Set(idsOf(table, hint)))),
    pairs: pairsOf([...nameIds, ...proseIds.slice(0, caps.paired)]),
    trigrams: trigramsOf(tool.name.slice(0, limits.nameChars)),
    known: Math.min(knownEnough, known),
  };
}

/** Closeness of a tool to a direction: its own, or that of the example request that comes closest. */
export function closeness(tool: ToolProfile, direction: Float32Array): number {
  let closest = dot(tool.vector, direction);
  for (const hint of tool.hints) closest = Math.max(closest, dot(hint, direction));
  return closest;
}
