/** Vectors of texts for training and measuring: computed by the runtime once, kept on disk by content. */

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { EmbeddedTextEncoder } from "../src/encoder/text-encoder.js";
import { readingLimits, type TextKind } from "../src/judges/local/reading-limits.js";

/** Vectors by text. */
export interface Vectors {
  /** Computes those that are missing. */
  ensure(texts: Iterable<string>, kind: TextKind): Promise<void>;
  /** @throws Error if the text was never ensured. */
  get(text: string, kind: TextKind): Float32Array;
}

const keyBytes = 32;

function keyOf(text: string, kind: TextKind): Buffer {
  return createHash("sha256").update(`${kind}\n${text}`).digest();
}

/** Opens the file of an encoder's vectors; `progress` is told how many are left. */
export function openVectors(
  file: string,
  encoder: EmbeddedTextEncoder,
  progress: (left: number) => void,
): Vectors {
  const byKey = new Map<string, Float32Array>();
  const recordBytes = keyBytes + 4 * encoder.dimensions;
  mkdirSync(dirname(file), { recursive: true });
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
    const vector = new Float32Array(encoder.dimensions);
    Buffer.from(vector.buffer).set(bytes.subarray(at + keyBytes, at + recordBytes));
    byKey.set(bytes.toString("latin1", at, at + keyBytes), vector);
  }
  return {
    ensure(texts, kind) {
      const missing = [...new Set(texts)].filter(
        (text) => !byKey.has(keyOf(text, kind).toString("latin1")),
      );
      for (const [index, text] of missing.entries()) {
        if (index % 500 === 0) progress(missing.length - index);
        const vector = encoder.encode(text, readingLimits[kind]);
        const key = keyOf(text, kind);
        byKey.set(key.toString("latin1"), vector);
        appendFileSync(file, Buffer.concat([key, Buffer.from(vector.slice().buffer)]));
      }
      return Promise.resolve();
    },
    get(text, kind) {
      const vector = byKey.get(keyOf(text, kind).toString("latin1"));
      if (vector === undefined) throw new Error("A vector is missing.");
      return vector;
    },
  };
}
