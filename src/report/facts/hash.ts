/**
 * A 53-bit hash of a text, for keys that are compared but never shown: a log of millions of turns
 * cannot keep their texts.
 */

import { fnv1a } from "../../core/hash.js";

/**
 * Two FNV-1a hashes, mixed and put side by side. Two of a million texts collide with a
 * chance of about 1 in 18,000.
 */
export function hash53(text: string): number {
  let high = fnv1a(text);
  let low = fnv1a(text, 0x9e37);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ (low >>> 13);
  low = Math.imul(low ^ (low >>> 15), 0xc2b2ae35) ^ (high >>> 16);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
