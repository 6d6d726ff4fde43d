import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/evaluation/random.js";
import {
  column,
  featureCount,
  featureDirections,
} from "../../../src/judges/local/feature-names.js";
import { findCut, judgeRows, openHead } from "../../../src/judges/local/head.js";
import { scoreRow } from "../../../src/judges/local/trees.js";
import { trainTrees, type TrainingRows } from "../../../training/boosting.js";
import { conformalBound } from "../../../training/calibrate.js";
import { packHead, weightsModule } from "../../../training/pack-head.js";

const count = 4000;

/** The label follows `requestStanding`, against its direction for small values; `catalogSize` is noise. */
function madeUpRows(): TrainingRows {
  const random = seededRandom("rows");
  const values = new Float32Array(count * featureCount);
  const labels = new Uint8Array(count);
  for (let row = 0; row < count; row += 1) {
    const requestStanding = random();
    values[row * featureCount + column.requestStanding] = requestStanding;
    values[row * featureCount + column.catalogSize] = random();
    const share = requestStanding < 0.2 ? 0.3 : requestStanding;
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
    rowShare: 1,
    random: seededRandom(seed),
    directions: featureDirections,
  });

function curve(): readonly number[] {
  const trees = train("1");
  return Array.from({ length: 50 }, (_, step) => {
    const row = new Float32Array(featureCount);
    row[column.requestStanding] = step / 49;
    row[column.catalogSize] = 0.5;
    return 1 / (1 + Math.exp(-scoreRow(trees, row, 0)));
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

describe("conformalBound", () => {
  it.each([
    [99, 0.01, 1],
    [199, 0.01, 2],
    [98, 0.01, Number.NEGATIVE_INFINITY],
    [9, 0.5, 5],
  ])("of %i values that may miss a share of %f takes the one at place %f", (count, missed, at) => {
    const values = Array.from({ length: count }, (_, index) => count - index);
    expect(conformalBound(values, missed)).toBe(at);
  });
});

describe("a packed head", () => {
  const trees = train("1");
  const cuts = [
    { size: 10, score: -2 },
    { size: 1000, score: 2 },
  ];

  it("scores as the trees that it was packed from", () => {
    expect(openHead(packHead(trees, cuts))).toEqual({ trees, cuts });
  });

  it("is a module that reads back", () => {
    const packed = packHead(trees, cuts);
    const text = weightsModule(packed);
    const json = text.slice(text.indexOf("= {") + 2, text.lastIndexOf(";"));
    expect(JSON.parse(json)).toEqual(packed);
  });

  it("leaves no probability between the two thresholds, however close to the cut a score is", () => {
    const rows = new Float32Array(featureCount);
    const score = scoreRow(trees, rows, 0);
    for (const distance of [-1e-3, -1e-9, 0, 1e-9]) {
      const steps = judgeRows({ trees, cuts: [{ size: 1, score: score - distance }] }, rows);
      const [probability = Number.NaN] = steps.next().value ?? [];
      expect(probability >= 0.5 || probability <= 0.499).toBe(true);
    }
  });

  it.each([
    [1, -2],
    [10, -2],
    [100, 0],
    [1000, 2],
    [5000, 2],
  ])("cuts a catalog of %i tools at %f", (size, cut) => {
    expect(findCut(cuts, size)).toBeCloseTo(cut, 6);
  });
});
