/** Tools, agents and readings that the adapter tests share. */

import { createAgent, tool } from "langchain";
import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { z } from "zod";
import type { JudgeFunction } from "../../src/core/types.js";
import type { ToolSelectorOptions } from "../../src/core/options.js";
import type { ToolSelector } from "../../src/selector/tool-selector.js";
import { toolSelectorMiddleware } from "../../src/langchain.js";
import type { ToolSelectorMiddlewareOptions } from "../../src/langchain.js";
import { memorySink } from "../../src/sinks/memory.js";
import { recordingChatModel } from "../../src/testing/index.js";
import type { RecordingChatModelOptions } from "../../src/testing/index.js";

/** A tool that answers with its name. */
export function namedTool(name: string, description = `Does what ${name} is for.`) {
  return tool(() => `result of ${name}`, {
    name,
    description,
    schema: z.object({ query: z.string().optional() }),
  });
}

export const namedTools = (...names: readonly string[]): StructuredToolInterface[] =>
  names.map((name) => namedTool(name));

export const ask = (text: string) => ({ messages: [new HumanMessage(text)] });

export interface AgentSetup {
  readonly tools: readonly unknown[];
  readonly selector?: ToolSelector | ToolSelectorOptions;
  readonly middleware?: ToolSelectorMiddlewareOptions;
  readonly model?: RecordingChatModelOptions;
  /** Further middleware, outside and inside ours. */
  readonly outer?: readonly unknown[];
  readonly inner?: readonly unknown[];
  /** More parameters of `createAgent`. */
  readonly agent?: Record<string, unknown>;
}

/** An agent with our middleware, its recording model, and the records. */
export function agentWith(setup: AgentSetup) {
  const sink = memorySink();
  const model = recordingChatModel(setup.model);
  const selector = setup.selector ?? {};
  const middleware = toolSelectorMiddleware(
    "run" in selector ? selector : { sinks: sink, ...selector },
    setup.middleware,
  );
  const agent = createAgent({
    model,
    tools: setup.tools,
    middleware: [...(setup.outer ?? []), middleware, ...(setup.inner ?? [])],
    ...setup.agent,
  } as unknown as Parameters<typeof createAgent>[0]);
  const records = async () => {
    await middleware.selector.flush();
    return sink.records;
  };
  return { agent, model, middleware, records };
}

/** A judge function from probabilities by name; others get 0. */
export const judging =
  (probabilities: Readonly<Record<string, number>>): JudgeFunction =>
  ({ candidates }) =>
    candidates.map(({ name }) => probabilities[name] ?? 0);

export const textsOf = (result: unknown): readonly string[] =>
  (result as { messages: readonly BaseMessage[] }).messages.map(({ text }) => text);

export const lastText = (result: unknown): string => textsOf(result).at(-1) ?? "";

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
