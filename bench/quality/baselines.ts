/** What one would use instead of the embedded judge: rankings of which a fixed number of tools is shown. */

import type { Judge, JudgeRequest } from "../../src/core/types.js";
import type { EmbeddedTextEncoder } from "../../src/encoder/text-encoder.js";
import { toolText as encoderText } from "../../src/judges/local/tool-text.js";
import { createBm25, toolText } from "./bm25.js";

/** As many tools as a ranking shows. */
const shownCount = 32;

type Score = (request: JudgeRequest) => Promise<Float64Array> | Float64Array;

/** A judge that shows the tools with the highest scores. */
function rankingJudge(id: string, score: Score): Judge {
  return {
    id,
    scope: "catalog",
    maxTools: shownCount,
    thresholds: { confidence: 0.5, rejection: 0.499 },
    async judge(request) {
      const scores = await score(request);
      const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      const probabilities = Array.from(scores, () => 0);
      for (const [rank, tool] of order.entries()) {
        probabilities[tool] = (rank < shownCount ? 0.5 : 0) + 0.4 * (1 - rank / order.length);
      }
      return { probabilities };
    },
  };
}

function bm25Scores({ context, candidates }: JudgeRequest): Float64Array {
  return createBm25(candidates.map(toolText))(context.request);
}

/** BM25 over names, descriptions and parameters, with the last user message. */
export const bm25Judge = rankingJudge(`BM25, best ${shownCount}`, bm25Scores);

function standardise(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return values.map((value) => (value - mean) / (Math.sqrt(variance) || 1));
}

/** The cosine of an encoder plus half of BM25, both as z-scores over the catalog. */
export function encoderJudge(name: string, encoder: EmbeddedTextEncoder): Judge {
  const vectors = new Map<string, Float32Array>();
  const encode = (text: string): Float32Array => {
    const vector = vectors.get(text) ?? encoder.encode(text);
    vectors.set(text, vector);
    return vector;
  };
  return rankingJudge(`${name} + BM25, best ${shownCount}`, (request) => {
    const asked = encode(request.context.request);
    const cosines = Float64Array.from(request.candidates, (tool) =>
      encode(encoderText(tool)).reduce((sum, value, index) => sum + value * (asked[index] ?? 0), 0),
    );
    const words = standardise(bm25Scores(request));
    return standardise(cosines).map((value, index) => value + 0.5 * (words[index] ?? 0));
  });
}
