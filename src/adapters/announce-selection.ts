/** Announces a selection to callbacks and traces: names and counts, never content. */

import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch/web";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Selection } from "../core/types.js";
import { dropStreamHandlers } from "./stream-handlers.js";

const eventName = "toolsieve_selection";

function describeSelection(selection: Selection): object {
  const { status, reason, fallback, enforced, outcomes, suggested, tools } = selection;
  const kept = outcomes.filter((outcome) => outcome.kept);
  return {
    status,
    reason,
    fallback,
    enforced,
    tools: outcomes.length,
    offered: tools.length,
    suggested: suggested.length,
    kept: kept.map(({ name }) => name).filter((name) => name !== null),
  };
}

/**
 * Dispatches a custom event. Never fails and never waits.
 *
 * `streamEvents` sees enforced selections only: a shadow one may come after the stream has ended.
 */
export function announceSelection(selection: Selection, config: RunnableConfig | undefined): void {
  if (config === undefined) return;
  const { callbacks: all, ...target } = config;
  const callbacks = selection.enforced ? all : dropStreamHandlers(all);
  if (callbacks !== undefined) Object.assign(target, { callbacks });
  dispatchCustomEvent(eventName, describeSelection(selection), target).catch(() => undefined);
}
