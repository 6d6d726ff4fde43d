/** Where the cut lies: split conformal prediction over needs, for catalogs of several sizes. */

import type { PackedHead } from "../src/judges/local/head.js";
import { scoreTurn } from "./train-head.js";
import type { TurnRows } from "./featurise.js";
import type { Trees } from "../src/judges/local/trees.js";

/** One need: the score of the tool that serves it best, and the number of tools that score higher. */
export interface ScoredNeed {
  readonly turn: TurnRows["turn"];
  readonly score: number;
  readonly rank: number;
}

/** Scores every need of some turns. */
export function scoreNeeds(trees: Trees, turns: readonly TurnRows[]): readonly ScoredNeed[] {
  return turns.flatMap((rows) => {
    const scores = scoreTurn(trees, rows);
    return rows.turn.needs.map((need) => {
      const score = Math.max(...need.map((tool) => scores[tool] as number));
      return { turn: rows.turn, score, rank: scores.filter((other) => other > score).length };
    });
  });
}

/**
 * The largest value below which at most a share `missed` of new values lies, by exchangeability: of n values in ascending
 * order the one at place floor((n + 1) * missed), counted from 1 (Vovk and others 2005).
 */
export function conformalBound(values: readonly number[], missed: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = Math.floor((sorted.length + 1) * missed);
  return place < 1 ? Number.NEGATIVE_INFINITY : (sorted[place - 1] as number);
}

/** Turns of one size of catalog. */
export interface SizedTurns {
  readonly size: number;
  readonly turns: readonly TurnRows[];
}

/** The cut for each size, which keeps all but a share `missed` of the needs. */
export function calibrateCuts(
  trees: Trees,
  sizes: readonly SizedTurns[],
  missed: number,
): PackedHead["cuts"] {
  return sizes.map(({ size, turns }) => ({
    size,
    score: Number(
      conformalBound(
        scoreNeeds(trees, turns).map(({ score }) => score),
        missed,
      ).toFixed(3),
    ),
  }));
}
