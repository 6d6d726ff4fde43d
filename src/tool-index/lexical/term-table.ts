/** Which tools hold a term, and how much that says for them: the inverted index of one session. */

import type { Slices } from "../../core/slices.js";
import type { ToolTerms } from "./tool-terms.js";

/**
 * BM25 (Robertson and Zaragoza 2009): how soon repetition saturates, and how much a long tool is
 * discounted.
 */
const saturation = 1.2;
const lengthShare = 0.75;

/** What a pair of words and a group of letters add, beside the words themselves. */
const pairWeight = 0.3;
const lettersWeight = 0.1;

/** Tools of each term, in one array behind another. */
export interface TermTable {
  readonly toolCount: number;
  /** Sorted, each once. */
  readonly terms: Uint32Array;
  /** Where the tools of a term begin; those of the next term end it. */
  readonly starts: Uint32Array;
  readonly tools: Uint32Array;
  /** What the term adds to the score of the tool. */
  readonly impacts: Float32Array;
}

/** How much a term says that `count` of `total` tools hold: the rarer, the more. Never negative. */
export function weighTerm(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

/** The most that a word can add to a score, by its weight. */
export const wordCeiling: number = saturation + 1;

/** Position of a term in the table; -1 if no tool holds it. */
export function findTerm({ terms }: TermTable, term: number): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = terms[middle] as number;
    if (found === term) return middle;
    if (found < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Terms of one part of all hashes: sorting all at once would hold the event loop. */
const partCount = 32;
const partBits = 32 - Math.log2(partCount);

/** How many terms each part has. */
function sizeParts(lists: readonly Uint32Array[]): Uint32Array {
  const sizes = new Uint32Array(partCount);
  for (const list of lists) {
    for (const term of list) sizes[term >>> partBits] = (sizes[term >>> partBits] as number) + 1;
  }
  return sizes;
}

/** All terms of all tools, sorted, with repeats. */
async function collectTerms(lists: readonly Uint32Array[], slices: Slices): Promise<Uint32Array> {
  const sizes = sizeParts(lists);
  const starts = new Uint32Array(partCount + 1);
  for (const [part, size] of sizes.entries()) starts[part + 1] = (starts[part] as number) + size;
  const all = new Uint32Array(starts[partCount] as number);
  const next = starts.slice();
  for (const list of lists) {
    for (const term of list) {
      const part = term >>> partBits;
      all[next[part] as number] = term;
      next[part] = (next[part] as number) + 1;
    }
  }
  for (let part = 0; part < partCount; part += 1) {
    await slices.pause();
    all.subarray(starts[part], starts[part + 1]).sort();
  }
  return all;
}

/** The distinct terms of a sorted list, and where each begins in it. */
function groupTerms(sorted: Uint32Array): Pick<TermTable, "terms" | "starts"> {
  const starts = new Uint32Array(sorted.length + 1);
  const terms = new Uint32Array(sorted.length);
  let count = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    if (at > 0 && sorted[at] === sorted[at - 1]) continue;
    starts[count] = at;
    terms[count] = sorted[at] as number;
    count += 1;
  }
  starts[count] = sorted.length;
  return { terms: terms.slice(0, count), starts: starts.slice(0, count + 1) };
}

type AddTerm = (tool: number, term: number, impact: number) => void;

/** Fills the places of the terms in the order in which tools come. */
function createAdder(table: TermTable): AddTerm {
  const filled = new Uint32Array(table.terms.length);
  return (tool, term, impact) => {
    const position = findTerm(table, term);
    const start = table.starts[position] as number;
    const count = (table.starts[position + 1] as number) - start;
    const slot = start + (filled[position] as number);
    table.tools[slot] = tool;
    table.impacts[slot] = impact * weighTerm(count, table.toolCount);
    filled[position] = (filled[position] as number) + 1;
  };
}

function addTool(
  add: AddTerm,
  tool: number,
  { words, counts, length, pairs, letters }: ToolTerms,
  meanLength: number,
): void {
  const norm = saturation * (1 - lengthShare + (lengthShare * length) / meanLength);
  for (const [at, word] of words.entries()) {
    const count = counts[at] as number;
    add(tool, word, (count * wordCeiling) / (count + norm));
  }
  for (const pair of pairs) add(tool, pair, pairWeight);
  for (const group of letters) add(tool, group, lettersWeight / Math.sqrt(letters.length + 3));
}

/** Builds the table of a session. */
export async function buildTermTable(
  tools: readonly ToolTerms[],
  slices: Slices,
): Promise<TermTable> {
  const lists = tools.flatMap(({ words, pairs, letters }) => [words, pairs, letters]);
  const sorted = await collectTerms(lists, slices);
  const table: TermTable = {
    toolCount: tools.length,
    ...groupTerms(sorted),
    tools: new Uint32Array(sorted.length),
    impacts: new Float32Array(sorted.length),
  };
  const total = tools.reduce((sum, { length }) => sum + length, 0);
  const meanLength = Math.max(1, total / Math.max(1, tools.length));
  const add = createAdder(table);
  for (const [tool, terms] of tools.entries()) {
    await slices.pause();
    addTool(add, tool, terms, meanLength);
  }
  return table;
}
