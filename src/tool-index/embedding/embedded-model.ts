/**
 * The encoder that the package carries, as an embedding model: offline, loaded at the first text.
 */

import { loadTextEncoder } from "../../encoder/load-text-encoder.js";
import type { EmbeddingModel } from "./embed-texts.js";

/**
 * Used where no embeddings are given. Tools are encoded in the background: a query that somebody
 * waits for goes first.
 */
export const embeddedModel: EmbeddingModel = {
  async embedDocuments(texts) {
    const encoder = await loadTextEncoder();
    return encoder.encodeAll(texts, { isBackground: true });
  },
  async embedQuery(text) {
    const encoder = await loadTextEncoder();
    const [vector] = await encoder.encodeAll([text]);
    return vector ?? [];
  },
  readId: async () => (await loadTextEncoder()).id,
};
