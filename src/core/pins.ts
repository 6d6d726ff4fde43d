/** Which tools of a turn are pinned, and why; the others are candidates. */

import type { CatalogTool } from "./catalog.js";
import { nameMatcher } from "./glob.js";
import { stripInvisible } from "./text.js";
import type { ToolChoice } from "./tool-choice.js";
import type { PinReason, ToolDescription, TurnMessage } from "./types.js";

export interface PinOptions {
  readonly alwaysInclude: readonly string[];
  readonly pinHistory: boolean;
  readonly toolChoice: ToolChoice;
  readonly messages: readonly TurnMessage[];
  /** Names of tools that the finder revealed. */
  readonly revealed?: ReadonlySet<string> | undefined;
}

/** Names of the tools whose calls or results occur in the messages being sent. */
export function namesInHistory(messages: readonly TurnMessage[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ toolCalls, toolName }) => [
      ...(toolCalls ?? []).map(({ name }) => name),
      ...(toolName === undefined ? [] : [toolName]),
    ]),
  );
}

/**
 * False if the description says nothing beyond the name: empty, blank, the name itself, or a host's
 * "NAME tool".
 */
export function hasUsableDescription({ name, description }: ToolDescription): boolean {
  const text = typeof description === "string" ? stripInvisible(description).trim() : "";
  return text !== "" && text !== name.trim() && text !== `${name} tool`;
}

/** The pin of every tool, in catalog order; `null` marks a candidate. */
export function pinTools(
  catalog: readonly CatalogTool[],
  options: PinOptions,
): readonly (PinReason | null)[] {
  const isAlwaysIncluded = nameMatcher(options.alwaysInclude);
  const chosen = new Set(options.toolChoice.names);
  const history = options.pinHistory ? namesInHistory(options.messages) : new Set<string>();
  return catalog.map(({ description }) => {
    if (description === null) return "provider-tool";
    if (isAlwaysIncluded(description.name)) return "always-include";
    if (chosen.has(description.name)) return "tool-choice";
    if (history.has(description.name)) return "history";
    if (options.revealed?.has(description.name) === true) return "revealed";
    return hasUsableDescription(description) ? null : "no-description";
  });
}
