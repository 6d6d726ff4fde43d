import { createAgent, createMiddleware } from "langchain";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { RunnableLambda } from "@langchain/core/runnables";
import { describe, expect, it, vi } from "vitest";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { JudgeFunction, Mode } from "../../src/core/types.js";
import { dynamicModel, toolSelectorNode } from "../../src/langgraph.js";
import { toolSelectorMiddleware } from "../../src/langchain.js";
import { recordingChatModel } from "../../src/testing/index.js";
import { ask, namedTool, namedTools } from "./support.js";
import { createToolSelector } from "../../src/selector/tool-selector.js";

const secret = "JUDGE-SECRET";
const modes = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints", "tools"];
const tools = namedTools("query_order", "refund");

/** A judge of the user's that calls a chat model, a tool and a graph, all of which say the secret. */
function talkativeJudge(calls: string[]): JudgeFunction {
  const model = recordingChatModel({ replies: () => `${secret} from the model` });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("inner", () => ({ messages: [{ role: "ai", content: `${secret} from a graph` }] }))
    .addEdge("__start__", "inner")
    .compile();
  const helper = namedTool("helper");
  return async ({ candidates }) => {
    calls.push("judge");
    await model.invoke("Which tools?");
    for await (const _chunk of await model.stream("Which tools?"));
    await helper.invoke({ query: secret });
    await graph.invoke(ask("Which tools?"));
    return candidates.map(({ name }) => (name === "refund" ? 0.05 : 0.95));
  };
}

interface Streamable {
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  streamEvents(
    input: unknown,
    options: object,
  ): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
}

const hosts: Record<string, (mode: Mode, calls: string[]) => unknown> = {
  createAgent: (mode, calls) =>
    createAgent({
      model: recordingChatModel({ replies: ["All is well."], delayMs: 15 }),
      tools,
      middleware: [toolSelectorMiddleware({ mode, judge: talkativeJudge(calls) })],
    }),
  toolSelectorNode: (mode, calls) =>
    new StateGraph(MessagesAnnotation)
      .addNode(
        "agent",
        toolSelectorNode({
          model: recordingChatModel({ replies: ["All is well."], delayMs: 15 }),
          tools,
          selector: { mode, judge: talkativeJudge(calls) },
        }),
      )
      .addEdge("__start__", "agent")
      .compile(),
  createReactAgent: (mode, calls) =>
    createReactAgent({
      llm: dynamicModel({
        model: recordingChatModel({ replies: ["All is well."], delayMs: 15 }),
        tools,
        selector: { mode, judge: talkativeJudge(calls) },
      }) as never,
      tools,
    }),
};

const cases = Object.keys(hosts).flatMap((host) =>
  (["shadow", "enforce"] as const).map((mode) => [host, mode] as const),
);

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return JSON.stringify(chunks);
}

describe.each(cases)("a judge that calls chat models, in %s, %s", (host, mode) => {
  it.each([true, false])("leaks into no stream mode (subgraphs: %s)", async (subgraphs) => {
    const calls: string[] = [];
    const agent = hosts[host]?.(mode, calls) as Streamable;
    const text = await textOf(
      await agent.stream(ask("Where is order 7?"), { streamMode: modes, subgraphs }),
    );
    expect(calls).toEqual(["judge"]);
    expect(text).toContain("well.");
    expect(text).not.toContain(secret);
  });

  it.each(["v1", "v2", "v3"])("leaks into no event of streamEvents %s", async (version) => {
    const calls: string[] = [];
    const agent = hosts[host]?.(mode, calls) as Streamable;
    const text = await textOf(await agent.streamEvents(ask("Where is order 7?"), { version }));
    expect(calls).toEqual(["judge"]);
    expect(text).toContain("well.");
    expect(text).not.toContain(secret);
  });
});

it("would leak without our run around the judge", async () => {
  const judge = recordingChatModel({ replies: () => secret });
  const naive = createMiddleware({
    name: "naive",
    wrapModelCall: async (request, handler) => {
      await judge.invoke("Which tools?");
      return handler(request);
    },
  });
  const agent = createAgent({ model: recordingChatModel(), tools, middleware: [naive] });
  const text = await textOf(
    await agent.stream(ask("Where is order 7?"), { streamMode: ["messages"] }),
  );
  expect(text).toContain(secret);
});

class RunLog extends BaseCallbackHandler {
  readonly name = "run-log";
  readonly starts: { name: string; inputs: unknown; tags: unknown; metadata: unknown }[] = [];
  readonly ends: { name: string; outputs: unknown }[] = [];
  readonly events: { name: string; data: unknown }[] = [];
  readonly models: string[] = [];
  readonly runIds: string[] = [];
  readonly #names = new Map<string, string>();

  override handleChainStart(
    ...[, inputs, runId, , tags, metadata, , name]: Parameters<
      NonNullable<BaseCallbackHandler["handleChainStart"]>
    >
  ): void {
    this.#names.set(runId, name ?? "");
    this.runIds.push(runId);
    this.starts.push({ name: name ?? "", inputs, tags, metadata });
  }
  override handleChainEnd(outputs: unknown, runId: string): void {
    this.ends.push({ name: this.#names.get(runId) ?? "", outputs });
  }
  override handleChatModelStart(
    ...[, , , , , tags]: Parameters<NonNullable<BaseCallbackHandler["handleChatModelStart"]>>
  ): void {
    this.models.push((tags ?? []).includes("nostream") ? "judge" : "agent");
  }
  override handleCustomEvent(name: string, data: unknown): void {
    this.events.push({ name, data });
  }
}

describe("callbacks and traces", () => {
  const setup = (mode: Mode, judgeDelayMs = 0) => {
    const log = new RunLog();
    const judgeModel = recordingChatModel({ replies: () => secret });
    const judge: JudgeFunction = async ({ candidates }) => {
      await judgeModel.invoke("Which tools?");
      await new Promise((resolve) => setTimeout(resolve, judgeDelayMs));
      return candidates.map(({ name }) => (name === "refund" ? 0.05 : 0.95));
    };
    const selector = createToolSelector({ mode, judge });
    const agent = createAgent({
      model: recordingChatModel({ replies: ["All is well."] }),
      tools,
      middleware: [toolSelectorMiddleware(selector)],
    });
    return { agent, log, selector };
  };

  it.each(["shadow", "enforce"] as const)(
    "see one named run without content in %s",
    async (mode) => {
      const { agent, log, selector } = setup(mode);
      await agent.invoke(ask("Where is order 7?"), { callbacks: [log] });
      await selector.flush();
      const runs = log.starts.filter(({ name }) => name === "toolsieve_judge");
      expect(runs).toHaveLength(1);
      expect(runs[0]?.tags).toContain("nostream");
      expect(runs[0]?.metadata).toMatchObject({ lc_source: "toolsieve" });
      expect(log.models.toSorted()).toEqual(["agent", "judge"]);
      const end = log.ends.find(({ name }) => name === "toolsieve_judge");
      expect(JSON.stringify([runs[0]?.inputs, end?.outputs])).not.toMatch(/order 7|SECRET|0\.95/);
    },
  );

  it("see the judge under its own name and id, whatever the node's run is called", async () => {
    const log = new RunLog();
    const node = toolSelectorNode({
      model: recordingChatModel(),
      tools,
      selector: { mode: "enforce", judge: ({ candidates }) => candidates.map(() => 0.95) },
    });
    const runId = "11111111-1111-4111-8111-111111111111";
    await node(ask("Where is order 7?"), { callbacks: [log], runName: "mine", runId });
    expect(log.starts.map(({ name }) => name)).toEqual(["toolsieve_judge"]);
    expect(log.runIds).not.toContain(runId);
  });

  it("are told of an enforced selection by names and counts alone", async () => {
    const { agent, log } = setup("enforce");
    await agent.invoke(ask("Where is order 7?"), { callbacks: [log] });
    expect(log.events).toEqual([
      {
        name: "toolsieve_selection",
        data: {
          status: "decided",
          reason: "selected",
          fallback: false,
          enforced: true,
          tools: 2,
          offered: 1,
          suggested: 1,
          kept: ["query_order"],
        },
      },
    ]);
  });

  it("are told of a shadow selection too, once it is known", async () => {
    const { agent, log, selector } = setup("shadow");
    await agent.invoke(ask("Where is order 7?"), { callbacks: [log] });
    await selector.flush();
    expect(log.events).toMatchObject([
      {
        name: "toolsieve_selection",
        data: { enforced: false, offered: 2, suggested: 1, kept: ["query_order"] },
      },
    ]);
  });

  it("of events see no late shadow selection, and no error of it", async () => {
    const complain = vi.fn();
    vi.spyOn(console, "error").mockImplementation(complain);
    vi.spyOn(console, "warn").mockImplementation(complain);
    const { selector } = setup("shadow", 50);
    const node = toolSelectorNode({ model: recordingChatModel(), tools, selector });
    const run = RunnableLambda.from((state: object, config) => node(state, config));
    for await (const _ of run.streamEvents(ask("Where is order 7?"), { version: "v2" }));
    await selector.flush();
    expect(complain).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("do not fail the turn when a handler throws", async () => {
    const { agent } = setup("enforce");
    const failing = Object.assign(new RunLog(), {
      raiseError: true,
      awaitHandlers: true,
      handleCustomEvent: () => {
        throw new Error("handler");
      },
    });
    const result = await agent.invoke(ask("Where is order 7?"), { callbacks: [failing] });
    expect(result.messages.at(-1)?.text).toBe("All is well.");
  });
});
