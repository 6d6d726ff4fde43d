/** Memory for the numbers between the steps of one forward pass. */

import type { ModelShape } from "./model-shape.js";

/** Tokens that go through the feed-forward step together. */
export const feedForwardTokens = 64;

/** Byte offsets into the kernel's memory. */
export interface Workspace {
  /** The vectors of the tokens. */
  readonly values: number;
  /** What a step adds to them. */
  readonly addend: number;
  /** Queries, keys and values. */
  readonly projection: number;
  readonly context: number;
  /** The input of a matrix in 16-bit integers, and its scales. */
  readonly quantised: number;
  readonly scales: number;
  readonly feedForward: number;
  readonly scratch: number;
  /** The first byte behind it. */
  readonly end: number;
}

/** Lays out the memory of one pass from `start` on. */
export function layOutWorkspace(shape: ModelShape, start: number): Workspace {
  const { hidden, heads, ffn } = shape;
  // The kernel rounds tokens up to a multiple of 4.
  const tokens = Math.ceil(shape.maxTokens / 4) * 4;
  let end = start;
  const take = (bytes: number): number => {
    const offset = end;
    end += Math.ceil(bytes / 16) * 16;
    return offset;
  };
  return {
    values: take(4 * tokens * hidden),
    addend: take(4 * tokens * hidden),
    projection: take(12 * tokens * hidden),
    context: take(4 * tokens * hidden),
    quantised: take(2 * Math.max(tokens * hidden, feedForwardTokens * ffn)),
    scales: take(4 * Math.max(tokens, feedForwardTokens)),
    feedForward: take(4 * feedForwardTokens * ffn),
    scratch: take(4 * tokens * (hidden / heads + 1)),
    end,
  };
}
