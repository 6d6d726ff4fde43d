/**
 * From a decision to the outcome of every tool: a subsequence of the caller's own array, never
 * dangerously empty.
 */

import { capFallback } from "./cap-fallback.js";
import type { CatalogTool } from "./catalog.js";
import { restoreAll } from "./decide.js";
import type { Decision } from "./decide.js";
import { findPrerequisites } from "./keep-together.js";
import type { KeepTogether } from "./keep-together.js";
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

/** What keeps or hides tools for another reason than a judgment. */
export interface ApplyRules {
  readonly keepTogether: KeepTogether;
  /** Tools that a fallback offers at most. */
  readonly fallbackMaxTools: number | undefined;
  /** One place of a bounded fallback belongs to the finder. */
  readonly hasFinder: boolean;
  /** True for a tool that stays visible from earlier turns. */
  readonly isRemembered: (name: string) => boolean;
  /** True for a tool that was called earlier in the thread. */
  readonly wasCalled: (name: string) => boolean;
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

/** Judgments and decision are in candidate order; `null`: not asked. */
function joinOutcomes(
  { catalog, pins }: ToolsOfTurn,
  judgments: readonly (Judgment | null)[],
  decision: Pick<Decision, "kept" | "reasons">,
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

/** Keeps what kept tools need. */
function keepPrerequisites(
  outcomes: readonly ToolOutcome[],
  { keepTogether }: ApplyRules,
): readonly ToolOutcome[] {
  if (keepTogether.length === 0) return outcomes;
  const kept = new Set(outcomes.flatMap(({ name, kept: isKept }) => (isKept ? [name] : [])));
  const names = outcomes.flatMap(({ name }) => name ?? []);
  const needed = findPrerequisites(names, (name) => kept.has(name), keepTogether);
  if (needed.size === 0) return outcomes;
  return outcomes.map((outcome) =>
    !outcome.kept && outcome.name !== null && needed.has(outcome.name)
      ? { ...outcome, kept: true, reason: "kept-together" }
      : outcome,
  );
}

/** Bounds what a fallback offers. */
export function boundFallback(
  outcomes: readonly ToolOutcome[],
  { pins }: Pick<ToolsOfTurn, "pins">,
  { fallbackMaxTools, hasFinder, isRemembered, wasCalled }: ApplyRules,
): readonly ToolOutcome[] {
  if (fallbackMaxTools === undefined || outcomes.length <= fallbackMaxTools) return outcomes;
  const tools = outcomes.map(({ name, verdict, probability }, index) => ({
    pin: pins[index] ?? null,
    isRemembered: name !== null && isRemembered(name),
    verdict,
    probability,
    wasCalled: name !== null && wasCalled(name),
  }));
  const places = hasFinder ? Math.max(1, fallbackMaxTools - 1) : fallbackMaxTools;
  const isKept = capFallback(tools, places);
  return outcomes.map((outcome, index) =>
    isKept[index] === true ? outcome : { ...outcome, kept: false, reason: "fallback-cap" },
  );
}

/**
 * Joins pins and judgments in catalog order. What keeps or hides tools for another reason than a
 * judgment belongs here.
 */
export function applyDecision(
  tools: ToolsOfTurn,
  judgments: readonly (Judgment | null)[],
  decision: Decision,
  rules: ApplyRules,
): SelectionOutcome {
  const joined = joinOutcomes(tools, judgments, decision);
  const outcomes = decision.fallback
    ? boundFallback(joined, tools, rules)
    : keepPrerequisites(joined, rules);
  const emptyRefused = !outcomes.some(({ kept }) => kept) && isEmptyDangerous(tools);
  if (!emptyRefused) return { outcomes, fallback: decision.fallback, emptyRefused };
  const whole = joinOutcomes(tools, judgments, restoreAll(judgments, decision.status));
  return { outcomes: boundFallback(whole, tools, rules), fallback: true, emptyRefused };
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
