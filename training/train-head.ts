/** Trains the head on labelled turns: rows of features, few of the easy ones, boosted trees. */

import { seededRandom } from "../src/evaluation/random.js";
import { column, featureCount, featureDirections } from "../src/judges/local/feature-names.js";
import { scoreRow, type Trees } from "../src/judges/local/trees.js";
import { trainTrees } from "./boosting.js";
import type { TurnRows } from "./featurise.js";

/** The rows of a turn and how much it counts. */
export interface WeightedRows {
  readonly rows: TurnRows;
  readonly weight: number;
}

/** Of the tools that rank behind these by the joint score, one in five is taken. */
const hardRanks = 40;
const easyShare = 0.2;

const settings = {
  trees: 120,
  depth: 4,
  learningRate: 0.12,
  leastWeight: 30,
  ridge: 3,
  featureShare: 0.7,
  rowShare: 0.4,
} as const;

/** What the trees were grown with. */
export const headSettings: Readonly<Record<string, number>> = { ...settings, hardRanks, easyShare };

interface Sample {
  readonly rows: Float32Array;
  readonly from: number;
  readonly label: number;
  readonly weight: number;
}

function sampleTurn(
  { rows: { rows, labels }, weight }: WeightedRows,
  random: () => number,
): Sample[] {
  const jointOf = (tool: number): number => rows[tool * featureCount + column.joint] as number;
  const order = [...labels.keys()].sort((a, b) => jointOf(b) - jointOf(a));
  return order.flatMap((tool, rank) => {
    const label = labels[tool] as number;
    const sample = { rows, from: tool * featureCount, label, weight };
    if (label === 1 || rank < hardRanks) return [sample];
    return random() < easyShare ? [{ ...sample, weight: weight / easyShare }] : [];
  });
}

/** Trains trees. Deterministic for a seed. */
export function trainHead(turns: readonly WeightedRows[], seed: number): Trees {
  const random = seededRandom(`${seed}:rows`);
  const samples = turns.flatMap((turn) => sampleTurn(turn, random));
  const values = new Float32Array(samples.length * featureCount);
  for (const [index, { rows, from }] of samples.entries()) {
    values.set(rows.subarray(from, from + featureCount), index * featureCount);
  }
  return trainTrees(
    {
      values,
      width: featureCount,
      labels: Uint8Array.from(samples, ({ label }) => label),
      weights: Float32Array.from(samples, ({ weight }) => weight),
    },
    { ...settings, random: seededRandom(`${seed}:trees`), directions: featureDirections },
  );
}

/** The score of every tool of a turn. */
export function scoreTurn(trees: Trees, { rows, labels }: TurnRows): Float32Array {
  return Float32Array.from(labels, (_, tool) => scoreRow(trees, rows, tool * featureCount));
}
