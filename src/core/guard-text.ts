/** The answer to a call of a hidden tool, which is not executed. */

import { findNearestNames } from "./nearest-names.js";
import { quoteName, quoteNames } from "./quote-name.js";

/** What the answer needs to know. */
export interface GuardedCall {
  /** The tool that was called. */
  readonly name: string;
  /** Names of the tools that the model sees. */
  readonly visible: readonly string[];
  /** The name of the finder, where the model has it. */
  readonly finder: string | null;
}

/**
 * Tells the model that the call was not executed, which visible tools are most like it, and how to
 * get the tool.
 */
export function writeGuardText({ name, visible, finder }: GuardedCall): string {
  const nearest = findNearestNames(name, visible, 3);
  const instead = nearest.length === 0 ? "" : ` The nearest that you have: ${quoteNames(nearest)}.`;
  const request = JSON.stringify({ names: [name] });
  const way =
    finder === null ? "" : ` To get it, call ${quoteName(finder)} with ${request}, then call it.`;
  return `The tool ${quoteName(name)} was not offered in this step, and was not executed.${instead}${way}`;
}
