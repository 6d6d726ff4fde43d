/** Reads the messages of a turn into plain data, so that nothing behind it can throw on a hostile one. */

import type { TurnMessage } from "./types.js";

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readToolCalls(value: unknown): NonNullable<TurnMessage["toolCalls"]> {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call: unknown) => {
    if (typeof call !== "object" || call === null) return [];
    const name = text(Reflect.get(call, "name"));
    const id = text(Reflect.get(call, "id"));
    return name === undefined ? [] : [{ name, ...(id === undefined ? {} : { id }) }];
  });
}

function readMessage(message: unknown): readonly TurnMessage[] {
  if (typeof message !== "object" || message === null) return [];
  try {
    const id = text(Reflect.get(message, "id"));
    const toolName = text(Reflect.get(message, "toolName"));
    return [
      {
        role: text(Reflect.get(message, "role")) ?? "",
        text: text(Reflect.get(message, "text")) ?? "",
        toolCalls: readToolCalls(Reflect.get(message, "toolCalls")),
        ...(id === undefined ? {} : { id }),
        ...(toolName === undefined ? {} : { toolName }),
      },
    ];
  } catch {
    return [];
  }
}

/** The messages that can be read, as plain objects; whatever else is there is left out. */
export function readMessages(messages: unknown): readonly TurnMessage[] {
  return Array.isArray(messages) ? messages.flatMap(readMessage) : [];
}
