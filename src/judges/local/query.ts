/** What a conversation asks for: the current request, all that the user said, and what went on around it; as words and directions. */

import type { JudgeContext } from "../../core/types.js";
import { meanVector, pairBuckets, pairsOf, trigramBuckets, trigramsOf } from "./tool-profile.js";
import { idsOf, type WordTable } from "./word-table.js";

/** One text to match tools with. */
export interface Query {
  /** Ids of its words, without repeats; of a long text, those that say most. */
  readonly words: Int32Array;
  readonly vector: Float32Array;
  /** One direction for each clause, if there are several. */
  readonly clauses: readonly Float32Array[];
  /** 1 in the buckets of its letter groups. */
  readonly trigrams: Uint8Array;
  /** 1 in the buckets of its pairs of neighbouring words. */
  readonly pairs: Uint8Array;
  readonly pairCount: number;
  /** Share of its words that the table knows. */
  readonly known: number;
}

const maxWords = 64;
const maxClauses = 8;
const maxTrigramChars = 4000;
/** More of a text is not read. */
const maxChars = 16_000;
const clauseEnd =
  /[.!?;:,\n]+|\b(?:and|then|also|after|before|finally|plus|additionally|furthermore)\b/iu;

/** The words of a text that say most, in order. */
function strongest(table: WordTable, ids: readonly number[]): readonly number[] {
  if (ids.length <= maxWords) return ids;
  const weights = ids.map((id) => table.weightOf(id)).sort((a, b) => b - a);
  const least = weights[maxWords - 1] as number;
  return ids.filter((id) => table.weightOf(id) >= least).slice(0, maxWords);
}

function marked(buckets: Int32Array, count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (const bucket of buckets) marks[bucket] = 1;
  return marks;
}

/** Reads one text. */
export function readQuery(table: WordTable, fullText: string): Query {
  const text = fullText.slice(0, maxChars);
  const spoken = idsOf(table, text);
  const ids = [...new Set(spoken)];
  const neighbours = pairsOf(spoken);
  const words = strongest(table, ids);
  const clauses = text
    .split(clauseEnd)
    .map((clause) => new Set(idsOf(table, clause)))
    .filter((clause) => clause.size > 1)
    .slice(-maxClauses);
  return {
    words: Int32Array.from(words),
    vector: meanVector(table, words),
    clauses: clauses.length > 1 ? clauses.map((clause) => meanVector(table, clause)) : [],
    trigrams: marked(trigramsOf(text.slice(0, maxTrigramChars)), trigramBuckets),
    pairs: marked(neighbours, pairBuckets),
    pairCount: neighbours.length,
    known: ids.filter((id) => id < table.size).length / Math.max(1, ids.length),
  };
}

/**
 * The texts that tools are matched with: the request; all that the user said; and the request amid what was said right
 * before it and what came after it, tool results included. Equal texts are left out.
 */
export function queryTexts({ request, messages }: JudgeContext): readonly string[] {
  const userTexts = messages.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const at = messages.findLastIndex(({ role }) => role === "user");
  const around = at < 0 ? [] : messages.slice(Math.max(0, at - 1)).map(({ text }) => text);
  const texts = [request, userTexts.join("\n"), around.join("\n")].map((text) => text.trim());
  return [...new Set(texts)].filter((text) => text !== "");
}
