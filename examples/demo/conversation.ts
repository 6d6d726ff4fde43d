/** One conversation of the demo: an agent with a tool selector, asked one message after the other. */

import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { memorySink } from "toolsieve";
import type { SelectionRecord, Sink, ToolSelector } from "toolsieve";
import { toolSelectorMiddleware } from "toolsieve/langchain";
import type { DemoModel } from "./model.js";

/** What a conversation needs. */
export interface ConversationOptions {
  readonly mode: "shadow" | "enforce";
  readonly model: DemoModel["model"];
  readonly tools: readonly StructuredToolInterface[];
  readonly folder: string;
  readonly threadId: string;
  /** Where records go, besides to the screen. */
  readonly sink: Sink;
  readonly signal: AbortSignal;
}

/** One call of the model: the record of its selection, and what the tools answered that it called. */
export interface Step {
  readonly record: SelectionRecord;
  readonly results: readonly { readonly tool: string; readonly text: string }[];
}

/** What one message of the user led to. */
export interface TurnResult {
  readonly answer: string;
  readonly steps: readonly Step[];
}

/** An agent that remembers what was said. */
export interface Conversation {
  /** What the selector goes by. */
  readonly policy: ToolSelector["options"];
  ask(text: string): Promise<TurnResult>;
}

/** What a tool answered; MCP tools with structured content answer with a content block in JSON. */
function answerOf(message: BaseMessage): string {
  try {
    const block: unknown = JSON.parse(message.text);
    const text: unknown = block instanceof Object ? Reflect.get(block, "text") : undefined;
    return typeof text === "string" ? text : message.text;
  } catch {
    return message.text;
  }
}

/** The messages since the user spoke last, cut after each group of tool results: one group per call of the model. */
function resultsByStep(messages: readonly BaseMessage[]): readonly Step["results"][] {
  const turn = messages.slice(messages.findLastIndex(({ type }) => type === "human") + 1);
  return turn.flatMap((message, index) => {
    if (message.type !== "ai") return [];
    const next = turn.findIndex(({ type }, position) => position > index && type === "ai");
    return [
      turn
        .slice(index + 1, next === -1 ? undefined : next)
        .map((message) => ({ tool: message.name ?? "tool", text: answerOf(message) })),
    ];
  });
}

/**
 * Starts a conversation. The three lines around `toolSelectorMiddleware` are all that toolsieve needs.
 */
export function startConversation(options: ConversationOptions): Conversation {
  const { mode, model, tools, folder, threadId, sink, signal } = options;
  const screen = memorySink();
  const middleware = toolSelectorMiddleware({
    mode,
    agent: "demo",
    sinks: [screen, sink],
  });
  const agent = createAgent({
    model,
    tools: [...tools],
    middleware: [middleware],
    checkpointer: new MemorySaver(),
    systemPrompt: `You help with a release. The files are in ${folder}. Use absolute paths. Be brief.`,
  });
  return {
    policy: middleware.selector.options,
    async ask(text) {
      const seen = screen.records.length;
      const { messages } = await agent.invoke(
        { messages: [{ role: "user", content: text }] },
        { configurable: { thread_id: threadId }, signal: AbortSignal.any([signal]) },
      );
      // In shadow the judge works beside the model: wait for what it still has in hand.
      await middleware.selector.flush();
      const results = resultsByStep(messages);
      const steps = screen.records
        .slice(seen)
        // In shadow a record is written when its judge is done, which may be later than the next step's.
        .toSorted((one, other) => (one.step ?? 0) - (other.step ?? 0))
        .map((record, index) => ({ record, results: results[index] ?? [] }));
      return { answer: messages.at(-1)?.text ?? "", steps };
    },
  };
}
