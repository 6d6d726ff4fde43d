/** What a conversation asks for: the current request, all that the user said, and what went on around it; as words and directions. */

import type { JudgeContext } from "../../core/types.js";
import { meanVector, trigramBuckets, trigramsOf } from "./tool-profile.js";
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

/** Reads one text. */
export function readQuery(table: WordTable, fullText: string): Query {
  const text = fullText.slice(0, maxChars);
  const ids = [...new Set(idsOf(table, text))];
  const words = strongest(table, ids);
  const clauses = text
    .split(clauseEnd)
    .map((clause) => new Set(idsOf(table, clause)))
    .filter((clause) => clause.size > 1)
    .slice(-maxClauses);
  const trigrams = new Uint8Array(trigramBuckets);
  for (const bucket of trigramsOf(text.slice(0, maxTrigramChars))) trigrams[bucket] = 1;
  return {
    words: Int32Array.from(words),
    vector: meanVector(table, words),
    clauses: clauses.length > 1 ? clauses.map((clause) => meanVector(table, clause)) : [],
    trigrams,
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
