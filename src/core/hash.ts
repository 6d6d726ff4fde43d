/** A fast hash for buckets, seeds and keys in memory; fingerprints that are stored use SHA-256. */

/**
 * FNV-1a over UTF-16 units, an unsigned 32-bit integer
 * (http://www.isthe.com/chongo/tech/comp/fnv/).
 *
 * @param salt an integer; two salts give two independent hashes of one text.
 */
export function fnv1a(text: string, salt = 0): number {
  let state = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ (text.charCodeAt(index) + salt), 0x01000193);
  }
  return state >>> 0;
}
