/**
 * Packs a trained encoder into the module that the package carries: `npm run pack:encoder --
 * --model FOLDER`.
 */

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  listSections,
  type LinearSection,
  type MatrixSection,
  type ModelShape,
  type NormSection,
  type NumberSection,
} from "../src/encoder/model-shape.js";
import { codeOfLevel, levels, type PackedEncoder } from "../src/encoder/packed-model.js";

/** `model.json` of a trained encoder. */
interface ModelDescription extends Omit<ModelShape, "vocabularySize"> {
  readonly vocab: readonly string[];
  readonly tensors: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    /** In floats. */
    readonly offset: number;
  }[];
}

/** A trained encoder with 32-bit weights. */
export interface PlainEncoder {
  readonly shape: ModelShape;
  readonly vocabulary: readonly string[];
  tensor(name: string): Float32Array;
}

/** Reads `model.json` and `model.bin` of a folder. */
export async function readEncoder(folder: string): Promise<PlainEncoder> {
  const text = await readFile(join(folder, "model.json"), "utf8");
  const description = JSON.parse(text) as ModelDescription;
  const bytes = await readFile(join(folder, "model.bin"));
  const { layers, hidden, heads, ffn, maxTokens, layerNormEps, vocab } = description;
  return {
    shape: { layers, hidden, heads, ffn, maxTokens, vocabularySize: vocab.length, layerNormEps },
    vocabulary: vocab,
    tensor(name) {
      const found = description.tensors.find((one) => one.name === name);
      if (found === undefined) throw new Error(`The model has no tensor ${name}.`);
      const size = found.shape.reduce((product, side) => product * side, 1);
      return new Float32Array(bytes.buffer, bytes.byteOffset + 4 * found.offset, size);
    },
  };
}

/** The squared error of a row whose levels are `scale` apart. */
function errorOf(row: Float32Array, scale: number): number {
  let sum = 0;
  for (const value of row) {
    const level = Math.max(-levels, Math.min(levels, Math.round(value / scale)));
    sum += (value - level * scale) ** 2;
  }
  return sum;
}

/**
 * The largest weight as a level, 45 first. More cuts outliers off; less happens where training has
 * rounded already, and the error is next to nothing.
 */
const candidates = Array.from({ length: 71 }, (_, index) => index + 20).sort(
  (a, b) => Math.abs(a - levels) - Math.abs(b - levels),
);

/** The scale with the least squared error. */
function findScale(row: Float32Array): number {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return 0;
  let best = { scale: 0, error: Number.POSITIVE_INFINITY };
  for (const level of candidates) {
    const scale = Math.fround(largest / level);
    const error = errorOf(row, scale);
    if (error < best.error) best = { scale, error };
    if (error < 1e-6 * scale * scale * row.length) break;
  }
  return best.scale;
}

/** Packs an encoder; one scale for each row of a matrix. */
export function packEncoder(encoder: PlainEncoder): PackedEncoder {
  const { shape, vocabulary } = encoder;
  const tensor = (name: string): Float32Array => encoder.tensor(name);
  const sections = listSections(shape);
  const units = Buffer.alloc(sections.unitCount);
  const numbers = new Float32Array(sections.numberCount);

  function putMatrix(
    { units: first, scales, rows, width }: MatrixSection,
    values: Float32Array,
  ): void {
    for (let row = 0; row < rows; row += 1) {
      const weights = values.subarray(row * width, (row + 1) * width);
      const scale = findScale(weights);
      numbers[scales + row] = scale;
      for (const [index, weight] of weights.entries()) {
        const level = scale === 0 ? 0 : Math.round(weight / scale);
        units[first + row * width + index] = codeOfLevel(
          Math.max(-levels, Math.min(levels, level)),
        );
      }
    }
  }
  function putNumbers(section: NumberSection, values: Float32Array): void {
    numbers.set(values.subarray(0, section.size), section.numbers);
  }
  function putNorm({ gain, bias }: NormSection, name: string): void {
    putNumbers(gain, tensor(`${name}.weight`));
    putNumbers(bias, tensor(`${name}.bias`));
  }
  function putLinear({ matrix, bias }: LinearSection, names: readonly string[]): void {
    putMatrix(matrix, concatenate(names.map((name) => tensor(`${name}.weight`))));
    putNumbers(bias, concatenate(names.map((name) => tensor(`${name}.bias`))));
  }

  putMatrix(sections.words, tensor("embeddings.word"));
  putNumbers(sections.positions, tensor("embeddings.position"));
  putNorm(sections.embeddingNorm, "embeddings.norm");
  for (const [index, layer] of sections.layers.entries()) {
    const name = `layers.${index}`;
    putLinear(
      layer.projection,
      ["query", "key", "value"].map((part) => `${name}.attention.${part}`),
    );
    putLinear(layer.attentionOutput, [`${name}.attention.output`]);
    putNorm(layer.attentionNorm, `${name}.attention.norm`);
    putLinear(layer.feedForwardInput, [`${name}.ffn.in`]);
    putLinear(layer.feedForwardOutput, [`${name}.ffn.out`]);
    putNorm(layer.feedForwardNorm, `${name}.ffn.norm`);
  }
  const packed = {
    shape,
    vocabulary: vocabulary.join(" "),
    units: units.toString("latin1"),
    numbers: Buffer.from(numbers.buffer).toString("base64"),
  };
  const digest = createHash("sha256").update(JSON.stringify(packed)).digest("hex");
  return { id: `encoder-${digest.slice(0, 8)}`, ...packed };
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** Text of the module that holds the encoder. */
export function encoderModule(packed: PackedEncoder): string {
  return [
    "/** Weights of the embedded encoder. Written by `npm run pack:encoder`; do not edit. */",
    "/* oxlint-disable */",
    "",
    'import type { PackedEncoder } from "./packed-model.js";',
    "",
    "/** Everything that was learned. */",
    `export const packedEncoder: PackedEncoder = ${JSON.stringify(packed)};`,
    "",
  ].join("\n");
}

/**
 * The texts, ids and vectors of the trained encoder, four decimals each: what the runtime is tested
 * against.
 */
async function readReferences(folder: string): Promise<string> {
  const text = await readFile(join(folder, "reference.json"), "utf8");
  const round = (_: string, value: unknown): unknown =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(4)) : value;
  return `${JSON.stringify(JSON.parse(text, round))}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { model: { type: "string" } } });
  if (values.model === undefined) {
    process.stderr.write("Usage: npm run pack:encoder -- --model FOLDER\n");
    process.exit(2);
  }
  const root = new URL("../", import.meta.url);
  const packed = packEncoder(await readEncoder(values.model));
  await writeFile(new URL("src/encoder/weights.ts", root), encoderModule(packed));
  const references = await readReferences(values.model);
  await writeFile(new URL("test/encoder/reference.json", root), references);
  const megabytes = (packed.units.length + packed.numbers.length) / 1e6;
  process.stdout.write(`${packed.id}: ${megabytes.toFixed(1)} MB\n`);
}
