import { AIMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JudgeRequest } from "../../../src/core/types.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { chatModelJudge, type ChatModelJudgeOptions } from "../../../src/models.js";
import {
  recordingChatModel,
  type RecordedModelCall,
  type ScriptedReply,
} from "../../../src/testing/recording-chat-model.js";
import { namedTools } from "../../adapters/support.js";
import { createHostileServer, type HostileServer } from "../../support/hostile-server.js";
import { judgeTurn, toolNames, watchForLeaks } from "../../support/judge-turn.js";

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());
watchForLeaks();

const answers = (...values: readonly unknown[]) => ({
  answers: values.map((probability, index) => ({ number: index + 1, probability })),
});
const call = (args: Record<string, unknown>): ScriptedReply => ({
  toolCalls: [{ name: "tool_answers", args }],
});
const systemOf = ({ messages }: RecordedModelCall) => messages[0]?.text ?? "";
const linesOf = (model: RecordedModelCall) =>
  systemOf(model).split("Tools:\n")[1]?.split("\n") ?? [];
const half = (model: RecordedModelCall): ScriptedReply =>
  call(answers(...linesOf(model).map(() => 0.5)));

const request: JudgeRequest = {
  context: {
    request: "Where is order 7?",
    messages: [{ role: "user", text: "Where is order 7?" }],
  },
  candidates: [
    { name: "a", description: "Does a." },
    { name: "b", description: "Does b." },
  ],
};
const ask = (
  model: Parameters<typeof chatModelJudge>[0],
  signal = new AbortController().signal,
  options: ChatModelJudgeOptions = { raw: true },
) => chatModelJudge(model, options).judge(request, { signal });

describe("asking", () => {
  it("states rules and tools first, the conversation last, and reads what is answered", async () => {
    const model = recordingChatModel({
      replies: [
        {
          ...(call(answers(0.1, 0.9)) as object),
          usage: { inputTokens: 5, outputTokens: 3, cacheReadTokens: 2 },
        },
      ],
    });
    const response = await ask(model);
    expect(response).toEqual({
      probabilities: [0.1, 0.9],
      model: "recording-model",
      usage: { inputTokens: 5, outputTokens: 3, cachedInputTokens: 2 },
    });
    const [asked] = model.calls;
    expect(asked?.messages.map(({ type }) => type)).toEqual(["system", "human"]);
    expect(linesOf(asked as RecordedModelCall).map((line) => JSON.parse(line) as unknown)).toEqual([
      { number: 1, name: "a", description: "Does a." },
      { number: 2, name: "b", description: "Does b." },
    ]);
  });

  it("has a schema that does not depend on the tools, and the same prompt start every turn", async () => {
    const model = recordingChatModel({ replies: half });
    const judge = chatModelJudge(model);
    const { signal } = new AbortController();
    await judge.judge(request, { signal });
    await judge.judge({ ...request, context: { request: "Other", messages: [] } }, { signal });
    await judge.judge({ ...request, candidates: request.candidates.slice(1) }, { signal });
    const [first, second, third] = model.calls;
    expect(systemOf(second as RecordedModelCall)).toBe(systemOf(first as RecordedModelCall));
    expect(JSON.stringify(third?.tools)).toBe(JSON.stringify(first?.tools));
  });

  it("reads a model that answers with an AIMessage, which core's own parser refuses", async () => {
    const message = new AIMessage({
      content: "",
      tool_calls: [{ type: "tool_call", name: "tool_answers", args: answers(0.1, 0.9), id: "1" }],
    });
    expect((await ask(recordingChatModel({ replies: [message] }))).probabilities).toEqual([
      0.1, 0.9,
    ]);
  });

  it("runs tagged and named, with the callbacks it is given", async () => {
    const configs: unknown[] = [];
    const model = {
      modelName: "m",
      withStructuredOutput: () => ({
        invoke: async (_input: unknown, config?: object) => {
          configs.push(config);
          return { raw: {}, parsed: answers(0.1, 0.9) };
        },
      }),
    };
    await ask(model);
    await ask(model, undefined, { raw: true, callbacks: [] });
    expect(configs[0]).toMatchObject({
      tags: ["nostream"],
      metadata: { lc_source: "toolsieve" },
      runName: "toolsieve_judge",
    });
    expect(configs[0]).not.toHaveProperty("callbacks");
    expect(configs[1]).toHaveProperty("callbacks", []);
    expect(chatModelJudge(model).id).toBe("chat-model:m");
  });

  it.each([
    ["nothing", undefined],
    ["an object", {}],
    [
      "a model that cannot",
      {
        withStructuredOutput: () => {
          throw new Error("no tools");
        },
      },
    ],
  ])("refuses %s at construction", (_case, model) => {
    expect(() => chatModelJudge(model as never)).toThrow(/structured output/);
  });
});

describe("in a turn of a real agent", () => {
  const judgeOf = (replies: readonly ScriptedReply[]) =>
    chatModelJudge(recordingChatModel({ replies }), { retry: { retries: 0 } });

  it("selects", async () => {
    const turn = await judgeTurn(judgeOf([call(answers(0.95, 0.05, 0.1))]));
    expect(turn.offered).toEqual(["query_order"]);
    expect(turn.record).toMatchObject({
      status: "decided",
      judge: { id: "chat-model:ScriptedChatModel", model: "recording-model" },
    });
  });

  it("hides what was answered by number, in any order, and keeps the tool left out", async () => {
    const reply = { answers: [3, 1].map((number) => ({ number, probability: 0.05 })) };
    const turn = await judgeTurn(judgeOf([call(reply)]), { selector: { onUncertain: "keep" } });
    expect(turn.offered).toEqual(["refund"]);
    expect(turn.record.tools.map(({ verdict }) => verdict)).toEqual([
      "not-applicable",
      "unjudged",
      "not-applicable",
    ]);
  });

  it.each([
    ["unjudged", "prose", "I would rather not say."],
    ["unjudged", "an empty call", call({})],
    ["unjudged", "null answers", call({ answers: null })],
    ["unjudged", "a tool left out", call(answers(0.9, 0.1))],
    [
      "unjudged",
      "numbers from 0",
      call({ answers: [0, 1, 2].map((number) => ({ number, probability: 0 })) }),
    ],
    ["unjudged", "a probability out of range", call(answers(0.9, 0.1, 7))],
    [
      "unjudged",
      "an answer cut at the limit",
      new AIMessage({
        content: JSON.stringify(answers(0.9, 0.1, 0.1)),
        response_metadata: { finish_reason: "length" },
      }),
    ],
    [
      "refused",
      "a refusal",
      new AIMessage({
        content: "",
        response_metadata: { stop_reason: "refusal", detail: "CANARY" },
      }),
    ],
    [
      "refused",
      "a content filter",
      new AIMessage({ content: "", response_metadata: { finish_reason: "content_filter" } }),
    ],
    ["judge-error", "an outage", { error: Object.assign(new Error("CANARY"), { status: 503 }) }],
    [
      "judge-error",
      "a refused key",
      { error: Object.assign(new Error("CANARY"), { status: 401 }) },
    ],
    ["judge-error", "a bug", { error: new TypeError("CANARY") }],
  ] satisfies [string, string, ScriptedReply][])(
    "keeps every tool, for the reason `%s`: %s",
    async (reason, _case, reply) => {
      const turn = await judgeTurn(judgeOf([reply]));
      expect(turn.text).toBe("done");
      expect(turn.offered).toEqual(toolNames);
      expect(turn.record).toMatchObject({ status: "failed", reason, fallback: true });
      expect(JSON.stringify(turn.record)).not.toContain("CANARY");
    },
  );

  const remote = () =>
    new ChatOpenAI({
      model: "m-1",
      apiKey: "sk-canary",
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/v1` },
    });

  it("works with a provider's model over HTTP", async () => {
    const message = {
      role: "assistant",
      content: JSON.stringify(answers(0.95, 0.05, 0.1)),
      refusal: null,
    };
    server.play({
      json: {
        id: "1",
        model: "m-1-exact",
        choices: [{ index: 0, finish_reason: "stop", message }],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      },
    });
    const turn = await judgeTurn(chatModelJudge(remote()));
    expect(turn.offered).toEqual(["query_order"]);
    expect(turn.record.judge).toMatchObject({
      id: "chat-model:m-1",
      model: "m-1-exact",
      usage: { inputTokens: 9, outputTokens: 3 },
    });
  });

  it.each([
    ["judge-error", { status: 500, json: { error: { message: "CANARY" } } }],
    ["judge-error", { status: 429, headers: { "retry-after": "3600" } }],
    ["judge-error", { reset: "before-headers" as const }],
    ["refused", { status: 400, json: { error: { code: "content_filter", message: "CANARY" } } }],
  ])("is `%s` when the provider answers %j", async (reason, reply) => {
    server.play(reply);
    const turn = await judgeTurn(chatModelJudge(remote(), { retry: { retries: 0 } }));
    expect(turn.offered).toEqual(toolNames);
    expect(turn.record).toMatchObject({ reason, fallback: true });
  });

  it("keeps the budget when the provider stalls, and closes the connection", async () => {
    server.play({ stall: "before-headers" });
    const turn = await judgeTurn(chatModelJudge(remote()), { selector: { timeoutMs: 300 } });
    expect(turn.record.reason).toBe("timeout");
    expect(turn.record.judge?.latencyMs).toBeLessThan(300 + 200);
    await server.until(() => server.requests[0]?.hungUp === true);
  });

  it("ends with the caller's abort", async () => {
    server.play({ stall: "before-headers" });
    const controller = new AbortController();
    const turn = judgeTurn(chatModelJudge(remote()), {
      selector: { timeoutMs: 5000 },
      signal: controller.signal,
    });
    turn.catch(() => {});
    await server.until(() => server.requests.length === 1);
    controller.abort(new Error("called off"));
    await expect(turn).rejects.toThrow();
    await server.until(() => server.requests[0]?.hungUp === true);
  });
});

describe("streams", () => {
  const secretJudge = (options?: ChatModelJudgeOptions) => {
    const args = { ...answers(0.95, 0.05), note: "JUDGE-SECRET" };
    const replies = (): ScriptedReply => ({
      text: "JUDGE-SECRET words",
      toolCalls: [{ name: "tool_answers", args }],
    });
    return chatModelJudge(recordingChatModel({ replies }), options);
  };
  const agentWith = (judge: ReturnType<typeof secretJudge>, mode: "shadow" | "enforce") => {
    const middleware = toolSelectorMiddleware({ judge, mode });
    const model = recordingChatModel({ replies: ["It is on its way."] });
    const agent = createAgent({
      model,
      tools: namedTools("query_order", "refund"),
      middleware: [middleware],
    });
    return { agent, middleware, model };
  };
  const input = { messages: [{ role: "user" as const, content: "Where is order A1001?" }] };

  it.each(
    (["values", "updates", "messages", "custom", "tasks", "checkpoints"] as const).flatMap(
      (streamMode) => (["shadow", "enforce"] as const).map((mode) => [streamMode, mode] as const),
    ),
  )("nothing of the judge appears in `%s`, in %s", async (streamMode, mode) => {
    const { agent, middleware, model } = agentWith(secretJudge(), mode);
    const chunks: unknown[] = [];
    for await (const chunk of await agent.stream(input, { streamMode: [streamMode] }))
      chunks.push(chunk);
    await middleware.selector.flush();
    expect(JSON.stringify(chunks)).not.toContain("JUDGE-SECRET");
    expect(model.calls[0]?.toolNames).toHaveLength(mode === "enforce" ? 1 : 2);
  });

  it("nor in `streamEvents`, with `callbacks: []`", async () => {
    const { agent } = agentWith(secretJudge({ callbacks: [] }), "enforce");
    const names: string[] = [];
    const texts: string[] = [];
    for await (const event of agent.streamEvents(input, { version: "v2" })) {
      names.push(event.event);
      texts.push(JSON.stringify(event.data));
    }
    expect(names).toContain("on_chat_model_stream");
    expect(texts.join()).not.toContain("JUDGE-SECRET");
  });

  it("is traced under its own name", async () => {
    const { agent } = agentWith(secretJudge(), "enforce");
    const started = vi.fn<(name: string | undefined) => void>();
    await agent.invoke(input, {
      callbacks: [
        {
          handleChainStart: (_chain, _inputs, _id, _parent, _tags, _metadata, _type, name) =>
            started(name),
        },
      ],
    });
    expect(started.mock.calls.flat()).toContain("toolsieve_judge");
  });
});
