/**
 * Wraps the tool calls of a `createAgent` agent: the finder is answered, hidden tools are guarded.
 */

import type { ToolCall, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { Turn } from "../../core/types.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import { answerFinder, answerGuarded } from "../answer-tool-call.js";
import type { AnsweredCall } from "../answer-tool-call.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { currentConfig, readRun } from "../read-run.js";
import { memoryKey, readMemoryKey } from "../thread-state.js";

/** The part of the host's request that is read. */
export interface ToolCallRequest {
  readonly toolCall: ToolCall;
  /** `undefined` for a tool that the agent was not created with, such as the finder. */
  readonly tool?: unknown;
  readonly state: unknown;
  readonly runtime: unknown;
}

type Answer = ToolMessage | Command;

function toCommand({ message, change }: AnsweredCall): Command {
  return new Command({ update: { messages: [message], [memoryKey]: change } });
}

/**
 * A `wrapToolCall` that hands on every call that is neither the finder's nor that of a hidden tool.
 */
export function createToolCallWrapper(selector: ToolSelector) {
  const { findTools } = selector.options;
  return async <R extends ToolCallRequest>(
    request: R,
    handler: (request: R) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    const { toolCall, tool, state, runtime } = request;
    const turn: Turn = {
      ...readRun(currentConfig(), runtime),
      messages: [],
      tools: [],
      describe: describeLangChainTool,
      memory: readMemoryKey(state),
    };
    if (tool === undefined && toolCall.name === findTools?.name) {
      return toCommand(await answerFinder(selector, turn, toolCall));
    }
    const guarded = answerGuarded(selector, turn, toolCall);
    return guarded === null ? handler(request) : toCommand(guarded);
  };
}
