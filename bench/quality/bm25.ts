/** Plain BM25 as most people would write it: lower-case words, names split at case and punctuation, k1 = 1.2, b = 0.75. */

import type { ToolDescription } from "../../src/core/types.js";

function words(text: string): readonly string[] {
  return (
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Name, description, and the names and descriptions of the parameters. */
export function toolText({ name, description, parameters }: ToolDescription): string {
  const properties = parameters?.["properties"];
  const entries =
    typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const texts = entries.map(([key, value]) => {
    const text: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, "description") : "";
    return `${key} ${typeof text === "string" ? text : ""}`;
  });
  return [name, description ?? "", ...texts].join("\n");
}

/** Scores every document for a query; the order is that of the documents. */
export function createBm25(documents: readonly string[]): (query: string) => Float64Array {
  const postings = new Map<string, Map<number, number>>();
  const lengths = documents.map((document, index) => {
    const tokens = words(document);
    for (const token of tokens) {
      const counts = postings.get(token) ?? new Map<number, number>();
      counts.set(index, (counts.get(index) ?? 0) + 1);
      postings.set(token, counts);
    }
    return tokens.length;
  });
  const meanLength = lengths.reduce((a, b) => a + b, 0) / Math.max(1, lengths.length);
  return (query) => {
    const scores = new Float64Array(documents.length);
    for (const token of new Set(words(query))) {
      const counts = postings.get(token);
      if (counts === undefined) continue;
      const idf = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [index, count] of counts) {
        const norm = 1.2 * (0.25 + (0.75 * (lengths[index] ?? 0)) / meanLength);
        scores[index] = (scores[index] ?? 0) + (idf * count * 2.2) / (count + norm);
      }
    }
    return scores;
  };
}
