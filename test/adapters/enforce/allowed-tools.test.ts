import { ChatOpenAI } from "@langchain/openai";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { createToolSelector, InvalidOptionsError } from "../../../src/index.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { dynamicModel, toolSelectorNode } from "../../../src/langgraph.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";
import { createTools, namingJudge } from "./support.js";

interface Payload {
  readonly tools: readonly { readonly name?: string; readonly function?: { name: string } }[];
  readonly tool_choice?: unknown;
}

const chatReply = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "gpt-test",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "done" } }],
};
const responsesReply = {
  id: "r1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-test",
  output: [
    {
      type: "message",
      id: "m1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "done", annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

/** The real client, whose requests go nowhere. */
function captureModel(useResponsesApi: boolean): {
  readonly model: ChatOpenAI;
  readonly payloads: Payload[];
} {
  const payloads: Payload[] = [];
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    payloads.push(JSON.parse(String(init?.body)) as Payload);
    return Response.json(useResponsesApi ? responsesReply : chatReply);
  };
  const model = new ChatOpenAI({
    model: "gpt-test",
    apiKey: "none",
    useResponsesApi,
    maxRetries: 0,
    configuration: { fetch },
  });
  return { model, payloads };
}

const selectorOptions = {
  judge: namingJudge(),
  mode: "enforce",
  enforcement: "allowed-tools",
} as const;
const input = { messages: [{ role: "user", content: "refund and login" }] };

const runs: readonly (readonly [string, (model: ChatOpenAI) => Promise<unknown>])[] = [
  [
    "createAgent",
    (model) =>
      createAgent({
        model,
        tools: createTools().tools,
        middleware: [toolSelectorMiddleware(selectorOptions)],
      }).invoke(input),
  ],
  [
    "a StateGraph",
    (model) => {
      const selector = createToolSelector(selectorOptions);
      const { tools } = createTools();
      return new StateGraph(MessagesAnnotation)
        .addNode("agent", toolSelectorNode({ model, tools, selector }))
        .addEdge(START, "agent")
        .addEdge("agent", END)
        .compile()
        .invoke(input);
    },
  ],
];

describe.each(runs)("allowed tools in %s", (_host, run) => {
  it("reach the chat API in its own spelling, with the whole tools block", async () => {
    const { model, payloads } = captureModel(false);
    await run(model);
    expect(payloads[0]?.tools).toHaveLength(5);
    expect(payloads[0]?.tool_choice).toEqual({
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [
          { type: "function", function: { name: "refund" } },
          { type: "function", function: { name: "login" } },
        ],
      },
    });
  });

  it("reach the Responses API in its own spelling, with the whole tools block", async () => {
    const { model, payloads } = captureModel(true);
    await run(model);
    expect(payloads[0]?.tools).toHaveLength(5);
    expect(payloads[0]?.tool_choice).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [
        { type: "function", name: "refund" },
        { type: "function", name: "login" },
      ],
    });
  });
});

describe("where the model takes no allowed tools", () => {
  it("leaves tools out, with one warning, if that is not known before", async () => {
    const warnings: string[] = [];
    const model = recordingChatModel({ replies: ["done", "done"] });
    const agent = createAgent({
      model,
      tools: createTools().tools,
      middleware: [
        toolSelectorMiddleware({
          ...selectorOptions,
          logger: { warn: (message) => warnings.push(message) },
        }),
      ],
    });
    await agent.invoke(input);
    await agent.invoke(input);
    expect(model.calls.map(({ toolNames }) => toolNames)).toEqual([
      ["refund", "login"],
      ["refund", "login"],
    ]);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    ["toolSelectorNode", toolSelectorNode],
    ["dynamicModel", dynamicModel],
  ])("construction of %s fails if it is known", (_name, create) => {
    const model = Object.assign(recordingChatModel(), { _llmType: () => "anthropic" });
    const selector = createToolSelector(selectorOptions);
    expect(() => create({ model, tools: createTools().tools, selector })).toThrow(
      InvalidOptionsError,
    );
  });
});
