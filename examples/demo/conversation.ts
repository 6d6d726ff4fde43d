/** One conversation of the demo: an agent with a tool selector, asked one message after the other. */

import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
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

/** What one message of the user led to. */
export interface TurnResult {
  readonly answer: string;
  /** One record for each call of the model. */
  readonly records: readonly SelectionRecord[];
}

/** An agent that remembers what was said. */
export interface Conversation {
  /** What the selector goes by. */
  readonly policy: ToolSelector["options"];
  ask(text: string): Promise<TurnResult>;
}

/**
 * Starts a conversation. The three lines around `toolSelectorMiddleware` are all that toolsieve needs.
 */
export function startConversation(options: ConversationOptions): Conversation {
  const { mode, model, tools, folder, threadId, sink, signal } = options;
  const screen = memorySink();
  const middleware = toolSelectorMiddleware({
    mode,
    onUncertain: "keep", // With more than a hundred tools, some are always uncertain.
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
      return { answer: messages.at(-1)?.text ?? "", records: screen.records.slice(seen) };
    },
  };
}
