import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { RunnableLambda } from "@langchain/core/runnables";
import {
  Command,
  MemorySaver,
  MessagesAnnotation,
  StateGraph,
  interrupt,
} from "@langchain/langgraph";
import { ToolNode, createReactAgent, toolsCondition } from "@langchain/langgraph/prebuilt";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { ToolSelectorOptions } from "../../../src/core/options.js";
import { InvalidOptionsError } from "../../../src/errors.js";
import { dynamicModel, toolSelectorNode, withToolSelection } from "../../../src/langgraph.js";
import { memorySink } from "../../../src/sinks/memory.js";
import { fakeJudge, recordingChatModel } from "../../../src/testing/index.js";
import type { RecordingChatModelOptions } from "../../../src/testing/index.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";
import { ask, judging, lastText, namedTools, textsOf } from "../support.js";

const names = ["query_order", "refund", "escalate"] as const;
const tools = namedTools(...names);
const where = ask("Where is order 7?");
const queryThenAnswer: RecordingChatModelOptions = {
  replies: [
    {
      toolCalls: [{ name: "query_order" }],
      usage: { inputTokens: 50, outputTokens: 5 },
    },
    "It is on its way.",
  ],
};

function setup(options: ToolSelectorOptions = {}, modelOptions: RecordingChatModelOptions = {}) {
  const sink = memorySink();
  const model = recordingChatModel(modelOptions);
  const judge = fakeJudge({ probabilities: { query_order: 0.95 } });
  const selector = createToolSelector({ mode: "enforce", judge, sinks: sink, ...options });
  const records = async () => {
    await selector.flush();
    return sink.records;
  };
  return { model, judge, selector, records };
}

const loop = (agent: ReturnType<typeof toolSelectorNode>) =>
  new StateGraph(MessagesAnnotation)
    .addNode("agent", agent)
    .addNode("tools", new ToolNode(tools))
    .addEdge("__start__", "agent")
    .addConditionalEdges("agent", toolsCondition)
    .addEdge("tools", "agent");

describe("toolSelectorNode", () => {
  it("binds what was selected, step by step, and records each step", async () => {
    const { model, selector, records } = setup({}, queryThenAnswer);
    const graph = loop(toolSelectorNode({ model, tools, selector })).compile();
    const result = await graph.invoke(where, {
      configurable: { thread_id: "t-1" },
      metadata: { run_id: "r-1" },
    });
    expect(textsOf(result)).toEqual([
      "Where is order 7?",
      "",
      "result of query_order",
      "It is on its way.",
    ]);
    expect(model.calls.map((call) => call.tools)).toEqual([[tools[0]], [tools[0]]]);
    expect(model.calls[0]?.tools[0]).toBe(tools[0]);
    expect(await records()).toMatchObject([
      {
        threadId: "t-1",
        runId: "r-1",
        step: 1,
        outcome: { called: ["query_order"], model: "recording-model", usage: { inputTokens: 50 } },
      },
      { threadId: "t-1", step: 2, outcome: { called: [] } },
    ]);
  });

  it.each(["off", "shadow"] as const)("binds everything in %s", async (mode) => {
    const { model, selector } = setup({ mode }, queryThenAnswer);
    await loop(toolSelectorNode({ model, tools, selector })).compile().invoke(where);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([[...names], [...names]]);
  });

  it("binds no empty list where nothing is left", async () => {
    const { model, selector } = setup({ judge: judging({}) });
    const bindTools = vi.spyOn(model, "bindTools");
    await toolSelectorNode({ model, tools, selector })(where);
    expect(bindTools).not.toHaveBeenCalled();
    expect(model.calls[0]?.tools).toEqual([]);
  });

  it("puts the system prompt first, and hides it from the judge", async () => {
    const { model, judge, selector } = setup();
    await toolSelectorNode({ model, tools, selector, systemPrompt: "PROMPT-CANARY" })(where);
    expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual([
      "PROMPT-CANARY",
      "Where is order 7?",
    ]);
    expect(JSON.stringify(judge.requests)).not.toContain("PROMPT-CANARY");
  });

  it("binds the tool choice, and pins what it names", async () => {
    const { model, selector } = setup();
    const toolChoice = { type: "tool", name: "refund" };
    await toolSelectorNode({ model, tools, selector, toolChoice })(where);
    expect(model.calls[0]).toMatchObject({ toolNames: ["query_order", "refund"], toolChoice });
  });

  it("sends and judges what a pre-model hook left in llmInputMessages", async () => {
    const { model, judge, selector } = setup();
    const prepared = { ...where, llmInputMessages: [new HumanMessage("The prepared request")] };
    await toolSelectorNode({ model, tools, selector })(prepared);
    expect(judge.requests[0]?.context.request).toBe("The prepared request");
    expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual(["The prepared request"]);
  });

  it("works outside of a graph, and takes options in place of a selector", async () => {
    const model = recordingChatModel();
    const node = toolSelectorNode({
      model,
      tools,
      selector: { mode: "enforce", judge: judging({ refund: 0.9 }) },
    });
    const { messages } = await node(where);
    expect(messages[0]?.text).toBe("done");
    expect(model.calls[0]?.toolNames).toEqual(["refund"]);
  });

  it("takes overrides from the run's context", async () => {
    const { model, selector } = setup({ mode: "shadow" });
    const graph = loop(toolSelectorNode({ model, tools, selector })).compile();
    await graph.invoke(where, { context: { toolSelector: { mode: "enforce" } } });
    await graph.invoke(where);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([["query_order"], [...names]]);
  });

  it("works inside a subgraph, under the thread of its parent", async () => {
    const { model, selector, records } = setup({}, queryThenAnswer);
    const inner = loop(toolSelectorNode({ model, tools, selector })).compile();
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("inner", inner)
      .addEdge("__start__", "inner")
      .compile({ checkpointer: new MemorySaver() });
    const result = await outer.invoke(where, { configurable: { thread_id: "parent" } });
    expect(lastText(result)).toBe("It is on its way.");
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["query_order"],
      ["query_order"],
    ]);
    expect((await records()).map(({ threadId }) => threadId)).toEqual(["parent", "parent"]);
  });

  it("keeps interleaved threads of a checkpointer apart", async () => {
    const { model, selector } = setup({
      judge: ({ context, candidates }) =>
        candidates.map(({ name }) => (context.request.includes(name) ? 0.95 : 0.05)),
    });
    const graph = loop(toolSelectorNode({ model, tools, selector })).compile({
      checkpointer: new MemorySaver(),
    });
    const thread = (id: string) => ({ configurable: { thread_id: id } });
    await graph.invoke(ask("query_order"), thread("a"));
    await graph.invoke(ask("refund"), thread("b"));
    await graph.invoke(ask("escalate"), thread("a"));
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["query_order"],
      ["refund"],
      ["escalate"],
    ]);
  });
});

describe("wrong options are refused at construction:", () => {
  const model = recordingChatModel();
  const unable = Object.assign(new FakeListChatModel({ responses: ["x"] }), {
    bindTools: undefined,
  });
  const selector = {};
  const node = () => undefined;

  it.each<[string, () => unknown, string]>([
    [
      "a model that cannot bind tools",
      () => toolSelectorNode({ model: unable, tools, selector }),
      "`model`",
    ],
    [
      "the same for dynamicModel",
      () => dynamicModel({ model: unable, tools, selector }),
      "`model`",
    ],
    ["no tools", () => dynamicModel({ model, tools: undefined as never, selector }), "`tools`"],
    [
      "no selector",
      () => toolSelectorNode({ model, tools, selector: null as never }),
      "`selector`",
    ],
    [
      "an option of the selector",
      () => dynamicModel({ model, tools, selector: { maxTools: 0 } }),
      "`maxTools`",
    ],
    [
      "a node that is no function",
      () => withToolSelection({ tools, selector, node: 7 as never }),
      "`node`",
    ],
    [
      "an unknown option",
      () => withToolSelection({ tools, selector, node, toolchoice: 1 } as never),
      "toolchoice",
    ],
  ])("%s", (_title, construct, message) => {
    expect(construct).toThrow(InvalidOptionsError);
    expect(construct).toThrow(message);
  });
});

describe("withToolSelection", () => {
  type State = typeof MessagesAnnotation.State;

  it("gives the node its state, its config and the tools to bind", async () => {
    const { selector, records } = setup();
    const seen: unknown[] = [];
    const node = withToolSelection({
      selector,
      tools,
      node: (state: State, config, offered) => {
        seen.push(state.messages.length, config.configurable?.["thread_id"], offered);
        return { messages: [new AIMessage("fine")] };
      },
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", node)
      .addEdge("__start__", "agent")
      .compile();
    await graph.invoke(where, { configurable: { thread_id: "t" } });
    expect(seen).toEqual([1, "t", [tools[0]]]);
    expect((await records())[0]).toMatchObject({ threadId: "t", outcome: { called: [] } });
  });

  it("gives the caller's own array where nothing changes", async () => {
    const { selector } = setup({ mode: "shadow" });
    const node = withToolSelection({
      selector,
      tools,
      node: (_state: State, _config, offered) => offered,
    });
    expect(await node(where)).toBe(tools);
  });

  const call = () =>
    new AIMessage({ content: "", tool_calls: [{ name: "refund", args: {}, id: "2" }] });
  const old = new AIMessage({
    content: "",
    tool_calls: [{ name: "escalate", args: {}, id: "1" }],
  });
  const history = [new HumanMessage("Help"), old, new ToolMessage("ok", "1")];

  it.each<[string, () => unknown]>([
    ["a state update", () => ({ messages: [call()] })],
    ["a single message", () => ({ messages: call() })],
    ["the whole history and one more", () => ({ messages: [...history, call()] })],
    ["a command", () => new Command({ update: { messages: [call()] }, goto: "tools" })],
    ["several commands", () => [new Command({ update: { messages: [call()] } })]],
    ["the message itself", () => call()],
  ])("reads the outcome from %s", async (_title, result) => {
    const { selector, records } = setup({ judge: judging({ query_order: 0.95 }) });
    const node = withToolSelection({ selector, tools, node: () => result() });
    await node({ messages: history });
    expect((await records())[0]?.outcome).toMatchObject({ called: ["refund"], missed: ["refund"] });
  });

  it.each([undefined, null, 7, "text", {}, { messages: null }, { messages: "x" }])(
    "passes on a result without messages, and records no outcome: %j",
    async (result) => {
      const { selector, records } = setup();
      const node = withToolSelection({ selector, tools, node: () => result });
      expect(await node(where)).toEqual(result);
      expect((await records())[0]?.outcome).toBeNull();
    },
  );

  it("passes interrupts of the node on, and resumes", async () => {
    const { selector } = setup();
    const node = withToolSelection({
      selector,
      tools,
      node: () => ({ messages: [new AIMessage(`you said ${String(interrupt("Sure?"))}`)] }),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", node)
      .addEdge("__start__", "agent")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    const paused = (await graph.invoke(where, config)) as { __interrupt__?: unknown[] };
    expect(paused.__interrupt__).toHaveLength(1);
    expect(lastText(await graph.invoke(new Command({ resume: "yes" }), config))).toBe(
      "you said yes",
    );
  });

  it("falls back where an empty list is not allowed", async () => {
    const { selector } = setup({ judge: judging({}) });
    const node = withToolSelection({
      selector,
      tools,
      emptyAllowed: false,
      node: (_state: State, _config, offered) => offered,
    });
    expect(await node(where)).toBe(tools);
  });
});

describe("dynamicModel in createReactAgent", () => {
  it("selects once per step, and binds what was selected", async () => {
    const { model, judge, selector, records } = setup({}, queryThenAnswer);
    const agent = createReactAgent({ llm: dynamicModel({ model, tools, selector }), tools });
    const result = await agent.invoke(where, { configurable: { thread_id: "t" } });
    expect(lastText(result)).toBe("It is on its way.");
    expect(model.calls.map((call) => call.tools)).toEqual([[tools[0]], [tools[0]]]);
    expect(judge.requests).toHaveLength(2);
    expect(await records()).toMatchObject([
      { threadId: "t", outcome: { called: ["query_order"], usage: { inputTokens: 50 } } },
      { threadId: "t", outcome: { called: [] } },
    ]);
  });

  it("works with responseFormat, which adds no selection", async () => {
    const { model, selector, records } = setup(
      {},
      {
        replies: (call) =>
          call.toolNames.includes("extract")
            ? { toolCalls: [{ name: "extract", args: { answer: "yes" } }] }
            : "It is on its way.",
      },
    );
    const agent = createReactAgent({
      llm: dynamicModel({ model, tools, selector }),
      tools,
      responseFormat: z.object({ answer: z.string() }),
    });
    const result = await agent.invoke(where);
    expect(result.structuredResponse).toEqual({ answer: "yes" });
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([["query_order"], ["extract"]]);
    expect(await records()).toHaveLength(1);
  });

  it("judges what a pre-model hook prepared", async () => {
    const { model, judge, selector } = setup();
    const agent = createReactAgent({
      llm: dynamicModel({ model, tools, selector }),
      tools,
      preModelHook: RunnableLambda.from(() => ({
        llmInputMessages: [new HumanMessage("The prepared request")],
      })),
    });
    await agent.invoke(where);
    expect(judge.requests[0]?.context.request).toBe("The prepared request");
    expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual(["The prepared request"]);
  });

  it("judges the prepared messages of the state whatever it is invoked with", async () => {
    const { model, judge, selector } = setup();
    const llm = dynamicModel({ model, tools, selector });
    const state = { ...where, llmInputMessages: [new HumanMessage("The prepared request")] };
    await llm(state).invoke(where.messages);
    expect(judge.requests[0]?.context.request).toBe("The prepared request");
  });

  it.each<[string, object]>([
    ["a prompt", { prompt: "You are a clerk." }],
    [
      "a prompt function",
      {
        prompt: (state: typeof where) => [new SystemMessage("You are a clerk."), ...state.messages],
      },
    ],
    ["inline agent names", { name: "clerk", includeAgentName: "inline" }],
    ["version v2", { version: "v2" }],
  ])("works with %s", async (_title, parameters) => {
    const { model, judge, selector } = setup({}, queryThenAnswer);
    const agent = createReactAgent({
      llm: dynamicModel({ model, tools, selector }),
      tools,
      ...parameters,
    });
    expect(lastText(await agent.invoke(where))).toContain("It is on its way.");
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["query_order"],
      ["query_order"],
    ]);
    expect(judge.requests[0]?.context.request).toBe("Where is order 7?");
  });

  it.each(["off", "shadow"] as const)("binds everything in %s", async (mode) => {
    const { model, selector } = setup({ mode });
    const agent = createReactAgent({ llm: dynamicModel({ model, tools, selector }), tools });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual([...names]);
  });
});

describe("the model that dynamicModel gives", () => {
  const modelOf = (options: ToolSelectorOptions = {}, replies: RecordingChatModelOptions = {}) => {
    const { model, ...rest } = setup(options, replies);
    return { ...rest, model, llm: dynamicModel({ model, tools, selector: rest.selector })(where) };
  };

  it("passes for the plain model", () => {
    const { llm, model } = modelOf();
    expect(llm).toBeInstanceOf(BaseChatModel);
    expect(llm.constructor).toBe(model.constructor);
    expect(llm._llmType()).toBe("recording");
  });

  it("streams chunk by chunk, and records the whole", async () => {
    const { llm, model, records } = modelOf(
      {},
      {
        replies: [{ text: "one two three", toolCalls: [{ name: "query_order" }] }],
      },
    );
    const chunks: string[] = [];
    for await (const chunk of await llm.stream(where.messages)) chunks.push(chunk.text);
    expect(chunks).toEqual(["one ", "two ", "three", ""]);
    expect(model.calls[0]?.toolNames).toEqual(["query_order"]);
    expect((await records())[0]?.outcome?.called).toEqual(["query_order"]);
  });

  it("passes on the error of a stream", async () => {
    const { llm, records } = modelOf({}, { replies: [{ error: new Error("model down") }] });
    const read = async () => {
      for await (const _chunk of await llm.stream(where.messages));
    };
    await expect(read()).rejects.toThrow("model down");
    expect((await records())[0]?.outcome?.error).toBe(true);
  });

  it("stops the model when the reader of a stream leaves", async () => {
    const judge = fakeJudge({ hang: true });
    const { llm, model, records } = modelOf(
      { mode: "shadow", judge },
      { replies: ["one two three four five six seven"], delayMs: 20 },
    );
    for await (const _chunk of await llm.stream(where.messages)) break;
    expect((await records())[0]?.status).toBe("cancelled");
    expect(judge.options[0]?.signal.aborted).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it.each<[string, (llm: BaseChatModel) => Promise<unknown>]>([
    ["batch", (llm) => llm.batch([where.messages])],
    ["pipe", (llm) => llm.pipe((message: unknown) => message).invoke(where.messages)],
    ["withConfig", (llm) => llm.withConfig({ tags: ["x"] }).invoke(where.messages)],
    ["withRetry", (llm) => llm.withRetry().invoke(where.messages)],
    ["text input", (llm) => llm.invoke("Where is order 7?")],
  ])("selects however it is called: %s", async (_title, call) => {
    const { llm, model, judge } = modelOf();
    await call(llm);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([["query_order"]]);
    expect(judge.requests[0]?.context.request).toBe("Where is order 7?");
  });
});
