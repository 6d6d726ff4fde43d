/** How the words of a text match those of the tools of a catalog: BM25, and what share of each the other covers. */

import { readStems, type ToolProfile } from "./tool-profile.js";

/** One text against all tools. */
export interface WordMatches {
  /** BM25 of every tool. */
  readonly scores: Float32Array;
  /** Share of the tool's name that the text has. */
  readonly nameCover: Float32Array;
  /** Share of the text that the tool has. */
  readonly textCover: Float32Array;
}

/** What matching needs of a catalog, computed once. */
export interface CatalogWords {
  readonly tools: readonly ToolProfile[];
  readonly meanLength: number;
  /** In how many names a stem is. */
  readonly nameHolders: ReadonlyMap<string, number>;
}

const maxWords = 64;
/** The usual constants of BM25. */
const saturation = 1.2;
const lengthShare = 0.75;

/** Reads a catalog. */
export function readCatalogWords(tools: readonly ToolProfile[]): CatalogWords {
  const nameHolders = new Map<string, number>();
  let length = 0;
  for (const tool of tools) {
    length += tool.length;
    for (const word of tool.name) nameHolders.set(word, (nameHolders.get(word) ?? 0) + 1);
  }
  return { tools, meanLength: length / Math.max(1, tools.length), nameHolders };
}

/** How rare a stem is among the names of a catalog. */
export function nameRarity({ tools, nameHolders }: CatalogWords, word: string): number {
  return Math.log(1 + tools.length / (nameHolders.get(word) ?? 0.5));
}

function rarity(holders: number, count: number): number {
  return Math.log(1 + (count - holders + 0.5) / (holders + 0.5));
}

/** Matches a text with every tool. */
export function matchWords(catalog: CatalogWords, text: string): WordMatches {
  const { tools, meanLength } = catalog;
  const words = [...new Set(readStems(text))].slice(-maxWords);
  const spoken = new Set(words);
  const scores = new Float32Array(tools.length);
  const nameCover = new Float32Array(tools.length);
  const textCover = new Float32Array(tools.length);
  let total = 0;
  for (const word of words) {
    const counts = tools.map((tool) => tool.counts.get(word) ?? 0);
    const weight = rarity(counts.filter((count) => count > 0).length, tools.length);
    total += weight;
    for (const [index, count] of counts.entries()) {
      if (count === 0) continue;
      const share = (tools[index] as ToolProfile).length / meanLength;
      const norm = saturation * (1 - lengthShare + lengthShare * share);
      scores[index] = (scores[index] as number) + (weight * count * 2.2) / (count + norm);
      textCover[index] = (textCover[index] as number) + weight;
    }
  }
  for (const [index, { name }] of tools.entries()) {
    let all = 0;
    let found = 0;
    for (const word of name) {
      const weight = nameRarity(catalog, word);
      all += weight;
      if (spoken.has(word)) found += weight;
    }
    nameCover[index] = all === 0 ? 0 : found / all;
    textCover[index] = total === 0 ? 0 : (textCover[index] as number) / total;
  }
  return { scores, nameCover, textCover };
}
