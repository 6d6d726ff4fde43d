/** The forward pass: ids of tokens in, one vector out; in steps of about a millisecond. */

import type { Kernel } from "./kernel/kernel.js";
import type { LayerSections, LinearSection, ModelSections, ModelShape } from "./model-shape.js";
import type { NormSection } from "./model-shape.js";
import { feedForwardTokens, type Workspace } from "./workspace.js";

/** A model in a kernel's memory. */
export interface LoadedModel {
  readonly kernel: Kernel;
  readonly shape: ModelShape;
  readonly sections: ModelSections;
  /** Byte offset of the exact numbers. */
  readonly numbers: number;
}

/** Values for which the activation takes at most a millisecond, also in plain JavaScript. */
const activationsPerStep = 12_288;

/** A pass that can be interrupted after every step; it returns the vector. */
export type ForwardPass = Generator<undefined, Float32Array, void>;

/**
 * Encodes one text. The result has length 1; it is the mean of all tokens, `[CLS]` and `[SEP]`
 * included.
 *
 * @param ids From 1 to `maxTokens` ids of the vocabulary.
 */
export function* forwardPass(
  model: LoadedModel,
  space: Workspace,
  ids: readonly number[],
): ForwardPass {
  const { operations } = model.kernel;
  const { hidden } = model.shape;
  const tokens = ids.length;
  embed(model, space, ids);
  addNorm(model, space, model.sections.embeddingNorm, tokens);
  for (const layer of model.sections.layers) {
    operations.quantise(space.values, space.quantised, space.scales, tokens, hidden);
    yield* multiply(model, layer.projection, space, space.projection, tokens);
    yield* attend(model, space, tokens);
    operations.quantise(space.context, space.quantised, space.scales, tokens, hidden);
    yield* multiply(model, layer.attentionOutput, space, space.addend, tokens);
    addNorm(model, space, layer.attentionNorm, tokens);
    for (let from = 0; from < tokens; from += feedForwardTokens) {
      const count = Math.min(feedForwardTokens, tokens - from);
      yield* feedForward(model, layer, space, from, count);
    }
    addNorm(model, space, layer.feedForwardNorm, tokens);
  }
  return poolTokens(new Float32Array(model.kernel.memory, space.values, tokens * hidden), hidden);
}

/**
 * Sums of word and position; the addend is cleared, because the first normalisation adds nothing.
 */
function embed(
  { kernel, shape, sections, numbers }: LoadedModel,
  space: Workspace,
  ids: readonly number[],
): void {
  const { hidden } = shape;
  const { words, positions } = sections;
  const units = new Int8Array(kernel.memory, words.units, words.rows * hidden);
  const all = new Float32Array(kernel.memory, numbers, sections.numberCount);
  const values = new Float32Array(kernel.memory, space.values, ids.length * hidden);
  for (const [token, id] of ids.entries()) {
    const scale = all[words.scales + id] as number;
    const position = positions.numbers + token * hidden;
    for (let index = 0; index < hidden; index += 1) {
      const unit = units[id * hidden + index] as number;
      values[token * hidden + index] = scale * unit + (all[position + index] as number);
    }
  }
  new Float32Array(kernel.memory, space.addend, values.length).fill(0);
}

function addNorm(model: LoadedModel, space: Workspace, norm: NormSection, tokens: number): void {
  const { kernel, shape, numbers } = model;
  kernel.operations.addNormalise(
    space.values,
    space.addend,
    numbers + 4 * norm.gain.numbers,
    numbers + 4 * norm.bias.numbers,
    tokens,
    shape.hidden,
    shape.layerNormEps,
  );
}

/** Multiplies the quantised inputs with a matrix, some rows at a time. */
function* multiply(
  { kernel, numbers }: LoadedModel,
  { matrix, bias }: LinearSection,
  space: Workspace,
  output: number,
  tokens: number,
): Generator<undefined, void, void> {
  const { rows, width } = matrix;
  const step = 2 * Math.max(1, Math.floor(kernel.productsPerStep / (2 * width * tokens)));
  for (let row = 0; row < rows; row += step) {
    kernel.operations.multiply(
      matrix.units + row * width,
      numbers + 4 * (matrix.scales + row),
      numbers + 4 * (bias.numbers + row),
      space.quantised,
      space.scales,
      output + 4 * row,
      Math.min(step, rows - row),
      width,
      4 * rows,
      tokens,
    );
    yield;
  }
}

function* attend(
  { kernel, shape }: LoadedModel,
  space: Workspace,
  tokens: number,
): Generator<undefined, void, void> {
  const { hidden, heads } = shape;
  for (let head = 0; head < heads; head += 1) {
    const { projection, context, scratch } = space;
    kernel.operations.attend(projection, context, scratch, tokens, hidden, hidden / heads, head);
    yield;
  }
}

function* feedForward(
  model: LoadedModel,
  layer: LayerSections,
  space: Workspace,
  from: number,
  count: number,
): Generator<undefined, void, void> {
  const { operations } = model.kernel;
  const { hidden, ffn } = model.shape;
  const offset = 4 * from * hidden;
  operations.quantise(space.values + offset, space.quantised, space.scales, count, hidden);
  yield* multiply(model, layer.feedForwardInput, space, space.feedForward, count);
  for (let at = 0; at < count * ffn; at += activationsPerStep) {
    operations.gelu(space.feedForward + 4 * at, Math.min(activationsPerStep, count * ffn - at));
    yield;
  }
  operations.quantise(space.feedForward, space.quantised, space.scales, count, ffn);
  yield* multiply(model, layer.feedForwardOutput, space, space.addend + offset, count);
}

/** The mean of the tokens' vectors, scaled to length 1. */
function poolTokens(values: Float32Array, hidden: number): Float32Array {
  const sums = new Float64Array(hidden);
  for (let index = 0; index < values.length; index += 1) {
    const dimension = index % hidden;
    sums[dimension] = (sums[dimension] as number) + (values[index] as number);
  }
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(sums, (value) => (length === 0 ? 0 : value / length));
}
