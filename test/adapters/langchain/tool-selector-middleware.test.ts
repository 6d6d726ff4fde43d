import {
  createAgent,
  createMiddleware,
  providerStrategy,
  todoListMiddleware,
  tool,
  toolStrategy,
} from "langchain";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver, interrupt } from "@langchain/langgraph";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { InvalidOptionsError } from "../../../src/errors.js";
import { presets, toolSelectorMiddleware } from "../../../src/langchain.js";
import type { ToolSelectorMiddleware } from "../../../src/langchain.js";
import { memorySink } from "../../../src/sinks/memory.js";
import { fakeJudge, recordingChatModel } from "../../../src/testing/index.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";
import {
  agentWith,
  ask,
  judging,
  lastText,
  namedTool,
  namedTools,
  sleep,
  textsOf,
} from "../support.js";

const names = ["query_order", "refund", "escalate"] as const;
const tools = namedTools(...names);
const where = ask("Where is order 7?");

/** Keeps what the next handler inside ours was given. */
function spy() {
  const requests: { tools: unknown[]; request: object }[] = [];
  const middleware = createMiddleware({
    name: "inner-spy",
    wrapModelCall: (request, handler) => {
      requests.push({ tools: request.tools, request });
      return handler(request);
    },
  });
  return { requests, middleware };
}

/** Keeps the request that ours was given, and what it handed on. */
function outerSpy() {
  const seen: unknown[] = [];
  const middleware = createMiddleware({
    name: "outer-spy",
    wrapModelCall: (request, handler) => {
      seen.push(request.tools);
      return handler(request);
    },
  });
  return { seen, middleware };
}

describe("what the model is offered", () => {
  it.each([
    ["one applicable", { query_order: 0.95, refund: 0.05 }, ["query_order", "escalate"]],
    ["both applicable", { query_order: 0.95, refund: 0.9 }, ["query_order", "refund", "escalate"]],
    ["none applicable", { query_order: 0.05, refund: 0.05 }, ["escalate"]],
    ["one uncertain", { query_order: 0.95, refund: 0.5 }, [...names]],
  ])("%s", async (_title, probabilities, expected) => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", alwaysInclude: ["escalate"], judge: judging(probabilities) },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(expected);
  });

  it("is a subsequence of the agent's own objects, in their order", async () => {
    const many = namedTools("a", "b", "c", "d", "e");
    const { agent, model } = agentWith({
      tools: many,
      selector: { mode: "enforce", judge: judging({ e: 0.99, a: 0.9, c: 0.95 }) },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.tools).toEqual([many[0], many[2], many[4]]);
    expect(model.calls[0]?.tools.every((offered) => many.includes(offered as never))).toBe(true);
  });

  it.each([
    ["off", judging({ query_order: 0.95 })],
    ["shadow", judging({ query_order: 0.95 })],
    ["enforce", judging({ query_order: 0.5 })],
    [
      "enforce",
      () => {
        throw new Error("down");
      },
    ],
  ] as const)("is the very same array where nothing changes: %s", async (mode, judge) => {
    const inner = spy();
    const outer = outerSpy();
    const { agent } = agentWith({
      tools,
      selector: { mode, judge },
      outer: [outer.middleware],
      inner: [inner.middleware],
    });
    await agent.invoke(where);
    expect(inner.requests[0]?.tools).toBe(outer.seen[0]);
  });

  it("does not change the array that the host shares across turns", async () => {
    const outer = outerSpy();
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ query_order: 0.95 }) },
      model: { replies: [{ toolCalls: [{ name: "query_order" }] }, "It is on its way."] },
      outer: [outer.middleware],
    });
    await agent.invoke(where);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["query_order"],
      ["query_order"],
    ]);
    expect(outer.seen[1]).toBe(outer.seen[0]);
    expect(outer.seen[0]).toHaveLength(3);
  });

  it("is the agent's own catalog where an outer middleware left the list out", async () => {
    const forgetful = createMiddleware({
      name: "forgetful",
      wrapModelCall: (request, handler) => handler({ ...request, tools: undefined as never }),
    });
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({}) },
      outer: [forgetful],
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual([...names]);
    expect(await records()).toEqual([]);
  });

  it("includes a provider's own tools untouched", async () => {
    const search = { type: "web_search_20250305", name: "web_search" };
    const google = { googleSearch: {} };
    const { agent, model } = agentWith({
      tools: [...tools, search, google],
      selector: { mode: "enforce", judge: judging({}) },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.tools).toEqual([search, google]);
    expect(model.calls[0]?.tools[0]).toBe(search);
  });
});

describe("in shadow", () => {
  it("records what would have been hidden, and hides nothing", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { judge: judging({ query_order: 0.95 }) },
      model: {
        replies: [
          {
            toolCalls: [{ name: "refund" }],
            usage: {
              inputTokens: 900,
              outputTokens: 20,
              cacheReadTokens: 600,
              cacheWriteTokens: 5,
            },
          },
        ],
      },
    });
    await agent.invoke(where, { configurable: { thread_id: "t-1" }, metadata: { run_id: "r-1" } });
    expect(model.calls[0]?.toolNames).toEqual([...names]);
    expect((await records())[0]).toMatchObject({
      mode: "shadow",
      threadId: "t-1",
      runId: "r-1",
      offered: { tools: 3 },
      suggested: { tools: 1 },
      outcome: {
        called: ["refund"],
        missed: ["refund"],
        model: "recording-model",
        usage: { inputTokens: 900, outputTokens: 20, cacheReadTokens: 600, cacheWriteTokens: 5 },
      },
    });
  });

  it("writes no graph state", async () => {
    const run = async (middleware: readonly ToolSelectorMiddleware[]) => {
      const agent = createAgent({
        model: recordingChatModel({ replies: ["It is on its way."] }),
        tools,
        checkpointer: new MemorySaver(),
        middleware,
      });
      const config = { configurable: { thread_id: "t" } };
      await agent.invoke(where, config);
      const state = (await agent.graph.getState(config)) as { values: object };
      return Object.keys(state.values);
    };
    const ours = toolSelectorMiddleware({ judge: judging({ query_order: 0.95 }) });
    expect(await run([ours])).toEqual(await run([]));
  });

  it("hides no failure of the model", async () => {
    const { agent, records } = agentWith({
      tools,
      selector: { judge: judging({ query_order: 0.95 }) },
      model: { replies: [{ error: new Error("model down") }] },
    });
    await expect(agent.invoke(where)).rejects.toThrow("model down");
    expect((await records())[0]?.outcome).toMatchObject({ error: true });
  });
});

describe("two tools with one name", () => {
  const first = namedTool("x", "The first meaning.");
  const last = namedTool("x", "The last meaning.");
  const other = namedTool("y", "Something else.");

  it("break any other middleware of the host", async () => {
    const passThrough = createMiddleware({
      name: "pass-through",
      wrapModelCall: (request, handler) => handler(request),
    });
    const agent = createAgent({
      model: recordingChatModel(),
      tools: [first, other, last],
      middleware: [passThrough],
    });
    await expect(agent.invoke(where)).rejects.toThrow("You have modified a tool");
  });

  it.each(["off", "shadow", "enforce"] as const)(
    "keep working in %s: only the last is offered, and the name is warned about once",
    async (mode) => {
      const warnings: string[] = [];
      const { agent, model } = agentWith({
        tools: [first, other, last],
        selector: {
          mode,
          judge: judging({ x: 0.9, y: 0.9 }),
          logger: { warn: (message) => warnings.push(message) },
        },
        model: { replies: [{ toolCalls: [{ name: "y" }] }, "done"] },
      });
      await agent.invoke(where);
      expect(model.calls.map((call) => call.tools)).toEqual([
        [other, last],
        [other, last],
      ]);
      expect(warnings.filter((text) => text.includes('"x"'))).toHaveLength(1);
    },
  );

  it("stay where the host carries them: dicts, and one object twice", async () => {
    const dict = (description: string) => ({
      type: "function",
      function: { name: "z", description, parameters: { type: "object", properties: {} } },
    });
    const list = [other, dict("One."), dict("Two."), other];
    const { agent, model } = agentWith({ tools: list, selector: { judge: judging({}) } });
    await agent.invoke(where);
    expect(model.calls[0]?.tools).toEqual(list);
  });
});

describe("response formats", () => {
  const answer = z.object({ answer: z.string() });
  const formats: Record<string, () => unknown> = {
    toolStrategy: () => toolStrategy(answer),
    providerStrategy: () => providerStrategy(answer),
    "plain zod": () => answer,
  };

  it.each(Object.keys(formats))("%s never leaves the agent without tools", async (format) => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({}) },
      model: {
        replies: (call) => {
          const extract = call.toolNames.find((name) => name.startsWith("extract"));
          return extract === undefined
            ? '{"answer":"yes"}'
            : { toolCalls: [{ name: extract, args: { answer: "yes" } }] };
        },
      },
      agent: { responseFormat: formats[format]?.() },
    });
    const result = (await agent.invoke(where)) as { structuredResponse?: unknown };
    expect(result.structuredResponse).toEqual({ answer: "yes" });
    expect(model.calls[0]?.toolNames).toEqual(expect.arrayContaining([...names]));
    expect((await records())[0]).toMatchObject({ fallback: true, reason: "empty-not-allowed" });
  });

  it("keeps the format's own tool beside what was selected, and reads the outcome behind it", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ query_order: 0.95 }) },
      model: {
        replies: (call) => ({
          toolCalls: [{ name: call.toolNames.at(-1) ?? "", args: { answer: "yes" } }],
          usage: { inputTokens: 5, outputTokens: 1 },
        }),
      },
      agent: { responseFormat: toolStrategy(answer) },
    });
    await agent.invoke(where);
    const [offered, format, ...rest] = model.calls[0]?.toolNames ?? [];
    expect([offered, rest]).toEqual(["query_order", []]);
    expect(model.calls[0]?.toolChoice).toBe("any");
    expect((await records())[0]?.outcome).toMatchObject({
      called: [format],
      missed: [],
      usage: { inputTokens: 5 },
    });
  });
});

describe("tool choice", () => {
  const choosing = (toolChoice: unknown) =>
    createMiddleware({
      name: "chooser",
      wrapModelCall: (request, handler) => handler({ ...request, toolChoice: toolChoice as never }),
    });

  it.each([
    ["refund"],
    [{ type: "function", function: { name: "refund" } }],
    [{ type: "function", name: "refund" }],
    [{ type: "tool", name: "refund" }],
    [{ tool: { name: "refund" } }],
    [{ functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["refund"] } }],
    [{ type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "refund" }] }],
    [
      {
        type: "allowed_tools",
        allowed_tools: {
          mode: "required",
          tools: [{ type: "function", function: { name: "refund" } }],
        },
      },
    ],
  ])("pins the tool that it names: %j", async (choice) => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ query_order: 0.95 }) },
      outer: [choosing(choice)],
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
    expect(model.calls[0]?.toolChoice).toEqual(choice);
  });

  it.each(["any", "required", { type: "any" }])(
    "%j with nothing left is a fallback",
    async (choice) => {
      const { agent, model } = agentWith({
        tools,
        selector: { mode: "enforce", judge: judging({}) },
        outer: [choosing(choice)],
      });
      await agent.invoke(where);
      expect(model.calls[0]?.toolNames).toEqual([...names]);
    },
  );

  it('asks no judge where the choice is "none"', async () => {
    const judge = fakeJudge();
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge },
      outer: [choosing("none")],
    });
    await agent.invoke(where);
    expect(judge.requests).toHaveLength(0);
    expect(model.calls[0]?.toolNames).toEqual([...names]);
  });
});

describe("messages", () => {
  it("pins every tool whose calls or results are being sent", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ query_order: 0.95 }) },
    });
    await agent.invoke({
      messages: [
        new HumanMessage("Refund it"),
        new AIMessage({ content: "", tool_calls: [{ name: "refund", args: {}, id: "1" }] }),
        new ToolMessage({ content: "refunded", tool_call_id: "1" }),
        new AIMessage("Refunded."),
        new HumanMessage("Where is order 7?"),
      ],
    });
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
  });

  it("judges what is sent, not what the state holds", async () => {
    const judge = fakeJudge({ otherwise: 0.95 });
    const editing = createMiddleware({
      name: "editing",
      wrapModelCall: (request, handler) =>
        handler({ ...request, messages: [new HumanMessage("Edited request")] }),
    });
    const { agent } = agentWith({
      tools,
      selector: { mode: "enforce", judge },
      outer: [editing],
    });
    await agent.invoke(where);
    expect(judge.requests[0]?.context.request).toBe("Edited request");
  });

  it("shows no system prompt to the judge", async () => {
    const judge = fakeJudge({ otherwise: 0.95 });
    const { agent } = agentWith({
      tools,
      selector: { mode: "enforce", judge },
      agent: { systemPrompt: "SYSTEM-CANARY" },
    });
    await agent.invoke(where);
    expect(JSON.stringify(judge.requests)).not.toContain("SYSTEM-CANARY");
  });

  it("records a call of a hidden tool as a miss; the host executes it all the same", async () => {
    const { agent, records } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ query_order: 0.95 }) },
      model: { replies: [{ toolCalls: [{ name: "refund" }] }, "done"] },
    });
    const result = await agent.invoke(where);
    expect(textsOf(result)).toContain("result of refund");
    expect((await records())[0]?.outcome).toMatchObject({ called: ["refund"], missed: ["refund"] });
  });
});

describe("one call's own settings", () => {
  it("change the mode, the cap and the pins under context.toolSelector", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: { judge: judging({ query_order: 0.95, refund: 0.9 }) },
    });
    await agent.invoke(where, {
      context: { toolSelector: { mode: "enforce", maxTools: 1, alwaysInclude: ["escalate"] } },
    } as never);
    await agent.invoke(where);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["query_order", "escalate"],
      [...names],
    ]);
  });

  it.each([undefined, null, 7, "enforce", [], { mode: "on" }, { maxTools: 0 }, { nonsense: 1 }])(
    "are ignored where they are not valid: %j",
    async (toolSelector) => {
      const { agent, model } = agentWith({
        tools,
        selector: { mode: "enforce", judge: judging({ query_order: 0.95, refund: 0.9 }) },
      });
      await agent.invoke(where, { context: { toolSelector } } as never);
      expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
    },
  );

  it("live beside the agent's own context, and are typed", async () => {
    const model = recordingChatModel();
    const agent = createAgent({
      model,
      tools,
      contextSchema: z.object({ userId: z.string() }),
      middleware: [toolSelectorMiddleware({ judge: judging({ query_order: 0.95 }) })],
    });
    await agent.invoke(where, { context: { userId: "u", toolSelector: { mode: "enforce" } } });
    await agent.invoke(where, { context: { userId: "u" } });
    expect(model.calls.map(({ tools: { length } }) => length)).toEqual([1, 3]);
  });
});

describe("the middleware", () => {
  it("has a name that can be changed, so that an agent can hold two", async () => {
    const make = (second: object) =>
      createAgent({
        model: recordingChatModel(),
        tools,
        middleware: [
          toolSelectorMiddleware({ judge: judging({}) }),
          toolSelectorMiddleware({ judge: judging({}) }, second),
        ],
      });
    expect(() => make({})).toThrow("defined multiple times");
    await expect(make({ name: "SecondSelector" }).invoke(where)).resolves.toBeDefined();
  });

  it("exposes its selector, or takes one", () => {
    const selector = createToolSelector();
    expect(toolSelectorMiddleware(selector).selector).toBe(selector);
    expect(toolSelectorMiddleware({ maxTools: 3 }).selector.options.maxTools).toBe(3);
    expect(toolSelectorMiddleware().selector.options.mode).toBe("shadow");
  });

  it.each([
    [{ maxTools: 0 }, {}, "`maxTools`"],
    [{}, { name: "" }, "`name`"],
    [{}, { threadId: "t" }, "`threadId`"],
    [{}, { nmae: "x" }, "nmae"],
  ])("refuses wrong options at construction: %j %j", (selector, options, message) => {
    const construct = () => toolSelectorMiddleware(selector, options as never);
    expect(construct).toThrow(InvalidOptionsError);
    expect(construct).toThrow(message);
  });

  it("reads thread, cancellation and context from the runtime, where there is no async context", async () => {
    const sink = memorySink();
    const { wrapModelCall, selector } = toolSelectorMiddleware({
      judge: fakeJudge({ hang: true }),
      sinks: sink,
    });
    const caller = new AbortController();
    const handler = vi.fn<() => AIMessage>();
    const turn = wrapModelCall?.(
      {
        messages: where.messages,
        tools,
        runtime: {
          configurable: { thread_id: "t-9" },
          context: { toolSelector: { mode: "enforce" } },
          signal: caller.signal,
        },
      } as never,
      handler as never,
    );
    setTimeout(() => caller.abort(new Error("the caller left")), 20);
    await expect(turn).rejects.toThrow("the caller left");
    await selector.flush();
    expect(handler).not.toHaveBeenCalled();
    expect(sink.records[0]).toMatchObject({ threadId: "t-9", status: "cancelled" });
  });

  it("shows the judge the parameters of a zod 3 tool", async () => {
    const judge = fakeJudge();
    const old = tool(() => "x", {
      name: "old",
      description: "A tool of older days.",
      schema: z3.object({ id: z3.string() }) as never,
    });
    const { agent } = agentWith({ tools: [old], selector: { mode: "enforce", judge } });
    await agent.invoke(where);
    expect(judge.requests[0]?.candidates[0]?.parameters).toMatchObject({
      properties: { id: { type: "string" } },
    });
  });

  it("defines no wrapToolCall, which would switch off the host's own check", () => {
    expect(toolSelectorMiddleware().wrapToolCall).toBeUndefined();
  });

  it("reads thread and group by the user's functions", async () => {
    const { agent, records } = agentWith({
      tools,
      selector: { judge: judging({}) },
      middleware: {
        threadId: ({ runtime }) => `thread of ${String(runtime.configurable?.["tenant"])}`,
        groupId: ({ state }) => `${state.messages.length} message`,
      },
    });
    await agent.invoke(where, { configurable: { thread_id: "t", tenant: "acme" } });
    expect((await records())[0]).toMatchObject({
      threadId: "thread of acme",
      groupId: "1 message",
    });
  });

  it("goes on without an id whose function throws", async () => {
    const warnings: string[] = [];
    const { agent, records } = agentWith({
      tools,
      selector: { judge: judging({}), logger: { warn: (text) => warnings.push(text) } },
      middleware: {
        groupId: () => {
          throw new Error("no tenant");
        },
      },
    });
    await agent.invoke(where);
    await agent.invoke(where);
    expect((await records()).map(({ groupId }) => groupId)).toEqual([null, null]);
    expect(warnings.filter((text) => text.includes("groupId"))).toHaveLength(1);
  });

  it("judges once where retries happen inside it", async () => {
    const judge = fakeJudge({ otherwise: 0.95 });
    let failures = 2;
    const retrying = createMiddleware({
      name: "retrying",
      wrapModelCall: async (request, handler) => {
        for (;;) {
          try {
            return await handler(request);
          } catch {
            // Tried again.
          }
        }
      },
    });
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge },
      model: {
        replies: () => {
          failures -= 1;
          return failures >= 0 ? { error: new Error("busy") } : "done";
        },
      },
      inner: [retrying],
    });
    await agent.invoke(where);
    expect(model.calls).toHaveLength(3);
    expect(judge.requests).toHaveLength(1);
  });

  it("sees the tools that a middleware outside it adds", async () => {
    const added = namedTool("added", "A tool of the moment.");
    const adding = createMiddleware({
      name: "adding",
      wrapModelCall: (request, handler) =>
        handler({ ...request, tools: [...request.tools, added] }),
      wrapToolCall: (request, handler) => handler({ ...request, tool: request.tool ?? added }),
    });
    const { agent, model } = agentWith({
      tools,
      selector: { mode: "enforce", judge: judging({ added: 0.95 }) },
      model: { replies: [{ toolCalls: [{ name: "added" }] }, "done"] },
      outer: [adding],
    });
    const result = await agent.invoke(where);
    expect(model.calls[0]?.tools).toEqual([added]);
    expect(textsOf(result)).toContain("result of added");
  });
});

describe("presets", () => {
  it("keep the planning tool of todoListMiddleware, which a plain filter hides", async () => {
    const offered = async (alwaysInclude: readonly string[]) => {
      const { agent, model } = agentWith({
        tools,
        selector: { mode: "enforce", judge: judging({ query_order: 0.95 }), alwaysInclude },
        outer: [todoListMiddleware()],
      });
      await agent.invoke(where);
      return model.calls[0]?.toolNames;
    };
    expect(await offered([])).toEqual(["query_order"]);
    expect(await offered(presets.todoList)).toEqual(["query_order", "write_todos"]);
  });

  it("keep handoffs by pattern", async () => {
    const { agent, model } = agentWith({
      tools: namedTools("transfer_to_billing", "transfer_back_to_supervisor", "refund"),
      selector: { mode: "enforce", judge: judging({}), alwaysInclude: presets.handoffs },
    });
    await agent.invoke(where);
    expect(model.calls[0]?.toolNames).toEqual([
      "transfer_to_billing",
      "transfer_back_to_supervisor",
    ]);
  });
});

describe("threads and parallel runs", () => {
  it("keeps two interleaved threads of a checkpointer apart", async () => {
    const { agent, model, records } = agentWith({
      tools,
      selector: {
        mode: "enforce",
        judge: ({ context, candidates }) =>
          candidates.map(({ name }) => (context.request.includes(name) ? 0.95 : 0.05)),
      },
      model: {
        replies: (call) =>
          call.messages.at(-1)?.type === "tool"
            ? "done"
            : { toolCalls: call.toolNames.slice(0, 1).map((name) => ({ name })) },
      },
      agent: { checkpointer: new MemorySaver() },
    });
    const thread = (id: string) => ({ configurable: { thread_id: id } });
    await agent.invoke(ask("Please query_order"), thread("a"));
    await agent.invoke(ask("Please refund"), thread("b"));
    await agent.invoke(ask("Please escalate"), thread("a"));
    await agent.invoke(ask("Please escalate"), thread("b"));
    const offered = model.calls
      .filter((call) => call.messages.at(-1)?.type === "human")
      .map(({ toolNames }) => toolNames);
    expect(offered).toEqual([
      ["query_order"],
      ["refund"],
      ["query_order", "escalate"],
      ["refund", "escalate"],
    ]);
    expect((await records()).map(({ threadId }) => threadId)).toEqual("aabbaabb".split(""));
  });

  it("serves parallel agents from one selector without mixing them", async () => {
    const sink = memorySink();
    const selector = createToolSelector({
      mode: "enforce",
      sinks: sink,
      judge: async ({ context, candidates }) => {
        await sleep(Math.random() * 10);
        return candidates.map(({ name }) => (context.request === name ? 0.95 : 0.05));
      },
    });
    const pool = namedTools(...Array.from({ length: 12 }, (_, index) => `tool_${index}`));
    const runs = pool.map(async ({ name }) => {
      const { agent, model } = agentWith({ tools: pool, selector });
      await agent.invoke(ask(name), { configurable: { thread_id: name } });
      return model.calls[0]?.toolNames;
    });
    expect(await Promise.all(runs)).toEqual(pool.map(({ name }) => [name]));
    await selector.flush();
    expect(sink.records).toHaveLength(pool.length);
    expect(new Set(sink.records.map(({ threadId }) => threadId))).toEqual(
      new Set(pool.map(({ name }) => name)),
    );
  });
});

describe("interrupts", () => {
  const config = { configurable: { thread_id: "t" } };

  it("of a tool pause and resume the agent; no judgment is lost or doubled per step", async () => {
    const confirm = tool(() => `approved: ${String(interrupt("Refund?"))}`, {
      name: "refund",
      description: "Refunds an order.",
      schema: z.object({}),
    });
    const judge = fakeJudge({ probabilities: { refund: 0.95 } });
    const { agent, model, records } = agentWith({
      tools: [...namedTools("query_order"), confirm],
      selector: { mode: "enforce", judge },
      model: { replies: [{ toolCalls: [{ name: "refund" }] }, "done"] },
      agent: { checkpointer: new MemorySaver() },
    });
    await agent.invoke(where, config);
    expect(model.calls).toHaveLength(1);
    const resumed = await agent.invoke(new Command({ resume: "yes" }), config);
    expect(textsOf(resumed)).toContain("approved: yes");
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([["refund"], ["refund"]]);
    expect(await records()).toHaveLength(2);
  });

  it("of a judge pause an enforced turn before the model is called, and resume it", async () => {
    const { agent, model } = agentWith({
      tools,
      selector: {
        mode: "enforce",
        judge: ({ candidates }) => {
          const allowed: unknown = interrupt("Which tool?");
          return candidates.map(({ name }) => (name === allowed ? 0.95 : 0.05));
        },
      },
      agent: { checkpointer: new MemorySaver() },
    });
    const paused = (await agent.invoke(where, config)) as { __interrupt__?: unknown[] };
    expect(paused.__interrupt__).toHaveLength(1);
    expect(model.calls).toHaveLength(0);
    const resumed = await agent.invoke(new Command({ resume: "refund" }), config);
    expect(lastText(resumed)).toBe("done");
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([["refund"]]);
  });

  it("of a judge in shadow count as a judge error and change nothing", async () => {
    const { agent, records } = agentWith({
      tools,
      selector: { judge: () => interrupt<string, number[]>("Which tool?") },
      agent: { checkpointer: new MemorySaver() },
    });
    expect(lastText(await agent.invoke(where, config))).toBe("done");
    expect((await records())[0]).toMatchObject({ status: "failed", reason: "judge-error" });
  });
});
