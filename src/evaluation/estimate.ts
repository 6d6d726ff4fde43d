/**
 * Shares and areas with bootstrap intervals. Units (conversations) are drawn, because turns of one
 * are alike.
 */

import { seededRandom } from "./random.js";

/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  /** Percentile bootstrap over units, 1,000 draws. */
  readonly low: number;
  readonly high: number;
  /** Cases that were counted. */
  readonly cases: number;
}

/** One case's part of a share: `part` of `whole`. */
export interface Part {
  readonly unit: string;
  readonly part: number;
  readonly whole: number;
}

/** A case for none-detection: its score, and whether a tool was needed. */
export interface ScoredCase {
  readonly unit: string;
  readonly score: number;
  readonly isPositive: boolean;
}

const draws = 1000;

/** Yields how often each of `count` units was drawn, per sample. */
function* drawSamples(count: number, seed: number): Generator<Int32Array> {
  const random = seededRandom(`bootstrap:${seed}`);
  for (let draw = 0; draw < draws; draw += 1) {
    const weights = new Int32Array(count);
    for (let pick = 0; pick < count; pick += 1) {
      const index = Math.floor(random() * count);
      weights[index] = (weights[index] ?? 0) + 1;
    }
    yield weights;
  }
}

function toInterval(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { low: at(0.025), high: at(0.975) };
}

/** The index of each item's unit, units numbered in order of appearance. */
function numberUnits(items: readonly { readonly unit: string }[]): {
  readonly indexes: readonly number[];
  readonly count: number;
} {
  const numbers = new Map<string, number>();
  const indexes = items.map(({ unit }) => {
    const number = numbers.get(unit) ?? numbers.size;
    numbers.set(unit, number);
    return number;
  });
  return { indexes, count: numbers.size };
}

/** The sum of the parts over the sum of the wholes; `null` if there is no whole. */
export function estimateShare(parts: readonly Part[], seed: number): Estimate | null {
  const { indexes, count } = numberUnits(parts);
  const share = (weights: Int32Array | null): number => {
    let part = 0;
    let whole = 0;
    for (const [position, item] of parts.entries()) {
      const weight = weights === null ? 1 : (weights[indexes[position] ?? 0] ?? 0);
      part += weight * item.part;
      whole += weight * item.whole;
    }
    return part / whole;
  };
  const value = share(null);
  if (Number.isNaN(value)) return null;
  return {
    value,
    ...toInterval(Array.from(drawSamples(count, seed), share)),
    cases: parts.filter(({ whole }) => whole > 0).length,
  };
}

/**
 * The area under the ROC curve: how often a positive scores above a negative, ties counting half
 * (Mann and Whitney 1947). `null` unless there are both.
 */
export function estimateAuroc(scored: readonly ScoredCase[], seed: number): Estimate | null {
  const sorted = scored.toSorted((a, b) => a.score - b.score);
  const { indexes, count } = numberUnits(sorted);
  const area = (weights: Int32Array | null): number => {
    let wins = 0;
    let positives = 0;
    let negatives = 0;
    let tied = { score: Number.NaN, positives: 0, negatives: 0 };
    for (const [position, { score, isPositive }] of sorted.entries()) {
      const weight = weights === null ? 1 : (weights[indexes[position] ?? 0] ?? 0);
      if (score !== tied.score) tied = { score, positives: 0, negatives: 0 };
      if (isPositive) {
        wins += weight * (negatives - tied.negatives / 2);
        tied.positives += weight;
        positives += weight;
      } else {
        wins += (weight * tied.positives) / 2;
        tied.negatives += weight;
        negatives += weight;
      }
    }
    return wins / (positives * negatives);
  };
  const value = area(null);
  if (Number.isNaN(value)) return null;
  return { value, ...toInterval(Array.from(drawSamples(count, seed), area)), cases: scored.length };
}
