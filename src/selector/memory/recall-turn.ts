/**
 * Reads from the memory of a thread what counts for one turn: what was redescribed, removed or has
 * had its time is left out.
 */

import type { CatalogTool } from "../../core/catalog.js";
import type { MemoryChange, RememberedTool, ThreadMemory } from "../../core/types.js";
import { toRememberedTool } from "./thread-memory.js";

/** How long a tool stays visible: not beyond a turn, for one user message, or for the thread. */
export type Stickiness = "off" | "run" | "thread";

/** What a turn takes from the memory of its thread. */
export interface RecalledTurn {
  /** Names of tools that were visible, and stay so. */
  readonly sticky: ReadonlySet<string>;
  /** Those of them that became visible in this run. */
  readonly shown: ReadonlySet<string>;
  /** Names of tools that the finder revealed. */
  readonly revealed: ReadonlySet<string>;
  /** Names of tools called earlier in the thread. */
  readonly called: ReadonlySet<string>;
  /** Judgments of this run, by the remembered fingerprint; `null`: the judge could not tell. */
  readonly judged: ReadonlyMap<string, number | null>;
  /** What the turn forgets, to be written with its own change. */
  readonly change: MemoryChange;
}

/** What recalling needs to know of the turn. */
export interface RecallOptions {
  readonly run: string | null;
  readonly catalog: readonly Pick<CatalogTool, "description" | "fingerprint">[];
  readonly sticky: Stickiness;
  /** Sticky tools that a new user message begins with at most. */
  readonly stickyMax: number;
}

const identify = ({ name, fingerprint }: RememberedTool): string => `${fingerprint} ${name}`;

function identifyCatalog(catalog: RecallOptions["catalog"]): ReadonlySet<string> {
  return new Set(
    catalog.flatMap(({ description, fingerprint }) =>
      description === null ? [] : [identify(toRememberedTool(description.name, fingerprint))],
    ),
  );
}

/** Sticky tools that leave at the turn that begins a new user message. */
function endSticky(
  sticky: readonly RememberedTool[],
  { sticky: stickiness, stickyMax }: RecallOptions,
): readonly RememberedTool[] {
  if (stickiness === "thread") return sticky.slice(0, Math.max(0, sticky.length - stickyMax));
  return sticky;
}

/** What the memory says of this turn. */
export function recallTurn(memory: ThreadMemory, options: RecallOptions): RecalledTurn {
  const { run, catalog, sticky: stickiness } = options;
  const live = identifyCatalog(catalog);
  const isLive = (tool: RememberedTool): boolean => live.has(identify(tool));
  const judged = memory.run?.judged ?? [];
  const isNewRun = memory.run?.request !== run;
  const sticky = memory.sticky.filter(isLive);
  const ended = stickiness === "off" || isNewRun ? endSticky(sticky, options) : [];
  const gone = new Set(ended.map(({ name }) => name));
  return {
    sticky: new Set(sticky.map(({ name }) => name).filter((name) => !gone.has(name))),
    shown: new Set(isNewRun ? [] : memory.run?.shown),
    revealed: new Set(memory.revealed.filter(isLive).map(({ name }) => name)),
    called: new Set(memory.called),
    judged: new Map(
      (isNewRun ? [] : judged.filter(isLive)).map((tool) => [tool.fingerprint, tool.probability]),
    ),
    change: {
      request: run ?? undefined,
      forget: [...memory.sticky, ...memory.revealed, ...judged].filter((tool) => !isLive(tool)),
      unstick: [...gone],
    },
  };
}
