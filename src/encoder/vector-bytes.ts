/** A vector as bytes that can be stored, and checked when they come back. */

import { sha256 } from "@noble/hashes/sha2.js";

const digestBytes = 8;

function digest(payload: Uint8Array): Uint8Array {
  return sha256(payload).subarray(0, digestBytes);
}

/** Eight bytes of the SHA-256 of the rest, then 32-bit floats, little endian. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(digestBytes + 4 * vector.length);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of vector.entries()) {
    view.setFloat32(digestBytes + 4 * index, value, true);
  }
  bytes.set(digest(bytes.subarray(digestBytes)));
  return bytes;
}

/** The vector; `null` if the bytes are not those of a vector of this length. */
export function vectorFromBytes(bytes: unknown, dimensions: number): Float32Array | null {
  if (!(bytes instanceof Uint8Array) || bytes.length !== digestBytes + 4 * dimensions) return null;
  const payload = bytes.subarray(digestBytes);
  if (digest(payload).some((byte, index) => byte !== bytes[index])) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  return Float32Array.from({ length: dimensions }, (_, index) => view.getFloat32(4 * index, true));
}
