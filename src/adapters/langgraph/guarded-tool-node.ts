/** A ToolNode that does not execute calls of hidden tools. */

import type { ToolCall, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { ToolNodeOptions } from "@langchain/langgraph/prebuilt";
import type { Turn } from "../../core/types.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import { answerGuarded } from "../answer-tool-call.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { isFinderTool } from "../finder-tool.js";
import { readRun } from "../read-run.js";
import { hasMemoryKey, memoryKey } from "../thread-state.js";
import { checkSelector } from "../to-selector.js";
import { readCallMemory } from "./graph-memory.js";

/** Options of {@link guardedToolNode}. */
export interface GuardedToolNodeOptions extends ToolNodeOptions {
  /** The tools that are executed, the finder of `findToolsTool` among them. */
  readonly tools: ConstructorParameters<typeof ToolNode>[0];
  /** With `guard`; without it the node is an ordinary ToolNode. */
  readonly selector: ToolSelector;
}

class GuardedToolNode extends ToolNode {
  readonly #selector: ToolSelector;

  constructor({ tools, selector, ...options }: GuardedToolNodeOptions) {
    super(tools, options);
    this.#selector = selector;
  }

  protected override async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const turn: Turn = {
      ...readRun(config),
      ...readCallMemory(state),
      messages: [],
      tools: this.tools.filter((tool) => !isFinderTool(tool)),
      describe: describeLangChainTool,
    };
    const guarded = answerGuarded(this.#selector, turn, call);
    if (guarded === null) return super.runTool(call, config, state);
    const { message, change } = guarded;
    if (!hasMemoryKey(state)) return message;
    return new Command({ update: { messages: [message], [memoryKey]: change } });
  }
}

/**
 * A ToolNode for graphs and for `createReactAgent`: a call of a hidden tool is answered with an
 * error that names the nearest visible tools; every other call is executed as usual.
 *
 * @throws {InvalidOptionsError} if `selector` is none.
 * @example
 * const selector = createToolSelector({ mode: "enforce", guard: true, findTools: true });
 * const toolNode = guardedToolNode({ tools: [...tools, findToolsTool(selector)], selector });
 */
export function guardedToolNode(options: GuardedToolNodeOptions): ToolNode {
  checkSelector(options.selector, "guardedToolNode");
  return new GuardedToolNode(options);
}
