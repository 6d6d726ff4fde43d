/**
 * Answers calls that never reach a tool: those of the finder, and with `guard` those of hidden
 * tools.
 */

import { describeTool } from "../core/describe.js";
import { writeGuardText } from "../core/guard-text.js";
import type { MemoryChange, Turn } from "../core/types.js";
import { InvalidOptionsError } from "../errors.js";
import { isHiddenCall } from "./memory/thread-memory.js";
import { readCatalog } from "./read-turn.js";
import type { SelectorParts } from "./select-context.js";

/** The answer to a call of the finder. */
export interface FindResult {
  /** For the model. */
  readonly text: string;
  /** Names of the tools that were found. */
  readonly found: readonly string[];
  /** The request was not valid; the text says what is wrong. */
  readonly invalid: boolean;
  /** What the thread is to remember, for a host with a state of its own. */
  readonly memory: MemoryChange;
}

/**
 * Answers a call of the finder.
 *
 * @throws {InvalidOptionsError} if `findTools` is off.
 */
export async function answerFinderCall(
  turn: Turn,
  input: unknown,
  { finder, memories, reader, catalogs }: SelectorParts,
): Promise<FindResult> {
  if (finder === null || memories === null) {
    throw new InvalidOptionsError("Expected `findTools` to be on, got a call of `find`.");
  }
  const memory = memories.read(turn, "enforce");
  const given = await readCatalog(turn.tools, reader, turn.describe);
  const catalog = given.length > 0 ? given : (catalogs?.find(memory) ?? []);
  const { text, found, result, change } = await finder.answer(input, memory, catalog);
  memories.change(turn, "enforce", change);
  return { text, found, invalid: result === "invalid", memory: change };
}

/**
 * The text that answers a call of a hidden tool; `null` if the tool is not hidden, or `guard` is
 * off.
 */
export function answerHiddenCall(
  turn: Turn,
  name: string,
  { options, memories, reader, catalogs }: SelectorParts,
): string | null {
  if (memories === null || !options.guard) return null;
  const memory = memories.read(turn, "enforce");
  if (!isHiddenCall(memory, name)) return null;
  memories.change(turn, "enforce", { stopped: name });
  const hidden = new Set(memory.hidden);
  const describe = turn.describe ?? describeTool;
  const given = turn.tools.map((tool) => reader.read(tool, describe));
  const catalog = given.length > 0 ? given : (catalogs?.find(memory) ?? []);
  const names = catalog.flatMap(({ description }) => description?.name ?? []);
  const visible = names.filter((known) => !hidden.has(known));
  return writeGuardText({ name, visible, finder: options.findTools?.name ?? null });
}
