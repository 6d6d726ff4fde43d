import { createAgent } from "langchain";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import type { Mode } from "../../src/core/types.js";
import { toolSelectorMiddleware } from "../../src/langchain.js";
import { dynamicModel, toolSelectorNode } from "../../src/langgraph.js";
import { memorySink } from "../../src/sinks/memory.js";
import { fakeJudge, recordingChatModel } from "../../src/testing/index.js";
import type { FakeJudgeOptions, RecordingChatModelOptions } from "../../src/testing/index.js";
import { createToolSelector } from "../../src/selector/tool-selector.js";
import { ask, namedTools, sleep } from "./support.js";

const tools = namedTools("query_order", "refund");

interface Host {
  invoke(input: unknown, options: object): Promise<unknown>;
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
}

function setup(
  host: string,
  mode: Mode,
  options: { judge?: FakeJudgeOptions; model?: RecordingChatModelOptions; timeoutMs?: number } = {},
) {
  const sink = memorySink();
  const judge = fakeJudge({ otherwise: 0.95, ...options.judge });
  const model = recordingChatModel(options.model);
  const selector = createToolSelector({
    mode,
    judge,
    sinks: sink,
    timeoutMs: options.timeoutMs,
  });
  const agents: Record<string, () => unknown> = {
    createAgent: () =>
      createAgent({ model, tools, middleware: [toolSelectorMiddleware(selector)] }),
    toolSelectorNode: () =>
      new StateGraph(MessagesAnnotation)
        .addNode("agent", toolSelectorNode({ model, tools, selector }))
        .addEdge("__start__", "agent")
        .compile(),
    createReactAgent: () =>
      createReactAgent({ llm: dynamicModel({ model, tools, selector }) as never, tools }),
  };
  return { agent: agents[host]?.() as Host, model, judge, selector, sink };
}

describe.each(["createAgent", "toolSelectorNode", "createReactAgent"])("in %s", (host) => {
  it("never calls the model when the caller aborts while the judge works", async () => {
    const { agent, model, judge, selector, sink } = setup(host, "enforce", {
      judge: { hang: true },
    });
    const caller = new AbortController();
    const run = agent.invoke(ask("Where is order 7?"), { signal: caller.signal });
    while (judge.requests.length === 0) await sleep(2);
    caller.abort(new Error("the caller left"));
    await expect(run).rejects.toThrow();
    await selector.flush();
    await sleep(20);
    expect(model.calls).toHaveLength(0);
    expect(judge.options[0]?.signal.aborted).toBe(true);
    expect(sink.records.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("ends a shadow judgment when the caller aborts", async () => {
    const { agent, judge, selector, sink } = setup(host, "shadow", {
      judge: { hang: true },
      model: { delayMs: 500 },
    });
    const caller = new AbortController();
    const run = agent.invoke(ask("Where is order 7?"), { signal: caller.signal });
    while (judge.requests.length === 0) await sleep(2);
    caller.abort(new Error("the caller left"));
    await expect(run).rejects.toThrow();
    await selector.flush();
    expect(judge.options[0]?.signal.aborted).toBe(true);
    expect(sink.records.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("stops judge and model when the consumer of a stream leaves", async () => {
    const { agent, judge, model, selector, sink } = setup(host, "shadow", {
      judge: { hang: true },
      model: { replies: ["one two three four five six"], delayMs: 30 },
    });
    const stream = await agent.stream(ask("Where is order 7?"), { streamMode: "messages" });
    for await (const _chunk of stream) break;
    await selector.flush();
    expect(model.calls).toHaveLength(1);
    expect(judge.options[0]?.signal.aborted).toBe(true);
    expect(sink.records.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("calls the model with the full catalog when only our own budget ends", async () => {
    const { agent, model, selector, sink } = setup(host, "enforce", {
      judge: { hang: true, ignoreSignal: true },
      timeoutMs: 30,
    });
    await agent.invoke(ask("Where is order 7?"), {});
    await selector.flush();
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
    expect(sink.records[0]).toMatchObject({ fallback: true, reason: "timeout" });
  });

  it("adds no latency in shadow: the model is called before the judge answers, and nobody waits", async () => {
    const { agent, model, judge, selector, sink } = setup(host, "shadow", {
      judge: { delayMs: 1500 },
    });
    const start = performance.now();
    await agent.invoke(ask("Where is order 7?"), {});
    expect(performance.now() - start).toBeLessThan(1000);
    expect(model.calls).toHaveLength(1);
    expect(judge.requests).toHaveLength(1);
    expect(sink.records).toHaveLength(0);
    await selector.flush();
    expect(sink.records).toHaveLength(1);
    expect(sink.records[0]).toMatchObject({ status: "decided", mode: "shadow" });
  });
});
