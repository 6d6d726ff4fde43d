/**
 * Reduces LangChain messages to the fields that a selection needs: role, text, id, calls, and which
 * tool answered.
 */

import { coerceMessageLikeToMessage, isBaseMessage } from "@langchain/core/messages";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { read, readList, readText } from "../core/read.js";
import type { NamedCall, TurnMessage } from "../core/types.js";

const roles: ReadonlyMap<string, string> = new Map([
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["system", "system"],
  ["developer", "system"],
]);

/** Content blocks whose `text` is part of the conversation; reasoning, images and files are not. */
const textBlocks: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** Content blocks that are calls: LangChain's own, Anthropic's, OpenAI Responses'. */
const callBlocks: ReadonlySet<unknown> = new Set([
  "tool_call",
  "invalid_tool_call",
  "server_tool_call",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
  "function_call",
]);

function readRole(message: unknown): string {
  const type = readText(message, "type") ?? "";
  // A generic ChatMessage keeps its role in a field of its own.
  const word = type === "generic" ? (readText(message, "role") ?? "") : type;
  return roles.get(word) ?? (word === "" ? "unknown" : word);
}

function readBlockText(block: unknown): readonly string[] {
  if (typeof block === "string") return [block];
  const text = textBlocks.has(read(block, "type")) ? read(block, "text") : undefined;
  return typeof text === "string" ? [text] : [];
}

function readMessageText(message: unknown): string {
  const content = read(message, "content");
  if (typeof content === "string") return content;
  return readList(message, "content").flatMap(readBlockText).join("\n");
}

function readCall(call: unknown): readonly NamedCall[] {
  const name = readText(call, "name");
  return name === undefined ? [] : [{ id: readText(call, "id"), name }];
}

/**
 * Every call of a message, in order: valid calls, calls with invalid arguments, calls that only
 * content blocks or OpenAI's older `function_call` show.
 */
export function listCalls(message: unknown): readonly NamedCall[] {
  const stated = [
    ...readList(message, "tool_calls"),
    ...readList(message, "invalid_tool_calls"),
  ].flatMap(readCall);
  const names = new Set(stated.map(({ name }) => name));
  const blocks = readList(message, "content").filter((block) =>
    callBlocks.has(read(block, "type")),
  );
  const older = read(read(message, "additional_kwargs"), "function_call");
  const others = [...blocks, older].flatMap(readCall);
  return [...stated, ...others.filter(({ name }) => !names.has(name))];
}

function toTurnMessage(message: unknown, callNames: Map<string, string>): TurnMessage | undefined {
  const role = readRole(message);
  if (role === "remove") return undefined;
  const toolCalls = role === "assistant" ? listCalls(message) : [];
  for (const { id, name } of toolCalls) if (id !== undefined) callNames.set(id, name);
  const callId = readText(message, "tool_call_id") ?? "";
  return {
    role,
    text: readMessageText(message),
    id: readText(message, "id"),
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    toolName: role === "tool" ? (readText(message, "name") ?? callNames.get(callId)) : undefined,
  };
}

/**
 * A message in any shape that a LangChain model takes, as a message object.
 *
 * @throws if it is none.
 */
export function toMessage(message: unknown): BaseMessage {
  return isBaseMessage(message) ? message : coerceMessageLikeToMessage(message as BaseMessageLike);
}

/** Maps messages; one that cannot be read, and one that maps to `undefined`, is left out. */
export function mapMessages<R>(
  messages: readonly unknown[],
  map: (message: unknown) => R | undefined,
): readonly R[] {
  return messages.flatMap((message) => {
    try {
      const mapped = map(message);
      return mapped === undefined ? [] : [mapped];
    } catch {
      return [];
    }
  });
}

/**
 * Reads messages in any shape a LangChain model takes: message objects, `{ role, content }`,
 * `[role, text]`, plain strings.
 *
 * A message that cannot be read is left out, as is a `RemoveMessage`; nothing throws.
 */
export function toTurnMessages(messages: readonly unknown[]): readonly TurnMessage[] {
  const callNames = new Map<string, string>();
  return mapMessages(messages, (message) => toTurnMessage(toMessage(message), callNames));
}
