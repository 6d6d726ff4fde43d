/**
 * From a decision to the outcome of every tool: a subsequence of the caller's own array, never
 * dangerously empty.
 */

import type { CatalogTool } from "./catalog.js";
import { restoreAll } from "./decide.js";
import type { Decision } from "./decide.js";
import type { ToolChoice } from "./tool-choice.js";
import type { Judgment, PinReason, ToolOutcome, TurnMessage } from "./types.js";

/** The tools of a turn, and the fields that say whether an empty list is dangerous. */
export interface ToolsOfTurn {
  readonly catalog: readonly CatalogTool[];
  readonly pins: readonly (PinReason | null)[];
  readonly messages: readonly TurnMessage[];
  readonly toolChoice: ToolChoice;
  readonly emptyAllowed: boolean;
}

/** The outcome of every tool in catalog order. */
export interface SelectionOutcome {
  readonly outcomes: readonly ToolOutcome[];
  readonly fallback: boolean;
  /**
   * An empty list would have been offered where that is dangerous, so the full catalog was
   * restored.
   */
  readonly emptyRefused: boolean;
}

/** True where a provider refuses, or is misled by, a request without any tool. */
function isEmptyDangerous({ emptyAllowed, toolChoice, messages }: ToolsOfTurn): boolean {
  return (
    !emptyAllowed ||
    toolChoice.kind === "required" ||
    messages.some(({ role, toolCalls }) => role === "tool" || (toolCalls?.length ?? 0) > 0)
  );
}

function joinOutcomes(
  { catalog, pins }: ToolsOfTurn,
  judgments: readonly Judgment[],
  decision: Decision,
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

/**
 * Joins pins and judgments in catalog order. Rules that keep or hide a tool for another reason than
 * its judgment belong here.
 */
export function applyDecision(
  tools: ToolsOfTurn,
  judgments: readonly Judgment[],
  decision: Decision,
): SelectionOutcome {
  const outcomes = joinOutcomes(tools, judgments, decision);
  const emptyRefused = !outcomes.some(({ kept }) => kept) && isEmptyDangerous(tools);
  if (!emptyRefused) return { outcomes, fallback: decision.fallback, emptyRefused };
  const restored = restoreAll(judgments, decision.status);
  return { outcomes: joinOutcomes(tools, judgments, restored), fallback: true, emptyRefused };
}

/** The outcomes of a turn that was not judged: everything is kept. */
export function keepAll({
  catalog,
  pins,
}: Pick<ToolsOfTurn, "catalog" | "pins">): readonly ToolOutcome[] {
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
