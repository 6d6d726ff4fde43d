/** Mean, deviation and best of the values of a catalog's tools, and where each value stands among them. */

/** What a value is compared with. */
export interface Spread {
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** The spread of the values of all tools but those that `isLeftOut` marks; of all, if it marks every one. */
export function measureSpread(values: Float32Array, isLeftOut: Uint8Array): Spread {
  const isNoneIn = isLeftOut.every((mark) => mark === 1);
  let best = -Infinity;
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (const [index, value] of values.entries()) {
    if (!isNoneIn && isLeftOut[index] === 1) continue;
    best = Math.max(best, value);
    sum += value;
    squares += value * value;
    count += 1;
  }
  if (count === 0) return { best: 0, mean: 0, deviation: 0 };
  const mean = sum / count;
  return { best, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

/** A value in deviations from the mean; `least` keeps a catalog of near equals from looking like a contest. */
export function standing(value: number, { mean, deviation }: Spread, least: number): number {
  return (value - mean) / (deviation + least);
}
