/**
 * The encoder as the package carries it: one printable character a weight, the few exact numbers in
 * base64.
 */

import { bytesFromBase64 } from "./base64.js";
import { listSections, type ModelShape } from "./model-shape.js";

/** A weight is one of the levels -45 to 45, times the scale of its row. */
export const levels = 45;

/** Codes of the characters from `#` on, without the backslash: levels from -45 up. */
const firstCode = 35;
const backslash = 92;

/** What `npm run pack:encoder` writes. */
export interface PackedEncoder {
  /** Names the weights: vectors of encoders with different ids are not comparable. */
  readonly id: string;
  readonly shape: ModelShape;
  /** The pieces in the order of their ids, separated by blanks. */
  readonly vocabulary: string;
  /** All matrices, one character a weight. */
  readonly units: string;
  /** Scales, biases and gains: 32-bit floats, little endian, in base64. */
  readonly numbers: string;
}

/** The code of the character that stands for a level. */
export function codeOfLevel(level: number): number {
  const code = firstCode + levels + level;
  return code < backslash ? code : code + 1;
}

/** A byte four times. */
const four = 0x01010101;

/**
 * Turns the codes of characters into levels, in place. Codes are below 128, so four of them fit
 * into one integer and none carries into the next: adding 35 sets the top bit of those behind the
 * backslash, and a top bit that is set beforehand lends to the subtraction.
 */
function readLevels(codes: Int32Array): void {
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] as number;
    const isBehind = ((code + (127 - backslash) * four) >>> 7) & four;
    const shift = (firstCode + levels) * four + isBehind;
    codes[index] = ((code | (0x80 * four)) - shift) ^ (0x80 * four);
  }
}

/** Where the exact numbers begin, in bytes. */
export function numbersOffset(unitCount: number): number {
  return Math.ceil(unitCount / 16) * 16;
}

/**
 * Writes the weights to the start of a kernel's memory: all units, then all numbers.
 *
 * @throws {RangeError} if the weights do not fit the shape.
 */
export function unpackModel(packed: PackedEncoder, memory: ArrayBuffer): void {
  const { unitCount, numberCount } = listSections(packed.shape);
  const numbers = bytesFromBase64(packed.numbers);
  if (packed.units.length !== unitCount || numbers.length !== 4 * numberCount) {
    throw new RangeError("The weights of the encoder do not fit its shape.");
  }
  const codes = new Uint8Array(memory, 0, unitCount);
  new TextEncoder().encodeInto(packed.units, codes);
  readLevels(new Int32Array(memory, 0, Math.ceil(unitCount / 4)));
  new Uint8Array(memory, numbersOffset(unitCount), numbers.length).set(numbers);
}
