/**
 * Reads the messages of a turn as plain data, so that no later step meets a field of the wrong
 * type.
 */

import { readList, readText } from "./read.js";
import type { NamedCall, TurnMessage } from "./types.js";

function readToolCall(call: unknown): readonly NamedCall[] {
  const name = readText(call, "name");
  return name === undefined ? [] : [{ id: readText(call, "id"), name }];
}

function readMessage(message: unknown): TurnMessage {
  return {
    role: readText(message, "role") ?? "",
    text: readText(message, "text") ?? "",
    id: readText(message, "id"),
    toolCalls: readList(message, "toolCalls").flatMap(readToolCall),
    toolName: readText(message, "toolName"),
  };
}

/** The messages as plain objects; items that are no objects are left out. */
export function readMessages(messages: unknown): readonly TurnMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages
    .filter((message: unknown) => typeof message === "object" && message !== null)
    .map(readMessage);
}
