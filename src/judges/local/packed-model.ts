/** The model as the package carries it: one printable character a number, so that loading it decodes nothing. */

import { featureCount } from "./feature-names.js";
import type { Model } from "./model.js";
import type { Trees } from "./trees.js";
import { normalise, type WordTable } from "./word-table.js";

/** A number of a direction is one of the levels -45 to 45, as one character. */
export const levels = 45;
/** Number of levels, the base of numbers in two characters. */
export const levelCount: number = 2 * levels + 1;
/** Number of values that two characters tell apart. */
export const pairCount: number = levelCount * levelCount;

/** Words outside the table are rare, so they say much. */
const outsideWeight = 1;

/** What `npm run train` writes. */
export interface PackedModel {
  readonly dimensions: number;
  /** Separated by blanks, the most frequent first. */
  readonly stems: string;
  /** For each stem its direction, one character a dimension. */
  readonly units: string;
  readonly largestLength: number;
  /** For each stem two characters, as a share of `largestLength`. */
  readonly lengths: string;
  /** For each stem two characters, as a share of 1. */
  readonly weights: string;
  /** Directions, one character a dimension. */
  readonly background: string;
  readonly trees: {
    readonly depth: number;
    readonly bias: number;
    readonly features: readonly number[];
    readonly thresholds: readonly number[];
    readonly leaves: readonly number[];
  };
}

/** The level of a character: codes from 35 on, without the backslash. */
function levelAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code > 92 ? code - 36 : code - 35;
}

function readDirection(text: string, row: number, target: Float32Array): Float32Array {
  const from = row * target.length;
  for (let index = 0; index < target.length; index += 1) {
    target[index] = levelAt(text, from + index) - levels;
  }
  return normalise(target);
}

function readNumbers(text: string, largest: number): Float32Array {
  return Float32Array.from({ length: text.length / 2 }, (_, index) => {
    const whole = levelAt(text, 2 * index) * levelCount + levelAt(text, 2 * index + 1);
    return (whole / (pairCount - 1)) * largest;
  });
}

/** Opens the table; a word's direction is read when it is first used. */
function openTable(packed: PackedModel): WordTable {
  const { dimensions } = packed;
  const stems = packed.stems.split(" ");
  const size = stems.length;
  const ids = new Map(stems.map((one, index) => [one, index]));
  const weights = readNumbers(packed.weights, 1);
  const lengths = readNumbers(packed.lengths, packed.largestLength);
  const units = new Float32Array(size * dimensions);
  const isRead = new Uint8Array(size);
  return {
    size,
    dimensions,
    units,
    idOf: (one) => ids.get(one),
    weightOf: (id) => (id < size ? (weights[id] as number) : outsideWeight),
    lengthOf: (id) => lengths[id] as number,
    readRow(id) {
      if (isRead[id] === 1) return;
      isRead[id] = 1;
      readDirection(packed.units, id, units.subarray(id * dimensions, (id + 1) * dimensions));
    },
    background: Array.from({ length: packed.background.length / dimensions }, (_, row) =>
      readDirection(packed.background, row, new Float32Array(dimensions)),
    ),
  };
}

function openTrees({ depth, bias, features, thresholds, leaves }: PackedModel["trees"]): Trees {
  if (features.some((feature) => feature >= featureCount)) {
    throw new RangeError("The weights were trained with other features than this code computes.");
  }
  return {
    depth,
    bias,
    features: Uint8Array.from(features),
    thresholds: Float32Array.from(thresholds),
    leaves: Float32Array.from(leaves),
  };
}

/** Makes a packed model ready to be asked. */
export function openModel(packed: PackedModel): Model {
  return { table: openTable(packed), trees: openTrees(packed.trees) };
}
