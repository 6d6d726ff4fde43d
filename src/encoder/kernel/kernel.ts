/**
 * The numeric kernel of the encoder: what WebAssembly and plain JavaScript compute alike, bit for
 * bit.
 */

/**
 * Operations on one block of memory. All addresses are byte offsets; numbers are 32-bit floats
 * unless said otherwise; matrices are stored row by row. Every width is a multiple of 16.
 */
export interface KernelOperations {
  /**
   * Turns rows of numbers into 16-bit integers from -16383 to 16383, and writes for each row its
   * scale.
   */
  quantise(source: number, target: number, scales: number, rows: number, width: number): void;
  /**
   * `output = weights × input + bias` for an even number of rows of 8-bit weights, and tokens of
   * 16-bit integers. Tokens are rounded up to a multiple of 4; `stride` is the distance in bytes
   * between the outputs of two tokens.
   */
  multiply(
    weights: number,
    weightScales: number,
    bias: number,
    input: number,
    inputScales: number,
    output: number,
    rows: number,
    width: number,
    stride: number,
    tokens: number,
  ): void;
  /**
   * The activation x·Φ(x) in place, with Φ after Abramowitz and Stegun 7.1.26 (error under 2e-7).
   */
  gelu(values: number, count: number): void;
  /** Layer normalisation of `values + addend` in place. */
  addNormalise(
    values: number,
    addend: number,
    gain: number,
    bias: number,
    rows: number,
    width: number,
    epsilon: number,
  ): void;
  /**
   * Attention of one head. `projection` holds for each token its query, key and value, `hidden`
   * numbers each; `scratch` has room for (headWidth + 1) × (tokens rounded up to a multiple of 4)
   * numbers.
   */
  attend(
    projection: number,
    output: number,
    scratch: number,
    tokens: number,
    hidden: number,
    headWidth: number,
    head: number,
  ): void;
}

/** A kernel with its memory. */
export interface Kernel {
  readonly name: "wasm" | "javascript";
  readonly memory: ArrayBuffer;
  /** Products that take about a millisecond: the size of a step after which other work may run. */
  readonly productsPerStep: number;
  readonly operations: KernelOperations;
}
