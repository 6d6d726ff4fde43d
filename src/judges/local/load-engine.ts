/** Loads what the embedded judge computes with: the head, and the shipped encoder or the user's. */

import { loadTextEncoder } from "../../encoder/load-text-encoder.js";
import { createVectorStore, type VectorSource } from "../../encoder/vector-store.js";
import { createEmbeddingEncoder, type EmbeddingModel } from "./embedding-encoder.js";
import { createEngine, type Engine } from "./engine.js";
import { readingLimits } from "./reading-limits.js";
import { openHead } from "./head.js";
import { packedHead } from "./weights.js";

const head = openHead(packedHead);

/** The vectors of the shipped encoder are shared by all judges of the process. */
const shippedStore = createVectorStore({ encoder: loadToolEncoder });

async function loadToolEncoder(): Promise<VectorSource> {
  const encoder = await loadTextEncoder();
  return {
    id: encoder.id,
    dimensions: encoder.dimensions,
    encodeAll: (texts, options) => encoder.encodeAll(texts, { ...options, ...readingLimits.tool }),
  };
}

/** Creates an engine; `hints` are example requests by tool name. */
export function loadEngine(
  hints: ReadonlyMap<string, readonly string[]>,
  model: EmbeddingModel | undefined,
): Engine {
  if (model === undefined) {
    return createEngine({ head, hints, encoder: loadTextEncoder, store: shippedStore });
  }
  const { documents, queries } = createEmbeddingEncoder(model);
  return createEngine({
    head,
    hints,
    encoder: () => Promise.resolve(queries),
    store: createVectorStore({ encoder: () => Promise.resolve(documents) }),
  });
}
