/** A small encoder with random weights. */

import { listSections, type ModelShape } from "../../src/encoder/model-shape.js";
import { codeOfLevel, type PackedEncoder } from "../../src/encoder/packed-model.js";
import { seededRandom } from "../../src/evaluation/random.js";

const pieces =
  "[PAD] [UNK] [CLS] [SEP] a b c d e ##a ##b ##c ##d ##e weather in oslo mail send ##s . , 天";

/** An encoder that knows the letters from a to e and a few words. */
export function randomEncoder(shape: Partial<ModelShape> = {}, seed = "encoder"): PackedEncoder {
  const random = seededRandom(seed);
  const whole: ModelShape = {
    layers: 2,
    hidden: 64,
    heads: 4,
    ffn: 128,
    maxTokens: 24,
    vocabularySize: pieces.split(" ").length,
    layerNormEps: 1e-12,
    ...shape,
  };
  const { unitCount, numberCount } = listSections(whole);
  const units = Buffer.from(
    Array.from({ length: unitCount }, () => codeOfLevel(Math.floor(random() * 91) - 45)),
  );
  const numbers = Float32Array.from({ length: numberCount }, () => random() * 0.02 + 0.001);
  return {
    id: `random-${seed}`,
    shape: whole,
    vocabulary: pieces,
    units: units.toString("latin1"),
    numbers: Buffer.from(numbers.buffer).toString("base64"),
  };
}
