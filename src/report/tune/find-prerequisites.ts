/** Which tools a thread calls before others: pairs for the option `keepTogether`. Pure. */

import type { TurnFacts } from "../facts/turn-facts.js";
import type { ToolPair } from "../summary.js";
import { addCount } from "../units/counts.js";

/** Fewer threads than this are chance. */
const leastThreads = 5;
/** A prerequisite is called before in more than this share of the threads. */
const leastShare = 0.5;
const maxPairs = 20;

/** The place of each tool's first call in a thread, by turn: calls of one turn have no order. */
function findFirstCalls(turns: readonly TurnFacts[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [place, { called, returned }] of turns.entries()) {
    if (!returned) continue;
    for (const name of called) if (!first.has(name)) first.set(name, place);
  }
  return first;
}

/** Counts, over threads, which tool was first called before which. */
export class PrerequisiteTally {
  readonly #threads = new Map<string, number>();
  readonly #before = new Map<string, Map<string, number>>();

  /** Adds the turns of a unit, oldest first. */
  add(copies: readonly TurnFacts[]): void {
    const threads = new Map<string, TurnFacts[]>();
    for (const copy of copies) {
      const turns = threads.get(copy.thread);
      if (turns === undefined) threads.set(copy.thread, [copy]);
      else turns.push(copy);
    }
    for (const turns of threads.values()) this.#addThread(findFirstCalls(turns));
  }

  #addThread(first: ReadonlyMap<string, number>): void {
    for (const [name, place] of first) {
      addCount(this.#threads, name);
      const before = this.#before.get(name) ?? new Map<string, number>();
      this.#before.set(name, before);
      for (const [earlier, earlierPlace] of first) {
        if (earlierPlace < place) addCount(before, earlier);
      }
    }
  }

  /** Pairs that hold in most threads with the later tool, those with the most threads first. */
  finish(): readonly ToolPair[] {
    const pairs = [...this.#before].flatMap(([then, before]) => {
      const threadsWithThen = this.#threads.get(then) ?? 0;
      return [...before]
        .filter(([, threads]) => threads >= leastThreads && threads > leastShare * threadsWithThen)
        .map(([first, threads]) => ({ first, then, threads, threadsWithThen }));
    });
    return pairs
      .sort(
        (one, other) =>
          other.threads - one.threads ||
          one.threadsWithThen - other.threadsWithThen ||
          (`${one.first} ${one.then}` < `${other.first} ${other.then}` ? -1 : 1),
      )
      .slice(0, maxPairs);
  }
}
