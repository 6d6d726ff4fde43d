/** Gradient-boosted trees for a yes/no target: histogram split search, complete trees of a fixed depth, logistic loss. */

import type { Trees } from "../src/judges/local/trees.js";

interface Tree {
  readonly features: readonly number[];
  readonly thresholds: readonly number[];
  readonly leaves: readonly number[];
}

export interface TrainingRows {
  /** Row by row. */
  readonly values: Float32Array;
  readonly width: number;
  readonly labels: Uint8Array;
  readonly weights: Float32Array;
}

export interface BoostingOptions {
  readonly trees: number;
  readonly depth: number;
  readonly learningRate: number;
  /** Least sum of weights in a leaf. */
  readonly leastWeight: number;
  readonly ridge: number;
  /** Share of the features tried in a tree, drawn by `random`. */
  readonly featureShare: number;
  /** Share of the rows that the splits of a tree are searched with; its leaves see all. */
  readonly rowShare: number;
  readonly random: () => number;
  /** For each feature 1 if the target may only rise with it, -1 if it may only fall, else 0. */
  readonly directions: readonly number[];
}

const binCount = 48;

/** Cut points of one feature: quantiles of a sample of its values. */
function cutPoints(rows: TrainingRows, feature: number): Float32Array {
  const count = rows.labels.length;
  const step = Math.max(1, Math.floor(count / 20_000));
  const sample: number[] = [];
  for (let row = 0; row < count; row += step) {
    sample.push(rows.values[row * rows.width + feature] as number);
  }
  sample.sort((a, b) => a - b);
  const cuts = new Set<number>();
  for (let bin = 1; bin < binCount; bin += 1) {
    // Half of the cuts lie in the upper tenth, where the needed tools are told apart.
    const share =
      bin < binCount / 2
        ? (bin / (binCount / 2)) * 0.9
        : 0.9 + 0.1 * ((bin - binCount / 2) / (binCount / 2));
    cuts.add(sample[Math.min(sample.length - 1, Math.floor(share * sample.length))] as number);
  }
  return Float32Array.from([...cuts].sort((a, b) => a - b));
}

function binOf(cuts: Float32Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value > (cuts[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Binned {
  readonly bins: readonly Uint8Array[];
  readonly cuts: readonly Float32Array[];
}

function binRows(rows: TrainingRows): Binned {
  const count = rows.labels.length;
  const cuts = Array.from({ length: rows.width }, (_, feature) => cutPoints(rows, feature));
  const bins = cuts.map((points, feature) => {
    const column = new Uint8Array(count);
    for (let row = 0; row < count; row += 1) {
      column[row] = binOf(points, rows.values[row * rows.width + feature] as number);
    }
    return column;
  });
  return { bins, cuts };
}

/** Trains the trees. Deterministic for a deterministic `random`. */
export function trainTrees(rows: TrainingRows, options: BoostingOptions): Trees {
  const count = rows.labels.length;
  const { bins, cuts } = binRows(rows);
  let positive = 0;
  let total = 0;
  for (let row = 0; row < count; row += 1) {
    const weight = rows.weights[row] as number;
    total += weight;
    positive += weight * (rows.labels[row] as number);
  }
  const bias = Math.log(positive / (total - positive));
  const scores = new Float64Array(count).fill(bias);
  const gradients = new Float64Array(count);
  const curvatures = new Float64Array(count);
  const nodeOf = new Uint8Array(count);
  const trees: Tree[] = [];
  for (let round = 0; round < options.trees; round += 1) {
    for (let row = 0; row < count; row += 1) {
      const probability = 1 / (1 + Math.exp(-(scores[row] as number)));
      const weight = rows.weights[row] as number;
      gradients[row] = weight * ((rows.labels[row] as number) - probability);
      curvatures[row] = weight * Math.max(1e-6, probability * (1 - probability));
    }
    const used = cuts.flatMap((points, feature) =>
      points.length > 1 && options.random() < options.featureShare ? [feature] : [],
    );
    const tree = growTree(
      {
        bins,
        cuts,
        gradients,
        curvatures,
        nodeOf,
        used,
        searched: drawRows(count, options),
        weights: rows.weights,
        bounds: [],
      },
      options,
    );
    const firstLeaf = 2 ** options.depth - 1;
    for (let row = 0; row < count; row += 1) {
      scores[row] =
        (scores[row] as number) + (tree.leaves[(nodeOf[row] as number) - firstLeaf] as number);
    }
    trees.push(tree);
  }
  return {
    depth: options.depth,
    bias,
    features: Uint8Array.from(trees.flatMap(({ features }) => features)),
    thresholds: Float32Array.from(trees.flatMap(({ thresholds }) => thresholds)),
    leaves: Float32Array.from(trees.flatMap(({ leaves }) => leaves)),
  };
}

/** The rows that one tree searches, in ascending order. */
function drawRows(count: number, { rowShare, random }: BoostingOptions): Int32Array {
  const drawn = new Int32Array(count);
  let size = 0;
  for (let row = 0; row < count; row += 1) {
    if (rowShare < 1 && random() >= rowShare) continue;
    drawn[size] = row;
    size += 1;
  }
  return drawn.subarray(0, size);
}

interface Growing extends Binned {
  readonly searched: Int32Array;
  readonly gradients: Float64Array;
  readonly curvatures: Float64Array;
  readonly weights: Float32Array;
  readonly nodeOf: Uint8Array;
  readonly used: readonly number[];
  /** Least and largest value allowed in each node of the level. */
  bounds: readonly (readonly [number, number])[];
}

interface Split {
  gain: number;
  feature: number;
  bin: number;
  /** Values of the two sides, within the node's bounds. */
  left: number;
  right: number;
}

function bestSplits(growing: Growing, level: number, options: BoostingOptions): readonly Split[] {
  const nodes = 2 ** level;
  const firstNode = nodes - 1;
  const splits = Array.from({ length: nodes }, (): Split => ({
    gain: 1e-9,
    feature: -1,
    bin: 0,
    left: 0,
    right: 0,
  }));
  const stride = 3;
  const histogram = new Float64Array(nodes * binCount * stride);
  for (const feature of growing.used) {
    histogram.fill(0);
    const column = growing.bins[feature] as Uint8Array;
    for (const row of growing.searched) {
      const at =
        (((growing.nodeOf[row] as number) - firstNode) * binCount + (column[row] as number)) *
        stride;
      histogram[at] = (histogram[at] as number) + (growing.gradients[row] as number);
      histogram[at + 1] = (histogram[at + 1] as number) + (growing.curvatures[row] as number);
      histogram[at + 2] = (histogram[at + 2] as number) + (growing.weights[row] as number);
    }
    for (let node = 0; node < nodes; node += 1) {
      const start = node * binCount * stride;
      let [g, h, w] = [0, 0, 0];
      for (let bin = 0; bin < binCount; bin += 1) {
        g += histogram[start + bin * stride] as number;
        h += histogram[start + bin * stride + 1] as number;
        w += histogram[start + bin * stride + 2] as number;
      }
      const parent = (g * g) / (h + options.ridge);
      let [gl, hl, wl] = [0, 0, 0];
      const split = splits[node] as Split;
      for (let bin = 0; bin < (growing.cuts[feature] as Float32Array).length; bin += 1) {
        gl += histogram[start + bin * stride] as number;
        hl += histogram[start + bin * stride + 1] as number;
        wl += histogram[start + bin * stride + 2] as number;
        if (wl < options.leastWeight || w - wl < options.leastWeight) continue;
        const [low, high] = growing.bounds[node] as readonly [number, number];
        const left = Math.min(high, Math.max(low, gl / (hl + options.ridge)));
        const right = Math.min(high, Math.max(low, (g - gl) / (h - hl + options.ridge)));
        if ((right - left) * (options.directions[feature] as number) < 0) continue;
        const gain =
          2 * left * gl -
          left * left * (hl + options.ridge) +
          2 * right * (g - gl) -
          right * right * (h - hl + options.ridge) -
          parent;
        if (gain > split.gain) {
          split.left = left;
          split.right = right;
          split.gain = gain;
          split.feature = feature;
          split.bin = bin;
        }
      }
    }
  }
  return splits;
}

/** After a split on a directed feature neither side may cross the middle. */
function childBounds(
  [low, high]: readonly [number, number],
  { feature, left, right }: Split,
  options: BoostingOptions,
): readonly (readonly [number, number])[] {
  const direction = feature < 0 ? 0 : (options.directions[feature] as number);
  if (direction === 0)
    return [
      [low, high],
      [low, high],
    ];
  const middle = (left + right) / 2;
  return direction > 0
    ? [
        [low, middle],
        [middle, high],
      ]
    : [
        [middle, high],
        [low, middle],
      ];
}

function growTree(growing: Growing, options: BoostingOptions): Tree {
  const count = growing.nodeOf.length;
  growing.nodeOf.fill(0);
  const features: number[] = [];
  const thresholds: number[] = [];
  growing.bounds = [[-Infinity, Infinity]];
  for (let level = 0; level < options.depth; level += 1) {
    const firstNode = 2 ** level - 1;
    const splits = bestSplits(growing, level, options);
    for (const { feature, bin } of splits) {
      // A node that is not worth a split sends all rows left.
      features.push(Math.max(0, feature));
      thresholds.push(
        feature < 0 ? Infinity : ((growing.cuts[feature] as Float32Array)[bin] as number),
      );
    }
    growing.bounds = splits.flatMap((split, node) =>
      childBounds(growing.bounds[node] as readonly [number, number], split, options),
    );
    for (let row = 0; row < count; row += 1) {
      const node = growing.nodeOf[row] as number;
      const split = splits[node - firstNode] as Split;
      const right =
        split.feature >= 0 &&
        ((growing.bins[split.feature] as Uint8Array)[row] as number) > split.bin;
      growing.nodeOf[row] = 2 * node + (right ? 2 : 1);
    }
  }
  const leafCount = 2 ** options.depth;
  const gradientSums = new Float64Array(leafCount);
  const curvatureSums = new Float64Array(leafCount);
  for (let row = 0; row < count; row += 1) {
    const leaf = (growing.nodeOf[row] as number) - (leafCount - 1);
    gradientSums[leaf] = (gradientSums[leaf] as number) + (growing.gradients[row] as number);
    curvatureSums[leaf] = (curvatureSums[leaf] as number) + (growing.curvatures[row] as number);
  }
  const leaves = Array.from(gradientSums, (sum, leaf) => {
    const [low, high] = growing.bounds[leaf] as readonly [number, number];
    const value = sum / ((curvatureSums[leaf] as number) + options.ridge);
    return options.learningRate * Math.min(high, Math.max(low, value));
  });
  return { features, thresholds, leaves };
}
