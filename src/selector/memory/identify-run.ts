/** Tells which run a turn belongs to: the steps that answer one user message. */

import { lastUserIndex } from "../../core/context.js";
import { sha256Hex } from "../../core/fingerprint.js";
import type { ThreadMemory, TurnMessage } from "../../core/types.js";

/** The id of a user message, else its ordinal and a digest of its text. */
function identifyMessage(messages: readonly TurnMessage[], index: number): string {
  const { id, text = "" } = messages[index] ?? {};
  if (id !== undefined && id !== "") return sha256Hex(id).slice(0, 16);
  const ordinal = messages.slice(0, index + 1).filter(({ role }) => role === "user").length;
  return `${ordinal}:${sha256Hex(text).slice(0, 16)}`;
}

/** Ids of all user messages that are sent, oldest first. */
function identifyRequests(messages: readonly TurnMessage[]): readonly string[] {
  return messages.flatMap(({ role }, index) =>
    role === "user" ? [identifyMessage(messages, index)] : [],
  );
}

/**
 * The run of a turn; `null` if there is no user message.
 *
 * A summary may have replaced the message that began the run: in the middle of a loop, where that
 * message is gone, the run that the memory knows goes on.
 */
export function identifyRun(messages: readonly TurnMessage[], memory: ThreadMemory): string | null {
  const index = lastUserIndex(messages);
  if (index === -1) return memory.run?.request ?? null;
  const requests = identifyRequests(messages);
  const request = requests.at(-1) ?? null;
  const known = memory.run?.request;
  if (known === undefined || known === request) return request;
  const isInLoop = messages.slice(index + 1).some(({ role }) => role === "assistant");
  return isInLoop && !requests.includes(known) ? known : request;
}
