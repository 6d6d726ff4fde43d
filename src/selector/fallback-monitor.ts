/** Warns once when the full catalog is restored so often that nothing is gained. */

import type { Selection } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";

const windowSize = 50;

export interface FallbackMonitor {
  observe(selection: Selection): void;
}

/** Watches the last 50 judged turns; warns when more than half of them fell back. */
export function createFallbackMonitor(warn: Warn): FallbackMonitor {
  const recent: boolean[] = [];
  return {
    observe({ status, fallback }) {
      if (status === "skipped" || status === "cancelled") return;
      recent.push(fallback);
      if (recent.length > windowSize) recent.shift();
      const fallbacks = recent.filter(Boolean).length;
      if (fallbacks <= windowSize / 2) return;
      warn(
        "fallback",
        `${fallbacks} of the last ${recent.length} judged turns restored the full catalog. With many tools some answer is nearly always uncertain: consider \`onUncertain: "keep"\`, or look at the judge's failures.`,
      );
    },
  };
}
