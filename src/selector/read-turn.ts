/**
 * Reads a turn before anything is decided: messages, catalog, tool choice, pins, and the candidates
 * that are left.
 */

import type { CatalogReader, CatalogTool } from "../core/catalog.js";
import { describeTool } from "../core/describe.js";
import { readMessages } from "../core/messages.js";
import { pinTools } from "../core/pins.js";
import { createSlices } from "../core/slices.js";
import { snapshotTurn } from "../core/snapshot.js";
import { readToolChoice } from "../core/tool-choice.js";
import type { ToolChoice } from "../core/tool-choice.js";
import type { Candidate, PinReason, Turn, TurnMessage } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";
import { answerPending } from "./finder.js";
import type { TurnMemory } from "./memory/turn-memory.js";
import type { SelectContext } from "./select-context.js";

/** A turn as read. Lists beside `candidates` are in the order of the caller's tools. */
export interface TurnInput {
  /** The turn as it was sent. */
  readonly turn: Turn;
  readonly messages: readonly TurnMessage[];
  readonly toolChoice: ToolChoice;
  readonly emptyAllowed: boolean;
  readonly catalog: readonly CatalogTool[];
  readonly pins: readonly (PinReason | null)[];
  readonly candidates: readonly Candidate[];
  /** What the thread remembers; `null` where no option needs it. */
  readonly memory: TurnMemory | null;
}

/** Reads tools in slices, so that the schemas of a large catalog do not hold the event loop. */
export async function readCatalog(
  tools: readonly unknown[],
  reader: CatalogReader,
  describe: NonNullable<Turn["describe"]> = describeTool,
): Promise<readonly CatalogTool[]> {
  const slices = createSlices(new AbortController().signal);
  const catalog: CatalogTool[] = [];
  for (const tool of tools) {
    catalog.push(reader.read(tool, describe));
    await slices.pause();
  }
  return catalog;
}

function warnAboutMissingDescriptions({ catalog, pins }: TurnInput, warn: Warn): void {
  for (const [index, pin] of pins.entries()) {
    if (pin !== "no-description") continue;
    const name = JSON.stringify(catalog[index]?.description?.name.slice(0, 128));
    warn(`no-description:${name}`, `Tool ${name} has no usable description: it is always offered.`);
  }
}

function warnAboutLongCatalog({ catalog }: TurnInput, { options, warn }: SelectContext): void {
  const { fallbackMaxTools } = options;
  if (fallbackMaxTools === undefined || catalog.length <= fallbackMaxTools) return;
  warn(
    "fallback-cap",
    `The catalog has ${catalog.length} tools, more than \`fallbackMaxTools\` (${fallbackMaxTools}): a fallback leaves some out.`,
  );
}

/** What the thread remembers; searches that waited for the catalog are answered first. */
async function recallMemory(
  turn: Turn,
  input: Pick<TurnInput, "messages" | "catalog">,
  { memories, finder, policy }: SelectContext,
): Promise<TurnMemory | null> {
  if (memories === null) return null;
  const memory = memories.recall(turn, policy.mode, input);
  return finder === null ? memory : answerPending(memory, input.catalog, finder);
}

/**
 * Reads a turn.
 *
 * @throws if its list of tools cannot be walked, or a getter of the turn throws.
 */
export async function readTurn(sent: Turn, context: SelectContext): Promise<TurnInput> {
  const { options, policy, reader, warn } = context;
  const turn = snapshotTurn(sent);
  const catalog = await readCatalog(turn.tools, reader, turn.describe);
  const messages = readMessages(turn.messages);
  const toolChoice = readToolChoice(turn.toolChoice);
  const memory = await recallMemory(turn, { messages, catalog }, context);
  const pins = pinTools(catalog, {
    alwaysInclude: policy.alwaysInclude,
    pinHistory: options.pinHistory,
    toolChoice,
    messages,
    revealed: memory?.revealed,
  });
  const candidates = catalog.flatMap(({ candidate }, index) =>
    pins[index] === null && candidate !== null ? [candidate] : [],
  );
  const emptyAllowed = turn.emptyAllowed ?? true;
  const input = { turn, messages, toolChoice, emptyAllowed, catalog, pins, candidates, memory };
  warnAboutMissingDescriptions(input, warn);
  warnAboutLongCatalog(input, context);
  return input;
}

/** Stands for a turn that cannot be read. */
export const emptyInput: TurnInput = {
  turn: { messages: [], tools: [] },
  messages: [],
  toolChoice: { kind: "auto", names: [] },
  emptyAllowed: true,
  catalog: [],
  pins: [],
  candidates: [],
  memory: null,
};
