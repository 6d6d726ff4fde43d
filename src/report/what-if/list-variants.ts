/** The policies of the what-if: the recorded one, then others that differ from it in one option. */

import type { CohortPolicy } from "../summary.js";
import { placeAdjacent, scaleOdds } from "../thresholds.js";

/** A policy, and the option in which it differs from the recorded one; `null`: in none. */
export interface PolicyVariant extends CohortPolicy {
  readonly changed: keyof CohortPolicy | null;
}

/** Steps in the odds of a threshold, so that judges on any scale get useful neighbours. */
const rejectionFactors = [1 / 16, 1 / 4, 1 / 2, 2, 4] as const;
const confidenceFactors = [1 / 4, 1 / 2, 2, 4] as const;

function listRejections(policy: CohortPolicy): readonly Partial<CohortPolicy>[] {
  return rejectionFactors.map((factor) => {
    const rejectionThreshold = scaleOdds(policy.rejectionThreshold, factor);
    return rejectionThreshold < policy.confidenceThreshold
      ? { rejectionThreshold }
      : placeAdjacent(rejectionThreshold);
  });
}

function listConfidences(policy: CohortPolicy): readonly Partial<CohortPolicy>[] {
  return confidenceFactors.map((factor) => {
    const confidenceThreshold = scaleOdds(policy.confidenceThreshold, factor);
    return confidenceThreshold > policy.rejectionThreshold
      ? { confidenceThreshold }
      : placeAdjacent(confidenceThreshold);
  });
}

/**
 * The recorded policy, then at most 13 neighbours. A threshold that would pass the other one takes
 * it along, so that the two stay next to each other.
 */
export function listVariants(policy: CohortPolicy): readonly PolicyVariant[] {
  const { maxTools, onUncertain } = policy;
  const changes = {
    rejectionThreshold: listRejections(policy),
    confidenceThreshold: listConfidences(policy),
    maxTools: [Math.ceil(maxTools / 2), maxTools * 2, maxTools * 4].map((cap) => ({
      maxTools: cap,
    })),
    onUncertain: [{ onUncertain: onUncertain === "keep" ? "fallback" : "keep" }],
  } as const satisfies Record<keyof CohortPolicy, readonly Partial<CohortPolicy>[]>;
  const variants = Object.entries(changes).flatMap(([changed, list]) =>
    list.map((change) => ({ ...policy, ...change, changed: changed as keyof CohortPolicy })),
  );
  const isNew = ({ changed }: (typeof variants)[number], index: number): boolean =>
    variants[index]?.[changed] !== policy[changed];
  return [{ ...policy, changed: null }, ...variants.filter(isNew)];
}
