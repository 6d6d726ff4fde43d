/** Which tools hold a term, and how much that says for them: the inverted index of one session. */

import type { ToolTerms } from "./tool-terms.js";

/** BM25 (Robertson and Zaragoza 2009): how soon repetition saturates, and how much a long tool is discounted. */
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

/** All terms of all tools, sorted, with repeats. */
function collectTerms(tools: readonly ToolTerms[]): Uint32Array {
  const lists = tools.flatMap(({ words, pairs, letters }) => [words, pairs, letters]);
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

/** The distinct terms of a sorted list, and where each begins in it. */
function groupTerms(sorted: Uint32Array): Pick<TermTable, "terms" | "starts"> {
  const starts: number[] = [];
  for (let at = 0; at < sorted.length; at += 1) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) starts.push(at);
  }
  return {
    terms: Uint32Array.from(starts, (start) => sorted[start] as number),
    starts: Uint32Array.from([...starts, sorted.length]),
  };
}

/** Builds the table of a session. */
export function buildTermTable(tools: readonly ToolTerms[]): TermTable {
  const sorted = collectTerms(tools);
  const table: TermTable = {
    toolCount: tools.length,
    ...groupTerms(sorted),
    tools: new Uint32Array(sorted.length),
    impacts: new Float32Array(sorted.length),
  };
  const meanLength = tools.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length);
  const filled = new Uint32Array(table.terms.length);
  const add = (tool: number, term: number, impact: number): void => {
    const position = findTerm(table, term);
    const start = table.starts[position] as number;
    const count = (table.starts[position + 1] as number) - start;
    const slot = start + (filled[position] as number);
    table.tools[slot] = tool;
    table.impacts[slot] = impact * weighTerm(count, tools.length);
    filled[position] = (filled[position] as number) + 1;
  };
  for (const [tool, { words, counts, length, pairs, letters }] of tools.entries()) {
    const norm = saturation * (1 - lengthShare + (lengthShare * length) / Math.max(1, meanLength));
    for (const [at, word] of words.entries()) {
      const count = counts[at] as number;
      add(tool, word, (count * wordCeiling) / (count + norm));
    }
    for (const pair of pairs) add(tool, pair, pairWeight);
    for (const group of letters) add(tool, group, lettersWeight / Math.sqrt(letters.length + 3));
  }
  return table;
}
