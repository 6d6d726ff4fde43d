/** Folds the copies of a turn into one, and cuts each thread after its first miss. Pure. */

import { listCounted } from "../facts/exposures.js";
import type { Exposure } from "../facts/exposures.js";
import type { TurnFacts } from "../facts/turn-facts.js";

/** A turn: one model step of a thread, however often it was retried, resumed or replayed. */
export interface Turn {
  /** The copy whose figures count. */
  readonly last: TurnFacts;
  /** All copies, oldest first; each one's judge was paid for. */
  readonly copies: readonly TurnFacts[];
  /** What counts for the verdict: the exposures of the last copy, and the misses of any. */
  readonly exposures: readonly Exposure[];
  readonly isMissed: boolean;
}

function joinExposures(copies: readonly TurnFacts[]): readonly Exposure[] {
  const byTool = new Map<string, Exposure>();
  for (const exposure of listCounted(copies[copies.length - 1] as TurnFacts)) {
    byTool.set(exposure.tool, exposure);
  }
  for (const exposure of copies.flatMap(listCounted)) {
    if (exposure.hidden) byTool.set(exposure.tool, exposure);
  }
  return [...byTool.values()];
}

function foldTurn(copies: readonly TurnFacts[], last: TurnFacts): Turn {
  const exposures = copies.length === 1 ? listCounted(last) : joinExposures(copies);
  return { last, copies, exposures, isMissed: exposures.some(({ hidden }) => hidden) };
}

/**
 * Folds duplicates: copies with the same thread, request and step. Turns without a request or step
 * are never folded.
 *
 * @param copies of one unit and one cohort, oldest first.
 * @returns turns in the order of their first copies.
 */
export function foldCopies(copies: readonly TurnFacts[]): readonly Turn[] {
  const groups = new Map<string | symbol, TurnFacts[]>();
  for (const copy of copies) {
    const isKnown = !Number.isNaN(copy.request) && !Number.isNaN(copy.step);
    const key = isKnown ? `${copy.request} ${copy.step} ${copy.thread}` : Symbol("unknown");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [copy]);
    else group.push(copy);
  }
  return [...groups.values()].map((group) => foldTurn(group, group.at(-1) as TurnFacts));
}

/**
 * Each thread's turns up to and including its first miss: what follows would have gone another way.
 */
export function cutAfterMiss(turns: readonly Turn[]): readonly Turn[] {
  const missed = new Set<string>();
  return turns.filter(({ last, isMissed }) => {
    if (missed.has(last.thread)) return false;
    if (isMissed) missed.add(last.thread);
    return true;
  });
}
