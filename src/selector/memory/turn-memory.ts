/**
 * The memory of threads as one selector uses it: read at the start of a turn, changed when its
 * selection is known.
 */

import type { CatalogTool } from "../../core/catalog.js";
import { listFingerprint } from "../../core/fingerprint.js";
import type { ResolvedThreadOptions } from "../../core/thread-options.js";
import type {
  Judgment,
  MemoryChange,
  Mode,
  RememberedJudgment,
  RememberedTool,
  ThreadMemory,
  ToolOutcome,
  ToolReason,
  Turn,
  TurnMessage,
} from "../../core/types.js";
import { identifyRun } from "./identify-run.js";
import { createMemoryStore } from "./memory-store.js";
import { recallTurn } from "./recall-turn.js";
import type { RecalledTurn } from "./recall-turn.js";
import { parseThreadMemory, toRememberedTool } from "./thread-memory.js";

/** What a turn knows of its thread. */
export interface TurnMemory extends RecalledTurn {
  /** The whole memory, as it was before the turn. */
  readonly before: ThreadMemory;
}

/** The memories of all threads. */
export interface TurnMemories {
  /**
   * What the thread remembers; in shadow what it would remember, had the selections been enforced.
   */
  read(turn: Turn, mode: Mode): ThreadMemory;
  recall(
    turn: Turn,
    mode: Mode,
    input: { readonly messages: readonly TurnMessage[]; readonly catalog: readonly CatalogTool[] },
  ): TurnMemory;
  /** Remembers in this process; a host with a state of its own writes the change there. */
  change(turn: Turn, mode: Mode, change: MemoryChange): void;
}

/** A shadow selection is remembered apart: its tools were never hidden. */
function keyThread({ threadId }: Turn, mode: Mode): string | undefined {
  return threadId === undefined
    ? undefined
    : `${mode === "shadow" ? "shadow" : "live"} ${threadId}`;
}

const hasHostMemory = (turn: Turn, mode: Mode): boolean =>
  turn.memory !== undefined && mode !== "shadow";

/** Creates the memories of a selector. */
export function createTurnMemories(options: ResolvedThreadOptions): TurnMemories {
  const store = createMemoryStore(options.memory.maxThreads);
  const parseSaved =
    ({ savedMemory }: Turn) =>
    (): ThreadMemory =>
      parseThreadMemory(savedMemory);
  const read = (turn: Turn, mode: Mode): ThreadMemory =>
    hasHostMemory(turn, mode)
      ? parseThreadMemory(turn.memory)
      : store.read(keyThread(turn, mode), parseSaved(turn));
  return {
    read,
    recall(turn, mode, { messages, catalog }) {
      const before = read(turn, mode);
      const run = identifyRun(messages, before);
      const { sticky, stickyMax } = options;
      return { before, ...recallTurn(before, { run, catalog, sticky, stickyMax }) };
    },
    change(turn, mode, change) {
      if (hasHostMemory(turn, mode)) return;
      store.change(keyThread(turn, mode), change, parseSaved(turn));
    },
  };
}

/**
 * Reasons of tools that are visible for as long as the options say so, or that nothing spoke for.
 */
const notSticky: ReadonlySet<ToolReason> = new Set([
  "always-include",
  "provider-tool",
  "no-description",
  "unjudged",
  "not-awaited",
  "skipped",
  "fallback",
]);

/** What is known at the end of a selection. Lists are in catalog order. */
export interface FinishedSelection {
  readonly memory: TurnMemory;
  readonly catalog: readonly CatalogTool[];
  readonly outcomes: readonly ToolOutcome[];
  /** The judgment of each tool that has one. */
  readonly judgments: readonly (Judgment | null)[];
  /** Nothing was selected: a fallback, or a turn that was not judged. */
  readonly isWhole: boolean;
}

function rememberTool(
  { description, fingerprint }: CatalogTool,
  isWanted: boolean,
): readonly RememberedTool[] {
  return description === null || !isWanted ? [] : [toRememberedTool(description.name, fingerprint)];
}

function rememberJudgments({
  catalog,
  judgments,
}: FinishedSelection): readonly RememberedJudgment[] {
  return catalog.flatMap((tool, index) => {
    const judgment = judgments[index] ?? null;
    const isAnswer = judgment?.probability !== null || judgment.verdict === "abstained";
    return rememberTool(tool, judgment !== null && isAnswer).map((remembered) => ({
      ...remembered,
      probability: judgment?.probability ?? null,
    }));
  });
}

/** What the memory of a thread takes from a selection. */
export function rememberSelection(
  finished: FinishedSelection,
  { sticky, rejudge, findTools, guard }: ResolvedThreadOptions,
): MemoryChange {
  const { memory, catalog, outcomes, isWhole } = finished;
  const isStuck = ({ kept, reason }: ToolOutcome): boolean =>
    sticky !== "off" && !isWhole && kept && !notSticky.has(reason);
  const stick = catalog.flatMap((tool, index) =>
    outcomes.slice(index, index + 1).flatMap((outcome) => rememberTool(tool, isStuck(outcome))),
  );
  const needsHidden = findTools !== null || guard;
  // Of two tools with one name, one that is offered makes its calls valid.
  const offered = new Set(outcomes.flatMap(({ kept, name }) => (kept ? [name] : [])));
  const hidden = outcomes.flatMap(({ name }) => (name === null || offered.has(name) ? [] : [name]));
  return {
    ...memory.change,
    stick,
    judged: rejudge === "user-message" ? rememberJudgments(finished) : undefined,
    catalog: needsHidden
      ? listFingerprint(catalog.map(({ fingerprint }) => fingerprint))
      : undefined,
    hidden: needsHidden ? hidden : undefined,
    recorded: needsHidden ? true : undefined,
  };
}
