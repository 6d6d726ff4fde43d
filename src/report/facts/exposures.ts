/** Which called tools of a turn the selection could have hidden. Pure. */

import type { SelectionRecord } from "../../core/record.js";
import type { ToolReason } from "../../core/types.js";

/**
 * A called tool that the selection could have hidden: it was in the catalog, not pinned, and judged
 * or not shortlisted.
 */
export interface Exposure {
  readonly tool: string;
  readonly hidden: boolean;
  /** Why it was kept or hidden, as recorded. */
  readonly reason: string;
  /** `null`: it never reached the judge. */
  readonly probability: number | null;
  /**
   * Its place among the tools with a probability, from 1; ties in catalog order. 0 if it has none.
   */
  readonly rank: number;
}

type ToolEntry = SelectionRecord["tools"][number];

/**
 * Hidden, and not by a verdict: the judge was not asked about it, or a fallback had no room for it.
 */
const outsideReasons: ReadonlySet<string> = new Set<ToolReason>([
  "not-shortlisted",
  "fallback-cap",
]);

/** Reasons of tools that stay visible from an earlier turn, independent of the judge. */
const lastingReasons: ReadonlySet<string> = new Set<ToolReason>(["sticky", "revealed"]);

/**
 * True if the judge's answer for this tool could decide whether it is kept; a pin has no verdict.
 */
export function isCandidate({ verdict, reason }: ToolEntry): boolean {
  return verdict !== null && !lastingReasons.has(reason);
}

const couldBeHidden = (entry: ToolEntry): boolean =>
  outsideReasons.has(entry.reason) || (entry.probability !== null && isCandidate(entry));

function rankEntry(tools: readonly ToolEntry[], entry: ToolEntry): number {
  const own = entry.probability;
  if (own === null) return 0;
  let rank = 1;
  let isBefore = true;
  for (const other of tools) {
    if (other === entry) isBefore = false;
    else if (other.probability === null) continue;
    else if (other.probability > own || (other.probability === own && isBefore)) rank++;
  }
  return rank;
}

/**
 * The tool that a called name stands for: of namesakes the last that is kept, which saves all, else
 * the last.
 */
function findCalled(tools: readonly ToolEntry[], name: string): ToolEntry | undefined {
  const namesakes = tools.filter((entry) => entry.name === name);
  return namesakes.findLast((candidate) => candidate.kept) ?? namesakes.at(-1);
}

/** The exposure of one called name; `null` if the selection could not have hidden it. */
function findExposure(tools: readonly ToolEntry[], name: string): Exposure | null {
  const entry = findCalled(tools, name);
  if (entry === undefined || !couldBeHidden(entry)) return null;
  return {
    tool: name,
    hidden: !entry.kept,
    reason: entry.reason,
    probability: entry.probability,
    rank: rankEntry(tools, entry),
  };
}

/**
 * The exposures of a record, each tool once; also those of fallback turns, which tuning reads. None
 * if the turn was skipped or cancelled, or if the model call did not return.
 */
export function findExposures(record: SelectionRecord): readonly Exposure[] {
  const { outcome, status } = record;
  if (outcome === null || outcome.error || outcome.called.length === 0) return [];
  if (status === "skipped" || status === "cancelled") return [];
  return [...new Set(outcome.called)].flatMap((name) => findExposure(record.tools, name) ?? []);
}

/**
 * Exposures that count for the verdict. A fallback hides nothing and exposes nothing, unless it had
 * no room for a tool.
 */
export function listCounted({
  fallback,
  exposures,
}: {
  readonly fallback: boolean;
  readonly exposures: readonly Exposure[];
}): readonly Exposure[] {
  return fallback ? exposures.filter(({ reason }) => reason === "fallback-cap") : exposures;
}
