/** Mean and quantiles of a sample. */

import { sum } from "../core/sum.js";
import type { Distribution } from "./summary.js";

/** The `share`-quantile of sorted values, interpolated between neighbours. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** `null` for an empty sample. */
export function describeSample(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    mean: sum(sorted) / sorted.length,
    min: quantile(sorted, 0),
    p05: quantile(sorted, 0.05),
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: quantile(sorted, 1),
  };
}
