/** Small turns for tests: tools by name, a conversation of one request. */

import type { Turn, TurnMessage } from "../../src/core/types.js";

export interface TestTool {
  readonly name: string;
  readonly description: string;
}

const toolNamed = (name: string): TestTool => ({
  name,
  description: `Does ${name} things.`,
});

export const toolsNamed = (...names: readonly string[]): readonly TestTool[] =>
  names.map(toolNamed);

export const numberedTools = (count: number): readonly TestTool[] =>
  toolsNamed(...Array.from({ length: count }, (_, index) => `tool_${index}`));

export const user = (text: string, id?: string): TurnMessage => ({
  role: "user",
  text,
  ...(id === undefined ? {} : { id }),
});

export const assistant = (text: string, ...calls: readonly string[]): TurnMessage => ({
  role: "assistant",
  text,
  toolCalls: calls.map((name) => ({ name })),
});

export const toolResult = (toolName: string, text: string): TurnMessage => ({
  role: "tool",
  text,
  toolName,
});

export function turnOf<T>(tools: readonly T[], rest: Partial<Turn<T>> = {}): Turn<T> {
  return { messages: [user("Where is order 7?")], tools, threadId: "thread-1", ...rest };
}
