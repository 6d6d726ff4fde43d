/** Isotonic regression: the rising steps that fit labelled probabilities best. */

import type { CalibrationCurve, CalibrationPair } from "./calibration-curve.js";

interface Block {
  readonly from: number;
  readonly positives: number;
  readonly count: number;
}

/**
 * Pool adjacent violators: neighbours are merged until `measure` rises strictly from block to
 * block.
 */
function pool(blocks: readonly Block[], measure: (block: Block) => number): readonly Block[] {
  const stack: Block[] = [];
  for (const block of blocks) {
    let current = block;
    let last = stack.at(-1);
    while (last !== undefined && measure(last) >= measure(current)) {
      stack.pop();
      current = {
        from: last.from,
        positives: last.positives + current.positives,
        count: last.count + current.count,
      };
      last = stack.at(-1);
    }
    stack.push(current);
  }
  return stack;
}

/**
 * Isotonic regression by pool adjacent violators (Ayer et al. 1955); a block of n pairs with k
 * applicable ones is read as (k + ½) / (n + 1), so that no finite evidence becomes certainty.
 * Smoothing can break the order, so it is pooled again.
 */
export function fitIsotonic(pairs: readonly CalibrationPair[]): CalibrationCurve {
  const byProbability = new Map<number, Block>();
  for (const { probability, applicable } of pairs) {
    const block = byProbability.get(probability) ?? { from: probability, positives: 0, count: 0 };
    const positives = block.positives + (applicable ? 1 : 0);
    byProbability.set(probability, { ...block, positives, count: block.count + 1 });
  }
  const sorted = [...byProbability.values()].sort((a, b) => a.from - b.from);
  const smoothed = ({ positives, count }: Block): number => (positives + 0.5) / (count + 1);
  const blocks = pool(
    pool(sorted, ({ positives, count }) => positives / count),
    smoothed,
  );
  return {
    method: "isotonic",
    blocks: blocks.map((block) => ({ from: block.from, probability: smoothed(block) })),
  };
}
