/** Loads the encoder that the package carries, once and only when it is needed. */

import type { EmbeddedTextEncoder } from "./text-encoder.js";

let loaded: Promise<EmbeddedTextEncoder> | undefined;

async function load(): Promise<EmbeddedTextEncoder> {
  const [{ createTextEncoder }, { packedEncoder }] = await Promise.all([
    import("./text-encoder.js"),
    import("./weights.js"),
  ]);
  return createTextEncoder(packedEncoder);
}

/**
 * The shipped encoder, shared by everyone in the process. After a failure the next call tries
 * again.
 */
export function loadTextEncoder(): Promise<EmbeddedTextEncoder> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}
