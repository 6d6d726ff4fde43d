/** An embedding model for tests: texts that share words are close; instant, and the same everywhere. */

import { fnv1a } from "../../../src/core/hash.js";
import { splitWords } from "../../../src/core/words.js";
import type { EmbeddingModel } from "../../../src/judges/local/embedding-encoder.js";

const dimensions = 64;

function embed(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of splitWords(text)) {
    const place = fnv1a(word) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

/** Counts how many texts each method embedded. */
export function createFakeEmbeddings(): EmbeddingModel & { documents: number; queries: number } {
  return {
    documents: 0,
    queries: 0,
    embedDocuments(texts) {
      this.documents += texts.length;
      return Promise.resolve(texts.map(embed));
    },
    embedQuery(text) {
      this.queries += 1;
      return Promise.resolve(embed(text));
    },
  };
}
