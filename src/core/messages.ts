/** Reads the messages of a turn into plain data, so that nothing behind it can throw on a hostile one. */

import { read } from "./read.js";
import type { TurnMessage } from "./types.js";

function readText(value: unknown, key: string): string | undefined {
  const found = read(value, key);
  return typeof found === "string" ? found : undefined;
}

function readToolCalls(value: unknown): NonNullable<TurnMessage["toolCalls"]> {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call: unknown) => {
    const name = readText(call, "name");
    const id = readText(call, "id");
    return name === undefined ? [] : [{ name, ...(id === undefined ? {} : { id }) }];
  });
}

function readMessage(message: unknown): readonly TurnMessage[] {
  if (typeof message !== "object" || message === null) return [];
  const id = readText(message, "id");
  const toolName = readText(message, "toolName");
  return [
    {
      role: readText(message, "role") ?? "",
      text: readText(message, "text") ?? "",
      toolCalls: readToolCalls(read(message, "toolCalls")),
      ...(id === undefined ? {} : { id }),
      ...(toolName === undefined ? {} : { toolName }),
    },
  ];
}

/** The messages that can be read, as plain objects; whatever else is there is left out. */
export function readMessages(messages: unknown): readonly TurnMessage[] {
  return Array.isArray(messages) ? messages.flatMap(readMessage) : [];
}
