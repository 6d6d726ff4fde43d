/** Recorded turns as if the tools block only ever grew, as it does with `sticky`. Pure. */

import type { BlockTool } from "../facts/block-store.js";
import { hash53 } from "../facts/hash.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import type { StickySaving } from "../summary.js";
import type { Turn } from "../units/fold-copies.js";

/** The tools of a block; `null` if they are unknown. */
export type FindBlock = (block: number) => readonly BlockTool[] | null;

const isWhole = ({ asked, fallback }: TurnFacts): boolean => fallback || !asked;

const nameScope = (sticky: StickySaving["sticky"], { thread, request, time }: TurnFacts): string =>
  sticky === "thread" ? thread : `${Number.isNaN(request) ? `at ${time}` : request} ${thread}`;

/** The facts of a turn whose block is a set of tools that holds the recorded block. */
function growBlock(
  facts: TurnFacts,
  block: readonly BlockTool[],
  visible: ReadonlyMap<string, BlockTool>,
): TurnFacts {
  const own = new Set(block.map(({ name }) => name));
  let tokens = facts.suggestedTokens;
  for (const tool of visible.values()) if (!own.has(tool.name)) tokens += tool.tokens;
  return {
    ...facts,
    suggestedTokens: Math.min(tokens, facts.fullTokens),
    suggestedBlock: hash53([...visible.keys()].sort().join("\n")),
  };
}

/**
 * Turns of one unit with every tool still offered that was offered earlier in the run or thread. A
 * fallback offers everything and is not remembered. The bound `stickyMax` is not replayed.
 *
 * @returns `null` if the tools of some block are unknown.
 */
export function replaySticky(
  turns: readonly Turn[],
  sticky: StickySaving["sticky"],
  findBlock: FindBlock,
): readonly Turn[] | null {
  const scopes = new Map<string, Map<string, BlockTool>>();
  const replayed: Turn[] = [];
  for (const turn of turns) {
    if (isWhole(turn.last)) {
      replayed.push(turn);
      continue;
    }
    const block = findBlock(turn.last.suggestedBlock);
    if (block === null) return null;
    const scope = nameScope(sticky, turn.last);
    const visible = scopes.get(scope) ?? new Map<string, BlockTool>();
    scopes.set(scope, visible);
    for (const tool of block) visible.set(tool.name, tool);
    replayed.push({ ...turn, last: growBlock(turn.last, block, visible) });
  }
  return replayed;
}
