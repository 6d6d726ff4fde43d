/** Packs a trained judge into the text of the modules that the package carries. One character a number: compact, and free to load. */

import {
  levelCount,
  levels,
  pairCount,
  type PackedModel,
} from "../src/judges/local/packed-model.js";
import type { PlainTable } from "./plain-table.js";
import type { TrainedJudge } from "./trained-judge.js";

/** A level as its character; quotation mark and backslash are not among them. */
function characterOf(level: number): string {
  const code = 35 + level;
  return String.fromCharCode(code >= 92 ? code + 1 : code);
}

/** A row of numbers, scaled to its largest: only its direction matters. */
function packDirection(row: Float32Array): string {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Array.from(row, (value) =>
    characterOf(levels + (largest === 0 ? 0 : Math.round((value / largest) * levels))),
  ).join("");
}

/** Numbers from 0 to `largest`, two characters each. */
function packNumbers(values: readonly number[], largest: number): string {
  return values
    .map((value) => {
      const whole = Math.round((value / largest) * (pairCount - 1));
      return characterOf(Math.floor(whole / levelCount)) + characterOf(whole % levelCount);
    })
    .join("");
}

function rowsOf({ vectors, dimensions, stems }: PlainTable): readonly Float32Array[] {
  return stems.map((_, row) => vectors.subarray(row * dimensions, (row + 1) * dimensions));
}

const short = (value: number): number => Number(value.toPrecision(5));

/** The model as plain strings and short numbers. */
export function packModel({ table, trees }: Pick<TrainedJudge, "table" | "trees">): PackedModel {
  const rows = rowsOf(table);
  const lengths = rows.map((row, index) => Math.hypot(...row) * (table.weights[index] ?? 0));
  const largestLength = short(Math.max(...lengths));
  return {
    dimensions: table.dimensions,
    stems: table.stems.join(" "),
    units: rows.map(packDirection).join(""),
    largestLength,
    lengths: packNumbers(lengths, largestLength * 1.0001),
    weights: packNumbers([...table.weights], 1),
    background: table.background.map(packDirection).join(""),
    trees: {
      depth: trees.depth,
      bias: short(trees.bias),
      features: [...trees.features],
      thresholds: Array.from(trees.thresholds, (value) =>
        Number.isFinite(value) ? short(value) : 1e30,
      ),
      leaves: Array.from(trees.leaves, short),
    },
  };
}

/** Text of the module that holds the model. */
export function weightsModule(model: PackedModel): string {
  return [
    "/** Weights of the embedded judge. Written by `npm run train`; do not edit. */",
    "/* oxlint-disable */",
    "",
    'import type { PackedModel } from "./packed-model.js";',
    "",
    "/** Everything that was learned. */",
    `export const packedModel: PackedModel = ${JSON.stringify(model)};`,
    "",
  ].join("\n");
}
