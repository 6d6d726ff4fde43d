/** Boosted decision trees, as they are asked: complete trees of one depth in flat arrays, log-odds added up. */

/** Tree after tree; in each, node n has the children 2n + 1 and 2n + 2, and a row goes right where its value exceeds the threshold. */
export interface Trees {
  readonly depth: number;
  /** Log-odds before the first tree. */
  readonly bias: number;
  /** Column asked about, for each inner node. */
  readonly features: Uint8Array;
  readonly thresholds: Float32Array;
  /** Log-odds added, for each leaf, left to right. */
  readonly leaves: Float32Array;
}

/** Log-odds of the row that begins at `from`. */
export function scoreRow(trees: Trees, rows: Float32Array, from: number): number {
  const { depth, features, thresholds, leaves } = trees;
  const innerNodes = 2 ** depth - 1;
  const leafCount = innerNodes + 1;
  let score = trees.bias;
  let firstNode = 0;
  for (let firstLeaf = 0; firstLeaf < leaves.length; firstLeaf += leafCount) {
    let node = 0;
    for (let level = 0; level < depth; level += 1) {
      const at = firstNode + node;
      const value = rows[from + (features[at] as number)] as number;
      node = 2 * node + (value > (thresholds[at] as number) ? 2 : 1);
    }
    score += leaves[firstLeaf + node - innerNodes] as number;
    firstNode += innerNodes;
  }
  return score;
}
