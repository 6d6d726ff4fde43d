/** What the adapters rely on in LangChain and LangGraph. A failure here says that the host has changed, not that we are wrong. */

import {
  MiddlewareError,
  ProviderStrategy,
  ToolStrategy,
  createAgent,
  createMiddleware,
  providerStrategy,
  toolStrategy,
} from "langchain";
import type { WrapModelCallHook } from "langchain";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { getConfig, isGraphBubbleUp } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { recordingChatModel } from "../../src/testing/index.js";
import type { RecordingChatModelOptions } from "../../src/testing/index.js";
import { ask, namedTool, namedTools, sleep } from "./support.js";

const tools = namedTools("a", "b", "c");
const [a, b, c] = tools;
const hi = ask("Hi");

type Request = Parameters<WrapModelCallHook>[0];

/** An agent whose one middleware does `hook`. */
function agentAround(
  hook: WrapModelCallHook,
  parameters: object = {},
  options: RecordingChatModelOptions = {},
) {
  const model = recordingChatModel(options);
  const middleware = createMiddleware({ name: "hook", wrapModelCall: hook });
  const agent = createAgent({ model, tools, middleware: [middleware], ...parameters } as never);
  return { agent, model };
}

const offering = (list: unknown): WrapModelCallHook => {
  return (request, handler) => handler({ ...request, tools: list as Request["tools"] });
};

describe("the tools of a request", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["a subset", [c], ["c"]],
    ["another order", [c, a, b], ["c", "a", "b"]],
    ["nothing", [], []],
    ["undefined, which restores everything", undefined, ["a", "b", "c"]],
  ])("may be %s", async (_title, list, expected) => {
    const { agent, model } = agentAround(offering(list));
    await agent.invoke(hi);
    expect(model.calls[0]?.toolNames).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    ["a new tool", [a, namedTool("new")], "You have added a new tool"],
    ["a copy of a tool", [namedTool("a")], "You have modified a tool"],
  ])("may not hold %s", async (_title, list, message) => {
    const { agent } = agentAround(offering(list));
    await expect(agent.invoke(hi)).rejects.toThrow(message);
  });

  it("are one array, shared across turns, which is not frozen", async () => {
    const seen: unknown[] = [];
    const { agent } = agentAround((request, handler) => {
      seen.push(request.tools);
      return handler(request);
    });
    await agent.invoke(hi);
    await agent.invoke(hi);
    expect(seen[1]).toBe(seen[0]);
    expect(Object.isFrozen(seen[0])).toBe(false);
  });
});

describe("a request", () => {
  const look = async (parameters: object, invoke: object = {}) => {
    const seen: Request[] = [];
    const { agent, model } = agentAround(
      (request, handler) => {
        seen.push(request);
        return handler(request);
      },
      parameters,
      { replies: ['{"x":"y"}'] },
    );
    await agent.invoke(hi, invoke);
    return { request: seen[0], call: model.calls[0] };
  };
  const schema = z.object({ x: z.string() });

  it("holds a tool strategy as an array, and no tool choice though `any` is sent", async () => {
    const { request, call } = await look({ responseFormat: toolStrategy(schema) });
    expect(request?.responseFormat).toEqual([expect.any(ToolStrategy)]);
    expect(request?.toolChoice).toBeUndefined();
    expect(call?.toolChoice).toBe("any");
    expect(call?.toolNames).toHaveLength(4);
  });

  it("holds a provider strategy as an instance, and a plain schema as it is", async () => {
    const native = await look({ responseFormat: providerStrategy(schema) });
    expect(native.request?.responseFormat).toBeInstanceOf(ProviderStrategy);
    const plain = await look({ responseFormat: schema });
    expect(plain.request?.responseFormat).toBe(schema);
  });

  it("holds the thread at runtime.configurable, and no context unless one was passed", async () => {
    const { request } = await look({}, { configurable: { thread_id: "t" } });
    expect(request?.runtime.configurable?.thread_id).toBe("t");
    expect(request?.runtime.context).toBeUndefined();
  });

  it("comes with the run's metadata, but without the caller's run id", async () => {
    const runId = "11111111-1111-4111-8111-111111111111";
    let config: unknown;
    const { agent } = agentAround((request, handler) => {
      config = getConfig();
      return handler(request);
    });
    await agent.invoke(hi, { runId, metadata: { run_id: "r" } } as never);
    expect(config).toMatchObject({ metadata: { run_id: "r" } });
    expect((config as { runId?: string }).runId).toBeUndefined();
  });
});

describe("cancellation", () => {
  it("reaches runtime.signal; a fallback that ignores it still calls the model", async () => {
    const caller = new AbortController();
    let reached = false;
    const { agent, model } = agentAround(async (request, handler) => {
      try {
        await new Promise((_resolve, reject) => {
          request.runtime.signal?.addEventListener("abort", () => {
            reached = true;
            reject(new Error("aborted"));
          });
        });
      } catch {
        // A catch-all fallback.
      }
      return handler(request);
    });
    const run = agent.invoke(hi, { signal: caller.signal });
    setTimeout(() => caller.abort(), 20);
    await expect(run).rejects.toThrow();
    await sleep(20);
    expect(reached).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it("does not reach runtime.signal at a normal end", async () => {
    let signal: AbortSignal | undefined;
    const { agent } = agentAround((request, handler) => {
      signal = request.runtime.signal;
      return handler(request);
    });
    await agent.invoke(hi, { signal: new AbortController().signal });
    await sleep(20);
    expect(signal?.aborted).toBe(false);
  });
});

describe("middleware", () => {
  it("is outermost where it comes first", async () => {
    const order: string[] = [];
    const named = (name: string) =>
      createMiddleware({
        name,
        wrapModelCall: (request, handler) => {
          order.push(name);
          return handler(request);
        },
      });
    const agent = createAgent({
      model: recordingChatModel(),
      tools,
      middleware: [named("first"), named("second")],
    });
    await agent.invoke(hi);
    expect(order).toEqual(["first", "second"]);
  });

  it("wraps errors and keeps their cause", async () => {
    const cause = new Error("mine");
    const { agent } = agentAround(() => {
      throw cause;
    });
    const error: unknown = await agent.invoke(hi).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MiddlewareError);
    expect((error as Error).cause).toBe(cause);
  });

  it("may add tools as soon as anyone defines wrapToolCall", async () => {
    const permissive = createMiddleware({
      name: "permissive",
      wrapToolCall: (request, handler) => handler(request),
    });
    const adding = createMiddleware({
      name: "adding",
      wrapModelCall: (request, handler) => handler({ ...request, tools: [namedTool("new")] }),
    });
    const model = recordingChatModel();
    await createAgent({ model, tools, middleware: [adding, permissive] }).invoke(hi);
    expect(model.calls[0]?.toolNames).toEqual(["new"]);
  });
});

describe("createReactAgent with a dynamic model", () => {
  it("binds no tools to it", async () => {
    const model = recordingChatModel();
    await createReactAgent({ llm: () => model, tools }).invoke(hi);
    expect(model.calls[0]?.toolNames).toEqual([]);
  });

  it("asks twice with responseFormat, and then takes a plain chat model alone", async () => {
    const model = recordingChatModel({
      replies: ["Hi", { toolCalls: [{ name: "extract", args: { x: "y" } }] }],
    });
    let asked = 0;
    const agent = (bound: boolean) =>
      createReactAgent({
        llm: () => {
          asked += 1;
          return (bound ? model.bindTools?.(tools) : model) as BaseChatModel;
        },
        tools,
        responseFormat: z.object({ x: z.string() }),
      });
    await agent(false).invoke(hi);
    expect(asked).toBe(2);
    await expect(agent(true).invoke(hi)).rejects.toThrow("ChatModel");
  });
});

describe("helpers of the host", () => {
  it("throw where ours must not: toJsonSchema on a date, isGraphBubbleUp on null", () => {
    expect(() => toJsonSchema(z.object({ at: z.date() }))).toThrow();
    expect(() => isGraphBubbleUp(null)).toThrow();
  });
});
