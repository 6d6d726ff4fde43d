/**
 * Scores the tools of a session for a query: as a whole, and by the clause that fits a tool best.
 */

import { isStopWord, splitWords } from "../../core/words.js";
import { hashLetters, hashPairs, hashWord, listStems } from "./tool-terms.js";
import { listSynonyms } from "./synonyms.js";
import { findTerm, weighTerm, wordCeiling, type TermTable } from "./term-table.js";

const clauseEnd =
  /[.!?;:,\n。！？；，、]+|\b(?:and|then|also|after|before|finally|plus|additionally|furthermore)\b/iu;
const maxClauses = 16;
/** More of a query is not read. */
const maxChars = 8000;

/** What a repeated word, a synonym and the best clause count, beside a word. */
const repeatWeight = 0.3;
const synonymWeight = 0.3;
const clauseWeight = 0.7;

interface Scores {
  readonly values: Float64Array;
  /** The most that the words of the text can reach. */
  readonly ceiling: number;
}

/** Calls back with each tool that holds a term and what the term adds. */
function visitTerm(
  table: TermTable,
  term: number,
  visit: (tool: number, impact: number) => void,
): number {
  const position = findTerm(table, term);
  if (position < 0) return 0;
  const start = table.starts[position] as number;
  const end = table.starts[position + 1] as number;
  for (let at = start; at < end; at += 1) {
    visit(table.tools[at] as number, table.impacts[at] as number);
  }
  return end - start;
}

function countStems(stems: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stemmed of stems) counts.set(stemmed, (counts.get(stemmed) ?? 0) + 1);
  return counts;
}

/**
 * Adds words and their synonyms; of a word and its synonyms one counts for a tool, the word itself
 * first.
 */
function addWords(table: TermTable, stems: readonly string[], values: Float64Array): number {
  const lastWord = new Int32Array(table.toolCount);
  let word = 0;
  let ceiling = 0;
  for (const [stemmed, count] of countStems(stems)) {
    word += 1;
    const weight = 1 + repeatWeight * (count - 1);
    const add = (factor: number) => (tool: number, impact: number) => {
      if (lastWord[tool] === word) return;
      lastWord[tool] = word;
      values[tool] = (values[tool] as number) + factor * impact;
    };
    const found = visitTerm(table, hashWord(stemmed), add(weight));
    for (const synonym of listSynonyms(stemmed)) {
      visitTerm(table, hashWord(synonym), add(weight * synonymWeight));
    }
    // A word that no tool uses may be a name or a number: it counts as one that a tenth of the
    // tools use.
    const holders = found === 0 ? table.toolCount / 10 : found;
    ceiling += weight * wordCeiling * weighTerm(holders, table.toolCount);
  }
  return ceiling;
}

function scoreText(table: TermTable, stems: readonly string[]): Scores {
  const values = new Float64Array(table.toolCount);
  const ceiling = addWords(table, stems, values);
  for (const pair of hashPairs(stems)) {
    visitTerm(table, pair, (tool, impact) => {
      values[tool] = (values[tool] as number) + impact;
    });
  }
  return { values, ceiling };
}

/** Adds to each tool the score of the clause that fits it best. */
function addClauses(table: TermTable, query: string, values: Float64Array): void {
  const clauses = query
    .split(clauseEnd)
    .map(listStems)
    .filter((stems) => stems.length > 0)
    .slice(0, maxClauses);
  if (clauses.length < 2) return;
  const best = new Float64Array(table.toolCount);
  for (const stems of clauses) {
    const clause = scoreText(table, stems).values;
    for (let tool = 0; tool < best.length; tool += 1) {
      if ((clause[tool] as number) > (best[tool] as number)) best[tool] = clause[tool] as number;
    }
  }
  for (let tool = 0; tool < best.length; tool += 1) {
    values[tool] = (values[tool] as number) + clauseWeight * (best[tool] as number);
  }
}

/**
 * Adds what speaks for a name that holds at least half of a word's letter groups: a part of it, or
 * a misspelt one.
 */
function addLetters(table: TermTable, query: string, values: Float64Array): void {
  const words = new Set(splitWords(query).filter((word) => !isStopWord(word)));
  for (const word of words) {
    const groups = hashLetters(word);
    const shared = new Map<number, { count: number; impact: number }>();
    for (const group of groups) {
      visitTerm(table, group, (tool, impact) => {
        const { count, impact: sum } = shared.get(tool) ?? { count: 0, impact: 0 };
        shared.set(tool, { count: count + 1, impact: sum + impact });
      });
    }
    for (const [tool, { count, impact }] of shared) {
      if (2 * count >= groups.length) values[tool] = (values[tool] as number) + impact;
    }
  }
}

/** True for a query whose every word says nothing about a task. */
export function saysNothing(query: string): boolean {
  return listStems(query.slice(0, maxChars)).length === 0;
}

/** A score in [0, 1] for each tool: the share of what the words of the query can reach. */
export function scoreTools(table: TermTable, fullQuery: string): Float64Array {
  const query = fullQuery.slice(0, maxChars);
  const { values, ceiling } = scoreText(table, listStems(query));
  addClauses(table, query, values);
  addLetters(table, query, values);
  const most = Math.max(1e-9, ceiling * (1 + clauseWeight));
  return values.map((value) => Math.min(1, value / most));
}
