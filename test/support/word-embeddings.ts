/**
 * Embeddings for tests: words as directions, a few synonyms alike; offline, repeatable, counted.
 */

import type { EmbeddingModel } from "toolsieve/models";

const dimensions = 64;
const alike: ReadonlyMap<string, string> = new Map([
  ["money", "payment"],
  ["cash", "payment"],
  ["umbrella", "weather"],
  ["rain", "weather"],
  ["bill", "invoice"],
]);

function direction(word: string): readonly number[] {
  let state = 7;
  for (const char of alike.get(word) ?? word)
    state = (state * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

/** The sum of the directions of a text's words. */
export function embedWords(text: string): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["nothing"];
  const sum = Array.from({ length: dimensions }, () => 0);
  for (const word of words) {
    for (const [at, value] of direction(word).entries()) sum[at] = (sum[at] ?? 0) + value;
  }
  return sum;
}

export interface CountedEmbeddings extends EmbeddingModel {
  /** Texts of each request for documents. */
  readonly batches: readonly (readonly string[])[];
  readonly queries: readonly string[];
  /** The most requests for documents that were open at one time. */
  readonly peak: number;
}

export interface WordEmbeddingsOptions {
  /** Replaces the answer to a request for documents, well formed or not. */
  readonly answer?: (texts: readonly string[], call: number) => unknown;
  readonly answerQuery?: (text: string) => unknown;
}

export function wordEmbeddings(options: WordEmbeddingsOptions = {}): CountedEmbeddings {
  const batches: (readonly string[])[] = [];
  const queries: string[] = [];
  let open = 0;
  let peak = 0;
  return {
    batches,
    queries,
    get peak() {
      return peak;
    },
    async embedDocuments(texts) {
      batches.push(texts);
      open += 1;
      peak = Math.max(peak, open);
      try {
        await Promise.resolve();
        const answer = options.answer?.(texts, batches.length);
        return ((await answer) ?? texts.map(embedWords)) as number[][];
      } finally {
        open -= 1;
      }
    },
    async embedQuery(text) {
      queries.push(text);
      return ((await options.answerQuery?.(text)) ?? embedWords(text)) as number[];
    },
  };
}
