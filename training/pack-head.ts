/** Writes the trained head as the modules that the package carries. */

import type { PackedHead } from "../src/judges/local/head.js";
import type { Trees } from "../src/judges/local/trees.js";

/** What is known of the head without loading it. */
export interface HeadSummary {
  readonly id: string;
  readonly seed: number;
  readonly thresholds: { readonly confidence: number; readonly rejection: number };
  readonly maxTools: number;
}

function toBase64(values: Float32Array | Uint8Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}

/** Packs trees and cuts. */
export function packHead(trees: Trees, cuts: PackedHead["cuts"]): PackedHead {
  return {
    depth: trees.depth,
    bias: trees.bias,
    features: toBase64(trees.features),
    thresholds: toBase64(trees.thresholds),
    leaves: toBase64(trees.leaves),
    cuts,
  };
}

/** Text of the module with the head. */
export function weightsModule(head: PackedHead): string {
  return [
    "/** The head of the embedded judge. Written by `npm run train`; do not edit. */",
    "/* oxlint-disable */",
    "",
    'import type { PackedHead } from "./head.js";',
    "",
    "/** Everything that was learned on top of the encoder. */",
    `export const packedHead: PackedHead = ${JSON.stringify(head)};`,
    "",
  ].join("\n");
}

/** Text of the module with what the light half of the judge needs. */
export function trainedModule({ id, seed, thresholds, maxTools }: HeadSummary): string {
  const { confidence, rejection } = thresholds;
  return [
    "/** What is known of the weights without loading them. Written by `npm run train`; do not edit. */",
    "",
    "/** Identity, thresholds and cap of the weights beside this file. */",
    "export const trained = {",
    `  id: ${JSON.stringify(id)},`,
    `  seed: ${seed},`,
    `  thresholds: { confidence: ${confidence}, rejection: ${rejection} },`,
    `  maxTools: ${maxTools},`,
    "} as const;",
    "",
  ].join("\n");
}
