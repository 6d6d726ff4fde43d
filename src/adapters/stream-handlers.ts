/** Callbacks without the handlers that feed the agent's stream. */

import type { Callbacks } from "@langchain/core/callbacks/manager";
import { read } from "../core/read.js";

/** True for handlers that pass a run's content on to the reader of the agent's stream. */
function feedsStream(handler: unknown): boolean {
  return (
    read(handler, "lc_prefer_streaming") === true ||
    read(handler, "lc_prefer_chat_model_stream_events") === true ||
    read(handler, "name") === "StreamToolsHandler"
  );
}

/** The same callbacks; tracers stay, streams do not. */
export function dropStreamHandlers(callbacks: Callbacks | undefined): Callbacks | undefined {
  if (callbacks === undefined) return undefined;
  if (Array.isArray(callbacks)) return callbacks.filter((handler) => !feedsStream(handler));
  const manager = callbacks.copy();
  for (const handler of callbacks.handlers)
    if (feedsStream(handler)) manager.removeHandler(handler);
  return manager;
}
