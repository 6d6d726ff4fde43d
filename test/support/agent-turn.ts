/** One turn of a real `createAgent` agent around a judge, in enforce. */

import { createAgent, tool } from "langchain";
import { z } from "zod";
import type { SelectionRecord } from "../../src/core/record.js";
import type { Judge, JudgeFunction, Logger } from "../../src/core/types.js";
import { toolSelectorMiddleware } from "../../src/langchain.js";
import { memorySink } from "../../src/sinks/memory.js";
import { recordingChatModel } from "../../src/testing/recording-chat-model.js";

export interface AgentTurnOptions {
  readonly names?: readonly string[];
  readonly description?: (name: string) => string;
  readonly request?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  readonly onUncertain?: "fallback" | "keep";
}

export interface AgentTurn {
  /** Text of the agent's last message. */
  readonly answer: string;
  /** What the model was offered. */
  readonly offered: readonly string[];
  readonly record: SelectionRecord;
  readonly elapsedMs: number;
}

export const agentTools = (
  names: readonly string[],
  description: (name: string) => string = (name) => `Does ${name} things.`,
) =>
  names.map((name) =>
    tool(async () => "ok", {
      name,
      description: description(name),
      schema: z.object({ id: z.string() }),
    }),
  );

/** Runs the turn to its end; rejects as the agent does. */
export async function agentTurn(
  judge: Judge | JudgeFunction,
  options: AgentTurnOptions = {},
): Promise<AgentTurn> {
  const names = options.names ?? ["query_order", "refund", "weather"];
  const model = recordingChatModel({ replies: ["Order A1001 is on its way."] });
  const sink = memorySink();
  const middleware = toolSelectorMiddleware({
    judge,
    mode: "enforce",
    sinks: sink,
    onUncertain: options.onUncertain ?? "fallback",
    timeoutMs: options.timeoutMs ?? 2000,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  const agent = createAgent({
    model,
    tools: agentTools(names, options.description),
    middleware: [middleware],
  });
  const start = performance.now();
  const state = await agent.invoke(
    { messages: [{ role: "user", content: options.request ?? "Where is order A1001?" }] },
    options.signal === undefined ? {} : { signal: options.signal },
  );
  const elapsedMs = performance.now() - start;
  await middleware.selector.flush();
  const [record] = sink.records;
  if (record === undefined) throw new Error("The turn wrote no record.");
  return {
    answer: state.messages.at(-1)?.text ?? "",
    offered: model.calls[0]?.toolNames ?? [],
    record,
    elapsedMs,
  };
}
