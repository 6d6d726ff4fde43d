/** The head of the embedded judge: turns features into probabilities on one scale for catalogs of every size. */

import { bytesFromBase64 } from "../../encoder/base64.js";
import { featureCount } from "./feature-names.js";
import { scoreRow, type Trees } from "./trees.js";

/** What `npm run train` writes. */
export interface PackedHead {
  readonly depth: number;
  readonly bias: number;
  /** Base64: one byte a column; 32-bit floats, little endian. */
  readonly features: string;
  readonly thresholds: string;
  readonly leaves: string;
  /** Log-odds below which a tool is not needed, by size of catalog, smallest first. */
  readonly cuts: readonly { readonly size: number; readonly score: number }[];
}

/** The head, ready to be asked. */
export interface Head {
  readonly trees: Trees;
  readonly cuts: PackedHead["cuts"];
}

function floatsFromBase64(text: string): Float32Array {
  const bytes = bytesFromBase64(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) =>
    view.getFloat32(4 * index, true),
  );
}

/** Opens a packed head. */
export function openHead(packed: PackedHead): Head {
  return {
    trees: {
      depth: packed.depth,
      bias: packed.bias,
      features: bytesFromBase64(packed.features),
      thresholds: floatsFromBase64(packed.thresholds),
      leaves: floatsFromBase64(packed.leaves),
    },
    cuts: packed.cuts,
  };
}

/** The cut for a catalog: between two sizes it is interpolated by the logarithm of the size. */
export function findCut(cuts: PackedHead["cuts"], size: number): number {
  const above = cuts.findIndex((cut) => cut.size >= size);
  const upper = cuts[above === -1 ? cuts.length - 1 : above];
  const lower = cuts[above - 1];
  if (upper === undefined) return 0;
  if (lower === undefined) return upper.score;
  const share = Math.log(size / lower.size) / Math.log(upper.size / lower.size);
  return lower.score + share * (upper.score - lower.score);
}

/** Thresholds of the probabilities: next to each other, so that no tool is uncertain. */
export const headThresholds = { confidence: 0.5, rejection: 0.499 } as const;

/** A probability on its side of the cut: none lies between the two thresholds. */
function toProbability(aboveCut: number): number {
  const probability = 1 / (1 + Math.exp(-aboveCut));
  return aboveCut >= 0 ? probability : Math.min(probability, headThresholds.rejection);
}

/** The probability of every row; the cut is at one half. Yields often. */
export function* judgeRows({ trees, cuts }: Head, rows: Float32Array): Generator<void, number[]> {
  const count = rows.length / featureCount;
  const cut = findCut(cuts, count);
  const probabilities: number[] = [];
  for (let tool = 0; tool < count; tool += 1) {
    const score = scoreRow(trees, rows, tool * featureCount);
    probabilities.push(toProbability(score - cut));
    if (tool % 32 === 31) yield;
  }
  return probabilities;
}
