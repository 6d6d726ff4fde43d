/** Which called tools of a turn the selection could have hidden. Pure. */

import type { SelectionRecord } from "../core/record.js";

/** A called tool that the selection could have hidden: it was in the catalog, not pinned, and judged or not shortlisted. */
export interface Exposure {
  readonly tool: string;
  readonly hidden: boolean;
  /** Why it was kept or hidden, as recorded. */
  readonly reason: string;
  /** `null`: not shortlisted. */
  readonly probability: number | null;
  /** Its place among the tools with a probability, from 1; ties in catalog order. 0 if it has none. */
  readonly rank: number;
}

type ToolEntry = SelectionRecord["tools"][number];

function rankOf(tools: readonly ToolEntry[], entry: ToolEntry): number {
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

/** A pin has no verdict, whatever its probability. */
const couldBeHidden = ({ probability, verdict, reason }: ToolEntry): boolean =>
  (probability !== null && verdict !== null) || reason === "not-shortlisted";

/** The tool that a called name stands for: of namesakes the last that is kept, which saves all, else the last. */
export function calledEntry(tools: readonly ToolEntry[], name: string): ToolEntry | undefined {
  const namesakes = tools.filter((entry) => entry.name === name);
  return namesakes.findLast((candidate) => candidate.kept) ?? namesakes.at(-1);
}

/** The exposure of one called name; `null` if the selection could not have hidden it. */
function exposureOf(tools: readonly ToolEntry[], name: string): Exposure | null {
  const entry = calledEntry(tools, name);
  if (entry === undefined || !couldBeHidden(entry)) return null;
  return {
    tool: name,
    hidden: !entry.kept,
    reason: entry.reason,
    probability: entry.probability,
    rank: rankOf(tools, entry),
  };
}

/**
 * The exposures of a record, each tool once; also those of fallback turns, which tuning reads. None if the turn was
 * skipped or cancelled, or if the model call did not return.
 */
export function exposuresOf(record: SelectionRecord): readonly Exposure[] {
  const { outcome, status } = record;
  if (outcome === null || outcome.error || outcome.called.length === 0) return [];
  if (status === "skipped" || status === "cancelled") return [];
  return [...new Set(outcome.called)].flatMap((name) => exposureOf(record.tools, name) ?? []);
}
