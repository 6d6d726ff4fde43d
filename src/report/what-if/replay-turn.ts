/** One recorded turn under another policy. Pure. */

import type { SelectionRecord } from "../../core/record.js";
import { isCandidate } from "../facts/exposures.js";
import type { Exposure } from "../facts/exposures.js";
import type { CohortPolicy } from "../summary.js";

/** The tools of one turn, ranked by probability, as the what-if needs them. */
export interface RankedTurn {
  /** Probabilities of the judged candidates, the highest first. */
  readonly probabilities: readonly number[];
  /** Definition tokens of the first n of them, from n = 0. */
  readonly tokenSums: readonly number[];
  /** Tools that stay under every policy: pinned ones, and those kept from earlier turns. */
  readonly keptTools: number;
  readonly catalogTools: number;
  /** Definition tokens of the whole catalog; 0 if unknown. */
  readonly catalogTokens: number;
  /** Definition tokens of tools that never reached the judge. */
  readonly outsideTokens: number;
}

/** The outcome of a turn under one policy. */
export interface ReplayedTurn {
  readonly fallback: boolean;
  /** Tools offered. */
  readonly tools: number;
  /** Share of the definition tokens that are not sent. */
  readonly removedShare: number;
}

/** Ranks the candidates of a record; `null` unless every judged candidate has a probability. */
export function rankTurn(record: SelectionRecord): RankedTurn | null {
  const { catalog, tools } = record;
  const judged = tools.filter(isCandidate);
  if (judged.length === 0 || judged.some(({ probability }) => probability === null)) return null;
  judged.sort((one, other) => (other.probability ?? 0) - (one.probability ?? 0));
  let sum = 0;
  let stuck = 0;
  let outsideTokens = 0;
  for (const entry of tools) {
    if (entry.verdict !== null && !isCandidate(entry)) stuck++;
    if (entry.reason === "not-shortlisted") outsideTokens += entry.tokens ?? 0;
  }
  return {
    probabilities: judged.map(({ probability }) => probability ?? 0),
    tokenSums: [0, ...judged.map(({ tokens }) => (sum += tokens ?? 0))],
    keptTools: Math.max(0, catalog.tools - catalog.candidates) + stuck,
    catalogTools: catalog.tools,
    catalogTokens: catalog.definitionTokens ?? 0,
    outsideTokens,
  };
}

/**
 * Applies a policy to a turn of which every probability is known. The policy of `core/select.ts`
 * has a closed form then: the kept candidates are the first by probability, as many as exceed the
 * rejection threshold and fit under the cap; a probability between the thresholds restores the
 * catalog under `onUncertain: "fallback"`.
 */
export function replayTurn(turn: RankedTurn, policy: CohortPolicy): ReplayedTurn {
  const { probabilities, tokenSums, catalogTokens } = turn;
  let above = 0;
  while ((probabilities[above] ?? -1) > policy.rejectionThreshold) above++;
  const lowest = probabilities[above - 1] ?? 1;
  if (policy.onUncertain === "fallback" && lowest < policy.confidenceThreshold) {
    return { fallback: true, tools: turn.catalogTools, removedShare: 0 };
  }
  const kept = Math.min(policy.maxTools, above);
  const removed = (tokenSums.at(-1) ?? 0) - (tokenSums[kept] ?? 0) + turn.outsideTokens;
  return {
    fallback: false,
    tools: turn.keptTools + kept,
    removedShare: catalogTokens === 0 ? 0 : Math.max(0, removed / catalogTokens),
  };
}

/**
 * True if a policy hides a called tool in a turn that does not fall back; tools outside the
 * shortlist stays hidden.
 */
export function isHiddenUnder(
  { probability, rank }: Exposure,
  { rejectionThreshold, maxTools }: CohortPolicy,
): boolean {
  return probability === null || probability <= rejectionThreshold || rank > maxTools;
}
