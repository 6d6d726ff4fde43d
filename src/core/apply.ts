/** From a decision to the tools that are offered: a subsequence of the caller's own array, never dangerously empty. */

import type { CatalogTool } from "./catalog.js";
import { restored } from "./select.js";
import type { Decision } from "./select.js";
import type { ToolChoice } from "./tool-choice.js";
import type { Judgment, PinReason, ToolOutcome, TurnMessage } from "./types.js";

/** What a selection makes of a catalog. */
export interface Application {
  readonly outcomes: readonly ToolOutcome[];
  readonly decision: Decision;
  /** An empty list would have been offered where that is dangerous, so the full catalog was restored. */
  readonly emptyRefused: boolean;
}

export interface EmptyListRisk {
  readonly emptyAllowed: boolean;
  readonly toolChoice: ToolChoice;
  readonly messages: readonly TurnMessage[];
}

/** True where a provider refuses, or is misled by, a request without any tool. */
function isEmptyDangerous({ emptyAllowed, toolChoice, messages }: EmptyListRisk): boolean {
  return (
    !emptyAllowed ||
    toolChoice.kind === "required" ||
    messages.some(({ role, toolCalls }) => role === "tool" || (toolCalls?.length ?? 0) > 0)
  );
}

function outcomesOf(
  catalog: readonly CatalogTool[],
  pins: readonly (PinReason | null)[],
  { judgments, decision }: { readonly judgments: readonly Judgment[]; readonly decision: Decision },
): readonly ToolOutcome[] {
  let next = 0;
  return catalog.map(({ description }, index): ToolOutcome => {
    const name = description?.name ?? null;
    const pin = pins[index] ?? null;
    if (pin !== null) return { name, probability: null, verdict: null, kept: true, reason: pin };
    const position = next++;
    return {
      name,
      probability: judgments[position]?.probability ?? null,
      verdict: judgments[position]?.verdict ?? null,
      kept: decision.kept[position] ?? true,
      reason: decision.reasons[position] ?? "fallback",
    };
  });
}

/** Joins pins and judgments back into catalog order. */
export function applyDecision(
  catalog: readonly CatalogTool[],
  pins: readonly (PinReason | null)[],
  turn: EmptyListRisk & { readonly judgments: readonly Judgment[]; readonly decision: Decision },
): Application {
  const { judgments, decision } = turn;
  const isEmpty = !pins.some((pin) => pin !== null) && !decision.kept.includes(true);
  const emptyRefused = isEmpty && isEmptyDangerous(turn);
  const applied = emptyRefused ? restored(judgments, decision.status) : decision;
  return {
    outcomes: outcomesOf(catalog, pins, { judgments, decision: applied }),
    decision: applied,
    emptyRefused,
  };
}

/** The outcomes of a turn that was not judged: everything is kept. */
export function skippedOutcomes(
  catalog: readonly CatalogTool[],
  pins: readonly (PinReason | null)[],
): readonly ToolOutcome[] {
  return catalog.map(({ description }, index) => ({
    name: description?.name ?? null,
    probability: null,
    verdict: null,
    kept: true,
    reason: pins[index] ?? "skipped",
  }));
}

/** The kept tools, same objects in the same order. */
export function keptTools<T>(tools: readonly T[], outcomes: readonly ToolOutcome[]): readonly T[] {
  return tools.filter((_, index) => outcomes[index]?.kept !== false);
}
