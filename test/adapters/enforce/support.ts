/**
 * What the tests of enforcement share: a small catalog, a judge by names, hosts with one loop each.
 */

import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent, toolsCondition } from "@langchain/langgraph/prebuilt";
import { tool } from "@langchain/core/tools";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import * as z from "zod";
import type { ToolSelectorOptions } from "../../../src/core/options.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";
import type { ToolSelector } from "../../../src/selector/tool-selector.js";
import { memorySink } from "../../../src/sinks/memory.js";
import type { MemorySink } from "../../../src/sinks/memory.js";
import { fakeJudge } from "../../../src/testing/fake-judge.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";
import type {
  RecordingChatModel,
  RecordingChatModelOptions,
} from "../../../src/testing/recording-chat-model.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import {
  dynamicModel,
  findToolsTool,
  guardedToolNode,
  toolsieveState,
  toolSelectorNode,
} from "../../../src/langgraph.js";

const names = ["query_order", "refund", "login", "transfer_money", "send_mail"];

/** Executable tools that keep what they were called with. */
export function createTools(catalog: readonly string[] = names): {
  readonly tools: StructuredToolInterface[];
  readonly executed: string[];
} {
  const executed: string[] = [];
  const tools = catalog.map((name) =>
    tool(
      async () => {
        executed.push(name);
        return `${name} done`;
      },
      {
        name,
        description: `Does ${name} things.`,
        schema: z.object({ id: z.string().optional() }),
      },
    ),
  );
  return { tools, executed };
}

/** A judge that finds applicable what the newest user message names. */
export const namingJudge = () =>
  fakeJudge({
    reply: ({ context, candidates }) => ({
      probabilities: candidates.map(({ name }) => (context.request.includes(name) ? 0.95 : 0.05)),
    }),
  });

/** An agent of one of the hosts. */
export interface TestAgent {
  readonly say: (text: string, thread?: string) => Promise<readonly BaseMessage[]>;
  readonly readState: (thread?: string) => Promise<Record<string, unknown>>;
  readonly model: RecordingChatModel;
  readonly executed: string[];
  readonly sink: MemorySink;
  readonly selector: ToolSelector;
}

export interface AgentOptions {
  readonly selector?: ToolSelectorOptions;
  readonly replies: RecordingChatModelOptions["replies"];
  readonly checkpointer?: BaseCheckpointSaver;
  readonly catalog?: readonly string[];
}

interface Runnable {
  invoke(input: unknown, config: object): Promise<unknown>;
  getState(config: object): Promise<{ values: unknown }>;
}

function toAgent(runnable: Runnable, parts: Omit<TestAgent, "say" | "readState">): TestAgent {
  const configOf = (thread: string): object => ({ configurable: { thread_id: thread } });
  return {
    ...parts,
    async say(text, thread = "t1") {
      const input = { messages: [{ role: "user", content: text }] };
      const result = await runnable.invoke(input, configOf(thread));
      return (result as { messages: BaseMessage[] }).messages;
    },
    async readState(thread = "t1") {
      return (await runnable.getState(configOf(thread))).values as Record<string, unknown>;
    },
  };
}

function createParts({ selector: options, replies, catalog }: AgentOptions) {
  const { tools, executed } = createTools(catalog);
  const sink = memorySink();
  const selector = createToolSelector({
    judge: namingJudge(),
    mode: "enforce",
    sinks: sink,
    ...options,
  });
  const model = recordingChatModel(replies === undefined ? {} : { replies });
  return { tools, executed, sink, selector, model };
}

/** `createAgent` with the middleware. */
export function createMiddlewareAgent(options: AgentOptions): TestAgent {
  const { tools, ...parts } = createParts(options);
  const agent = createAgent({
    model: parts.model,
    tools,
    middleware: [toolSelectorMiddleware(parts.selector)],
    ...(options.checkpointer && { checkpointer: options.checkpointer }),
  });
  return toAgent(
    {
      invoke: (input, config) => agent.invoke(input as never, config),
      getState: (config) => agent.graph.getState(config),
    },
    parts,
  );
}

function createNodes(options: AgentOptions) {
  const { tools, ...parts } = createParts(options);
  const { selector } = parts;
  const finder = selector.options.findTools === null ? [] : [findToolsTool(selector, { tools })];
  return { tools, parts, toolNode: guardedToolNode({ tools: [...tools, ...finder], selector }) };
}

/** A `StateGraph` with the selector node, its memory in the state. */
function createGraphAgent(options: AgentOptions): TestAgent {
  const { tools, parts, toolNode } = createNodes(options);
  const { selector, model } = parts;
  const State = Annotation.Root({ ...MessagesAnnotation.spec, ...toolsieveState.spec });
  const graph = new StateGraph(State)
    .addNode("agent", toolSelectorNode({ model, tools, selector }))
    .addNode("tools", toolNode)
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile({ checkpointer: options.checkpointer ?? false });
  return toAgent(graph, parts);
}

/** `createReactAgent` with the dynamic model; its memory is in this process. */
function createPrebuiltAgent(options: AgentOptions): TestAgent {
  const { tools, parts, toolNode } = createNodes(options);
  const { selector, model } = parts;
  const State = Annotation.Root({ ...MessagesAnnotation.spec, ...toolsieveState.spec });
  const agent = createReactAgent({
    llm: dynamicModel({ model, tools, selector }) as never,
    tools: toolNode,
    stateSchema: State as never,
    ...(options.checkpointer && { checkpointer: options.checkpointer }),
  });
  return toAgent(agent as never, parts);
}

export const hosts: readonly (readonly [string, (options: AgentOptions) => TestAgent])[] = [
  ["createAgent", createMiddlewareAgent],
  ["a StateGraph", createGraphAgent],
  ["createReactAgent", createPrebuiltAgent],
];
