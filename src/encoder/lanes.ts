/**
 * Who computes when: one pass that somebody waits for, and one in the background that gives way to
 * it.
 */

import type { Workspace } from "./workspace.js";

/** Work that somebody waits for, and work that can wait. */
export type LaneName = "awaited" | "background";

/** Resolves when this lane may go on; to be awaited between two steps. */
export type Turn = () => Promise<void> | undefined;

/** Two queues, each with a memory of its own. */
export interface Lanes {
  /** Runs work when all earlier work of its lane is done. */
  run<T>(name: LaneName, work: (space: Workspace, turn: Turn) => Promise<T>): Promise<T>;
}

/** Creates the two queues. */
export function createLanes(workspaces: Readonly<Record<LaneName, Workspace>>): Lanes {
  const tails: Record<LaneName, Promise<unknown>> = {
    awaited: Promise.resolve(),
    background: Promise.resolve(),
  };
  let awaitedCount = 0;
  const turns: Record<LaneName, Turn> = {
    awaited: () => undefined,
    background: () => (awaitedCount === 0 ? undefined : untilIdle()),
  };

  function untilIdle(): Promise<void> {
    return tails.awaited.then(() => turns.background());
  }

  return {
    run(name, work) {
      if (name === "awaited") awaitedCount += 1;
      const result = tails[name].then(() => work(workspaces[name], turns[name]));
      const settle = (): void => {
        if (name === "awaited") awaitedCount -= 1;
      };
      tails[name] = result.then(settle, settle);
      return result;
    },
  };
}
