/** Answers a tool call in place of the tool: that of the finder, or that of a hidden tool. */

import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages";
import type { MemoryChange, Turn } from "../core/types.js";
import type { ToolSelector } from "../selector/tool-selector.js";

/** The message for the model, and what the thread is to remember. */
export interface AnsweredCall {
  readonly message: ToolMessage;
  readonly change: MemoryChange;
}

function toMessage(call: ToolCall, content: string, isError: boolean): ToolMessage {
  return new ToolMessage({
    content,
    name: call.name,
    tool_call_id: call.id ?? "",
    status: isError ? "error" : "success",
  });
}

/** The answer of the finder. */
export async function answerFinder(
  selector: ToolSelector,
  turn: Turn,
  call: ToolCall,
): Promise<AnsweredCall> {
  const { text, invalid, memory } = await selector.find(turn, call.args);
  return { message: toMessage(call, text, invalid), change: memory };
}

/** The answer to a call of a hidden tool; `null` if the call is to be executed. */
export function answerGuarded(
  selector: ToolSelector,
  turn: Turn,
  call: ToolCall,
): AnsweredCall | null {
  const text = selector.guardCall(turn, call.name);
  if (text === null) return null;
  return { message: toMessage(call, text, true), change: { stopped: call.name } };
}
