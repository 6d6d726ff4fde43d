/** Reduces LangChain messages to what a selection needs: role, text, id, calls, and which tool answered. */

import { coerceMessageLikeToMessage, isBaseMessage } from "@langchain/core/messages";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { TurnMessage } from "../core/types.js";
import { isList, mapReadable, read, readList, readText } from "./read.js";

interface NamedCall {
  readonly id?: string;
  readonly name: string;
}

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
const callBlocks: ReadonlySet<unknown> = new Set(["tool_call", "tool_use", "function_call"]);

function roleOf(message: unknown): string {
  const type = readText(message, "type") ?? "";
  // A generic ChatMessage keeps its role in a field of its own.
  const word = type === "generic" ? (readText(message, "role") ?? "") : type;
  return roles.get(word) ?? (word === "" ? "unknown" : word);
}

function blockText(block: unknown): string | undefined {
  if (typeof block === "string") return block;
  return textBlocks.has(read(block, "type")) ? readText(block, "text") : undefined;
}

function textOf(message: unknown): string {
  const content = read(message, "content");
  if (typeof content === "string") return content;
  return isList(content) ? mapReadable(content, blockText).join("\n") : "";
}

function toCall(call: unknown): NamedCall | undefined {
  const name = readText(call, "name");
  if (name === undefined) return undefined;
  const id = readText(call, "id");
  return id === undefined ? { name } : { id, name };
}

/** Every call of a message, in order: well formed, with malformed arguments, those that only content blocks or OpenAI's older `function_call` show. */
export function callsOf(message: unknown): readonly NamedCall[] {
  const stated = [
    ...mapReadable(readList(message, "tool_calls"), toCall),
    ...mapReadable(readList(message, "invalid_tool_calls"), toCall),
  ];
  const names = new Set(stated.map(({ name }) => name));
  const blocks = mapReadable(readList(message, "content"), (block) =>
    callBlocks.has(read(block, "type")) ? toCall(block) : undefined,
  );
  const older = mapReadable([read(read(message, "additional_kwargs"), "function_call")], toCall);
  return [...stated, ...[...blocks, ...older].filter(({ name }) => !names.has(name))];
}

function toTurnMessage(message: unknown, callNames: Map<string, string>): TurnMessage | undefined {
  const role = roleOf(message);
  if (role === "remove") return undefined;
  const id = readText(message, "id");
  const toolCalls = role === "assistant" ? callsOf(message) : [];
  for (const call of toolCalls) if (call.id !== undefined) callNames.set(call.id, call.name);
  const toolName =
    role === "tool"
      ? (readText(message, "name") ?? callNames.get(readText(message, "tool_call_id") ?? ""))
      : undefined;
  return {
    role,
    text: textOf(message),
    ...(id === undefined ? {} : { id }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(toolName === undefined ? {} : { toolName }),
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

/**
 * Reads messages in any shape a LangChain model takes: message objects, `{ role, content }`, `[role, text]`, plain strings.
 *
 * A message that cannot be read is left out, as is a `RemoveMessage`; nothing throws.
 */
export function toTurnMessages(messages: readonly unknown[]): readonly TurnMessage[] {
  const callNames = new Map<string, string>();
  return mapReadable(messages, (message) => toTurnMessage(toMessage(message), callNames));
}
