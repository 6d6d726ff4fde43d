/** How well each tool fits a query, as numbers: matching words and close meaning. What compares the tools is in standing.ts. */

import { featureCount, fitFeatures, type FitFeature } from "./feature-names.js";
import type { Query } from "./query.js";
import { compareTools } from "./standing.js";
import { closeness, type ToolProfile } from "./tool-profile.js";
import { WordMatches } from "./word-matches.js";
import { dot, type WordTable } from "./word-table.js";

/** Column of a query word, beside how often a tool uses it. */
interface Hit {
  readonly column: number;
  readonly count: number;
}

/** The query's words in the light of the tools at hand. */
interface QueryWords {
  readonly hits: readonly (readonly Hit[])[];
  readonly columnOf: ReadonlyMap<number, number>;
  /** By column: rarer among these tools, or in general, weighs more. */
  readonly weights: Float32Array;
  readonly weightSum: number;
  readonly meanLength: number;
}

/** Share of a word's weight that does not depend on how many of the tools use it. */
const steadyShare = 0.3;

function weighWords(table: WordTable, tools: readonly ToolProfile[], query: Query): QueryWords {
  const columnOf = new Map(Array.from(query.words, (id, index) => [id, index]));
  const holders = new Float32Array(query.words.length);
  const hits = tools.map(({ words, counts }) => {
    const found: Hit[] = [];
    words.forEach((id, index) => {
      const at = columnOf.get(id);
      if (at === undefined) return;
      found.push({ column: at, count: counts[index] as number });
      holders[at] = (holders[at] as number) + 1;
    });
    return found;
  });
  const rarest = Math.log(1 + (tools.length + 0.5) / 0.5);
  const weights = holders.map((holding, at) => {
    const rarity = Math.log(1 + (tools.length - holding + 0.5) / (holding + 0.5)) / rarest;
    return (steadyShare + (1 - steadyShare) * rarity) * table.weightOf(query.words[at] as number);
  });
  return {
    hits,
    columnOf,
    weights,
    weightSum: Math.max(
      1e-9,
      weights.reduce((sum, weight) => sum + weight, 0),
    ),
    meanLength: Math.max(1, tools.reduce((sum, { length }) => sum + length, 0) / tools.length),
  };
}

/** How close tools of all kinds come to a query. */
interface Background {
  readonly mean: number;
  readonly deviation: number;
  /** Ascending. */
  readonly values: Float32Array;
}

function againstBackground(
  { background }: WordTable,
  directions: readonly Float32Array[],
): Background {
  const values = Float32Array.from(background, (tool) =>
    directions.reduce((most, direction) => Math.max(most, dot(direction, tool)), -1),
  ).sort();
  const count = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  return { mean, deviation: Math.sqrt(variance) + 0.02, values };
}

function standsOut(value: number, { mean, deviation }: Background): number {
  return (value - mean) / deviation;
}

/** Log of the share of background tools that come closer. */
function logShareAbove(value: number, { values }: Background): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return Math.log((values.length - low + 0.5) / (values.length + 1));
}

function countMarked(buckets: Int32Array, marks: Uint8Array): number {
  let marked = 0;
  for (const bucket of buckets) marked += marks[bucket] as number;
  return marked;
}

/** Share of a tool's parameter words that the query uses. */
function parameterCover({ parameters }: ToolProfile, { columnOf }: QueryWords): number {
  let spoken = 0;
  for (const id of parameters) if (columnOf.has(id)) spoken += 1;
  return spoken / Math.max(1, parameters.length);
}

/** Share of a field's words, by weight, that the query holds: the very word, or one close to it. */
function fieldCover(
  table: WordTable,
  matches: WordMatches,
  ids: Int32Array,
): { readonly exact: number; readonly soft: number } {
  let total = 0;
  let exact = 0;
  let soft = 0;
  for (const id of ids) {
    const weight = table.weightOf(id);
    const best = matches.best(matches.rowOf(id));
    total += weight;
    soft += weight * best;
    if (best === 1) exact += weight;
  }
  return total === 0 ? { exact: 0, soft: 0 } : { exact: exact / total, soft: soft / total };
}

/** Share of the query's words, by weight, that a tool holds: the very word, or one close to it. */
function softQueryCover(
  { weights, weightSum }: QueryWords,
  matches: WordMatches,
  { name, lead }: ToolProfile,
  hits: readonly Hit[],
  best: Float32Array,
): number {
  best.fill(0);
  for (const { column: at } of hits) best[at] = 1;
  for (const ids of [name, lead]) {
    for (const id of ids) {
      const row = matches.rowOf(id);
      if (matches.best(row) === 0) continue;
      for (let at = 0; at < matches.width; at += 1) {
        const value = matches.at(row, at);
        if (value > (best[at] as number)) best[at] = value;
      }
    }
  }
  let soft = 0;
  for (let at = 0; at < matches.width; at += 1) {
    soft += (weights[at] as number) * (best[at] as number);
  }
  return soft / weightSum;
}

/** BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009), and the share of the query's weight that is matched. */
function lexicalScore(
  { weights, weightSum, meanLength }: QueryWords,
  length: number,
  hits: readonly Hit[],
): { readonly bm25: number; readonly cover: number } {
  const norm = 1.2 * (0.25 + 0.75 * (length / meanLength));
  let bm25 = 0;
  let covered = 0;
  for (const { column: at, count } of hits) {
    const weight = weights[at] as number;
    bm25 += (weight * count * 2.2) / (count + norm);
    covered += weight;
  }
  return { bm25, cover: covered / weightSum };
}

/** Closeness in meaning of a tool and its name to a query: to the whole, or to the clause that comes closest. */
function meaningOf(
  tool: ToolProfile,
  { vector, clauses }: Query,
): { readonly whole: number; readonly clause: number; readonly name: number } {
  const whole = closeness(tool, vector);
  let clause = whole;
  let name = dot(tool.nameVector, vector);
  for (const direction of clauses) {
    clause = Math.max(clause, closeness(tool, direction));
    name = Math.max(name, dot(tool.nameVector, direction));
  }
  return { whole, clause, name };
}

/**
 * Computes the features of all tools against one query, row by row; yields after every tool, so that the work can be
 * spread.
 */
export function* computeFeatures(
  table: WordTable,
  tools: readonly ToolProfile[],
  query: Query,
): Generator<void, Float32Array> {
  const rows = new Float32Array(tools.length * featureCount);
  const matches = new WordMatches(table, query.words);
  const words = weighWords(table, tools, query);
  yield;
  const wholeBackground = againstBackground(table, [query.vector]);
  const clauseBackground = againstBackground(table, [query.vector, ...query.clauses]);
  const scratch = new Float32Array(matches.width);
  yield;
  for (const [index, tool] of tools.entries()) {
    const hits = words.hits[index] as readonly Hit[];
    const { bm25, cover } = lexicalScore(words, tool.length, hits);
    const name = fieldCover(table, matches, tool.name);
    const lead = fieldCover(table, matches, tool.lead);
    const meaning = meaningOf(tool, query);
    const echoed = countMarked(tool.pairs, query.pairs);
    writeFit(rows, index, {
      bm25,
      queryCover: cover,
      nameCover: name.exact,
      leadCover: lead.exact,
      parameterCover: parameterCover(tool, words),
      nameTrigrams: countMarked(tool.trigrams, query.trigrams) / Math.max(1, tool.trigrams.length),
      echo: echoed / Math.max(1, query.pairCount),
      echoCount: echoed,
      meaning: meaning.whole,
      clauseMeaning: meaning.clause,
      nameMeaning: meaning.name,
      softQueryCover: softQueryCover(words, matches, tool, hits, scratch),
      softNameCover: name.soft,
      softLeadCover: lead.soft,
      meaningAgainstBackground: standsOut(meaning.whole, wholeBackground),
      clauseAgainstBackground: standsOut(meaning.clause, clauseBackground),
      backgroundShare: logShareAbove(meaning.clause, clauseBackground),
      toolKnown: tool.known,
      queryLength: Math.log1p(query.words.length),
      queryKnown: query.known,
      clauseCount: query.clauses.length,
      batchSize: Math.log(tools.length),
    });
    yield;
  }
  yield* compareTools(rows, tools);
  return rows;
}

function writeFit(
  rows: Float32Array,
  tool: number,
  values: Readonly<Record<FitFeature, number>>,
): void {
  const from = tool * featureCount;
  for (let at = 0; at < fitFeatures.length; at += 1) {
    rows[from + at] = values[fitFeatures[at] as FitFeature];
  }
}
