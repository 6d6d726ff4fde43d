/** Reads a turn before anything is decided: messages, catalog, tool choice, pins, and the candidates that are left. */

import { yieldToEventLoop } from "../core/slices.js";
import { pinsOf } from "../core/candidates.js";
import type { CatalogReader, CatalogTool } from "../core/catalog.js";
import { describeTool } from "../core/describe.js";
import { readMessages } from "../core/messages.js";
import type { ResolvedOptions } from "../core/options.js";
import { readToolChoice } from "../core/tool-choice.js";
import type { ToolChoice } from "../core/tool-choice.js";
import type { Candidate, PinReason, Turn, TurnMessage } from "../core/types.js";
import type { TurnPolicy } from "./turn-policy.js";
import type { Warn } from "../core/warn-once.js";

/** A turn as read: its messages, its catalog, the pin of each tool, and the candidates that are left. */
export interface Reading {
  readonly messages: readonly TurnMessage[];
  readonly catalog: readonly CatalogTool[];
  readonly pins: readonly (PinReason | null)[];
  readonly candidates: readonly Candidate[];
  readonly toolChoice: ToolChoice;
}

interface ReadingOptions {
  readonly options: ResolvedOptions;
  readonly reader: CatalogReader;
  readonly policy: TurnPolicy;
  readonly warn: Warn;
}

/** Milliseconds after which reading lets other work run. */
const sliceMs = 4;

/** Reads the catalog in slices, so that first readings of many schemas do not hold the event loop. */
async function readCatalog(turn: Turn, reader: CatalogReader): Promise<readonly CatalogTool[]> {
  const catalog: CatalogTool[] = [];
  let sliceStart = performance.now();
  for (const tool of turn.tools) {
    catalog.push(reader.read(tool, turn.describe ?? describeTool));
    if (performance.now() - sliceStart < sliceMs) continue;
    await yieldToEventLoop();
    sliceStart = performance.now();
  }
  return catalog;
}

function warnAboutMissingDescriptions({ catalog, pins }: Reading, warn: Warn): void {
  for (const [index, pin] of pins.entries()) {
    if (pin !== "no-description") continue;
    const name = JSON.stringify(catalog[index]?.description?.name.slice(0, 128));
    warn(`no-description:${name}`, `Tool ${name} has no usable description: it is always offered.`);
  }
}

/**
 * Reads a turn.
 *
 * @throws only if its list of tools cannot be walked.
 */
export async function readTurn(
  turn: Turn,
  { options, reader, policy, warn }: ReadingOptions,
): Promise<Reading> {
  const catalog = await readCatalog(turn, reader);
  const messages = readMessages(turn.messages);
  const toolChoice = readToolChoice(turn.toolChoice);
  const pins = pinsOf(catalog, {
    alwaysInclude: policy.alwaysInclude,
    pinHistory: options.pinHistory,
    toolChoice,
    messages,
  });
  const candidates = catalog.flatMap(({ candidate }, index) =>
    pins[index] === null && candidate !== null ? [candidate] : [],
  );
  const reading: Reading = { messages, catalog, pins, candidates, toolChoice };
  warnAboutMissingDescriptions(reading, warn);
  return reading;
}

/** What is known of a turn that could not be read. */
export const unread: Reading = {
  messages: [],
  catalog: [],
  pins: [],
  candidates: [],
  toolChoice: { kind: "auto", names: [] },
};
