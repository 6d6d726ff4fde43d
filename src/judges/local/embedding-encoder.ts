/** An embedding model as an encoder of the embedded judge. */

import { untilAborted } from "../../core/abort.js";
import type { VectorSource } from "../../encoder/vector-store.js";

/** An embedding model of LangChain, or anything with these two methods. */
export interface EmbeddingModel {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

/** True for an object with both methods. */
export function isEmbeddingModel(value: unknown): value is EmbeddingModel {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "embedDocuments") === "function" &&
    typeof Reflect.get(value, "embedQuery") === "function"
  );
}

/** A vector of length 1. */
function normalise(numbers: unknown): Float32Array {
  if (!Array.isArray(numbers) && !(numbers instanceof Float32Array)) {
    throw new TypeError("The embedding model returned something that is not a list of vectors.");
  }
  const vector = Float32Array.from(numbers as ArrayLike<number>);
  const length = Math.hypot(...vector);
  if (vector.length === 0 || !Number.isFinite(length)) {
    throw new TypeError("The embedding model returned a vector that is empty or not finite.");
  }
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The same model for the two sides of a comparison. */
export interface EmbeddingEncoder {
  readonly documents: VectorSource;
  readonly queries: VectorSource;
}

/**
 * Wraps an embedding model: tools are embedded as documents, conversations as queries.
 *
 * @throws {TypeError} from its methods, if the model returns no vectors, too few, or vectors of different lengths.
 */
export function createEmbeddingEncoder(model: EmbeddingModel): EmbeddingEncoder {
  let dimensions = 0;

  function check(vectors: readonly unknown[], count: number): readonly Float32Array[] {
    if (vectors.length !== count) {
      throw new TypeError(
        `Expected ${count} vectors of the embedding model, got ${vectors.length}.`,
      );
    }
    const checked = vectors.map(normalise);
    for (const { length } of checked) {
      if (dimensions === 0) dimensions = length;
      if (length !== dimensions) {
        throw new TypeError(`Expected a vector of ${dimensions} numbers, got one of ${length}.`);
      }
    }
    return checked;
  }

  function createSource(
    embed: (texts: readonly string[]) => Promise<readonly unknown[]>,
  ): VectorSource {
    return {
      id: "embeddings",
      get dimensions() {
        return dimensions;
      },
      async encodeAll(texts, { signal = new AbortController().signal, onVector } = {}) {
        const vectors = check(await untilAborted(embed(texts), signal), texts.length);
        for (const [index, vector] of vectors.entries()) onVector?.(vector, index);
        return vectors;
      },
    };
  }

  return {
    documents: createSource(async (texts) => model.embedDocuments([...texts])),
    queries: createSource((texts) => Promise.all(texts.map((text) => model.embedQuery(text)))),
  };
}
