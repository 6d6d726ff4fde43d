import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/evaluation/random.js";
import {
  column,
  featureCount,
  featureDirections,
} from "../../../src/judges/local/feature-names.js";
import { probabilityOf } from "../../../src/judges/local/trees.js";
import { trainTrees, type TrainingRows } from "../../../training/boosting.js";
import { thresholdsOf, type JudgedPart } from "../../../training/measures.js";
import { trainTable } from "../../../training/table-training.js";
import type { Source } from "../../../training/sources.js";

const count = 4000;

/** The label follows `bm25`, against its direction for small values; `batchSize` is noise. */
function madeUpRows(): TrainingRows {
  const random = seededRandom("rows");
  const values = new Float32Array(count * featureCount);
  const labels = new Uint8Array(count);
  for (let row = 0; row < count; row += 1) {
    const bm25 = random();
    values[row * featureCount + column.bm25] = bm25;
    values[row * featureCount + column.batchSize] = random();
    const share = bm25 < 0.2 ? 0.3 : bm25;
    labels[row] = random() < share ? 1 : 0;
  }
  return { values, width: featureCount, labels, weights: new Float32Array(count).fill(1) };
}

const train = (seed: string) =>
  trainTrees(madeUpRows(), {
    trees: 30,
    depth: 3,
    learningRate: 0.2,
    leastWeight: 10,
    ridge: 1,
    featureShare: 1,
    random: seededRandom(seed),
    directions: featureDirections,
  });

function curve(): readonly number[] {
  const trees = train("1");
  return Array.from({ length: 50 }, (_, step) => {
    const row = new Float32Array(featureCount);
    row[column.bm25] = step / 49;
    row[column.batchSize] = 0.5;
    return probabilityOf(trees, row, 0);
  });
}

describe("trainTrees", () => {
  it("learns the probability", () => {
    const probabilities = curve();
    expect(probabilities[25]).toBeGreaterThan(0.35);
    expect(probabilities[25]).toBeLessThan(0.65);
    expect(probabilities[49]).toBeGreaterThan(0.8);
  });

  it("never lets the probability fall with a feature that can only mean a better fit", () => {
    const probabilities = curve();
    expect(probabilities).toEqual(probabilities.toSorted((a, b) => a - b));
  });

  it("gives the same trees for the same seed", () => {
    expect(train("1")).toEqual(train("1"));
  });
});

const words = "weath mail invoic flight song rain".split(" ");
const glove = {
  stems: words,
  vectors: Float32Array.from({ length: words.length * 100 }, (_, index) => Math.sin(index * 0.7)),
  frequencies: Float64Array.from(words, () => 1e-5),
};
const tools = [
  { name: "weather", description: "rain" },
  { name: "mail", description: "invoice" },
  { name: "song", description: "flight" },
];
const source: Source = {
  name: "made-up",
  origin: "",
  commit: "",
  licence: "",
  parts: [
    {
      source: "made-up",
      name: "made-up",
      catalog: new Map(tools.map((tool) => [tool.name, tool])),
      cases: [],
    },
  ],
};

describe("trainTable", () => {
  it("gives the same table for the same seed, and another for another", () => {
    const one = trainTable(glove, [source], { seed: 1, epochs: 2 });
    expect(trainTable(glove, [source], { seed: 1, epochs: 2 })).toEqual(one);
    expect(trainTable(glove, [source], { seed: 2, epochs: 2 }).vectors).not.toEqual(one.vectors);
  });

  it("brings a name closer to what the tool is described by", () => {
    const cosine = (epochs: number): number => {
      const { stems, vectors } = trainTable(glove, [source], { seed: 1, epochs });
      const row = (stem: string): Float32Array => {
        const at = stems.indexOf(stem) * 100;
        return vectors.subarray(at, at + 100);
      };
      const [a, b] = [row("mail"), row("invoic")];
      const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
      return product / (Math.hypot(...a) * Math.hypot(...b));
    };
    expect(cosine(30)).toBeGreaterThan(cosine(0));
  });
});

describe("thresholdsOf", () => {
  const judged = (part: string, neededAt: number, restAt: number): JudgedPart => ({
    source: part,
    part,
    own: [],
    padded: Array.from({ length: 50 }, (_, index) => ({
      id: `${index}`,
      unit: `${index}`,
      set: "",
      labels: "applicable",
      answers: [neededAt, ...Array.from({ length: 9 }, () => restAt)],
      needed: [true, ...Array.from({ length: 9 }, () => false)],
    })),
  });

  it("rejects as much as it can without losing needed tools, up to 0.0021", () => {
    expect(thresholdsOf([judged("a", 0.9, 0.002)])).toEqual({ confidence: 0.9, rejection: 0.0021 });
    const { rejection } = thresholdsOf([judged("a", 0.002, 0.001)]);
    expect(rejection).toBeGreaterThan(0.001);
    expect(rejection).toBeLessThan(0.0021);
  });

  it("counts every source alike, however many parts it has", () => {
    const easy = Array.from({ length: 200 }, (_, index) => ({
      ...judged(`easy ${index}`, 0.9, 0.001),
      source: "easy",
    }));
    expect(thresholdsOf([judged("hard", 0.002, 0.001), ...easy]).rejection).toBeLessThan(0.0021);
  });

  it("does not listen to a part with noisy labels", () => {
    const alone = thresholdsOf([judged("a", 0.9, 0.002)]);
    expect(thresholdsOf([judged("a", 0.9, 0.002), judged("MetaTool", 0.001, 0.01)])).toEqual(alone);
  });
});
