import { createMiddleware } from "langchain";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolSelectorNode, withToolSelection } from "../../src/langgraph.js";
import { recordingChatModel } from "../../src/testing/index.js";
import { agentWith, ask, judging, lastText, namedTool, namedTools } from "./support.js";

const explode = () => {
  throw new Error("hostile");
};
const throwingGetter = (target: object, key: string) =>
  Object.defineProperty(target, key, { get: explode, configurable: true });

/** Readable to the host the first time, when the agent is built; hostile ever after. */
function laterHostile(key: string) {
  let reads = 0;
  const source = namedTool("query_order");
  return new Proxy(source, {
    get(target, property) {
      if (property === key && (reads += 1) > 3) explode();
      return Reflect.get(target, property, target) as unknown;
    },
  });
}

const cyclicSchema = () => {
  const schema: Record<string, unknown> = { type: "object", properties: {} };
  schema["properties"] = { self: schema };
  return schema;
};

const hostileTools: Record<string, () => unknown> = {
  "metadata that throws": () => throwingGetter(namedTool("query_order"), "metadata"),
  "a cyclic schema": () => Object.assign(namedTool("query_order"), { schema: cyclicSchema() }),
  "a schema of getters that throw": () =>
    Object.assign(namedTool("query_order"), { schema: throwingGetter({}, "type") }),
  "a huge description": () => namedTool("query_order", "x".repeat(500_000)),
  "a description that is no string": () =>
    Object.assign(namedTool("query_order"), { description: { toString: explode } }),
  "a description that turns hostile": () => laterHostile("description"),
  "a recursive zod schema": () => {
    const node: z.ZodType = z.lazy(() => z.object({ child: node.optional() }));
    return Object.assign(namedTool("query_order"), { schema: z.object({ node }) });
  },
};

describe.each(["shadow", "enforce"] as const)("in %s the agent goes on with", (mode) => {
  it.each(Object.keys(hostileTools))("a tool with %s", async (kind) => {
    const hostile = hostileTools[kind]?.();
    const { agent, model, records } = agentWith({
      tools: [hostile, ...namedTools("refund")],
      selector: { mode, judge: judging({ query_order: 0.95, refund: 0.95 }) },
      model: { replies: [{ toolCalls: [{ name: "refund" }] }, "It is on its way."] },
    });
    expect(lastText(await agent.invoke(ask("Where is order 7?")))).toBe("It is on its way.");
    expect(model.calls[0]?.tools).toHaveLength(2);
    expect(model.calls[0]?.tools[0]).toBe(hostile);
    expect(await records()).toHaveLength(2);
  });

  it.each<[string, () => unknown]>([
    ["content that throws", () => throwingGetter(new HumanMessage("x"), "content")],
    ["an id that throws", () => throwingGetter(new HumanMessage("x"), "id")],
    ["tool calls that throw", () => throwingGetter(new AIMessage("x"), "tool_calls")],
    [
      "content blocks that throw",
      () =>
        Object.assign(new HumanMessage("x"), { content: [throwingGetter({}, "type"), null, 7] }),
    ],
  ])("a message with %s", async (_title, message) => {
    const hostile = createMiddleware({
      name: "hostile",
      wrapModelCall: (request, handler) =>
        handler({ ...request, messages: [message() as HumanMessage, ...request.messages] }),
    });
    const forgiving = createMiddleware({
      name: "forgiving",
      wrapModelCall: (request, handler) =>
        handler({ ...request, messages: request.messages.slice(1) }),
    });
    const { agent, records } = agentWith({
      tools: namedTools("query_order", "refund"),
      selector: { mode, judge: judging({ query_order: 0.95 }) },
      outer: [hostile],
      inner: [forgiving],
    });
    expect(lastText(await agent.invoke(ask("Where is order 7?")))).toBe("done");
    expect((await records())[0]).toMatchObject({ status: "decided" });
  });

  it.each<[string, () => unknown]>([
    ["that throws", () => throwingGetter({}, "toolSelector")],
    ["with overrides that throw", () => ({ toolSelector: throwingGetter({}, "mode") })],
    ["that is an array", () => []],
  ])("a context %s", async (_title, context) => {
    const { agent } = agentWith({
      tools: namedTools("query_order", "refund"),
      selector: { mode, judge: judging({ query_order: 0.95 }) },
    });
    const result = await agent.invoke(ask("Where is order 7?"), { context: context() } as never);
    expect(lastText(result)).toBe("done");
  });

  it.each(["constructor", "__proto__", "toString", "a/b", "查天气", "x".repeat(128), 'a"\n'])(
    "a tool named %j",
    async (name) => {
      const { agent, model, records } = agentWith({
        tools: namedTools(name, "other"),
        selector: { mode, judge: ({ candidates }) => candidates.map((_, index) => 1 - index) },
        model: { replies: [{ toolCalls: [{ name }] }, "done"] },
      });
      expect(lastText(await agent.invoke(ask("Please")))).toBe("done");
      expect(model.calls[0]?.toolNames).toEqual(mode === "shadow" ? [name, "other"] : [name]);
      expect((await records())[0]?.outcome?.missed).toEqual([]);
    },
  );

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["no messages", () => ({})],
    ["messages that are no list", () => ({ messages: "x" })],
    ["messages that throw", () => throwingGetter({}, "messages")],
    ["a list of anything", () => [null, 7, {}]],
  ])("a graph state of %s", async (_title, state) => {
    const node = withToolSelection({
      selector: { mode, judge: judging({}) },
      tools: namedTools("query_order"),
      node: (_state: unknown, _config, offered) => offered.length,
    });
    expect(await node(state())).toBe(1);
  });
});

describe("a judge that answers nonsense in a real agent", () => {
  it.each<[string, unknown]>([
    ["an empty object", {}],
    ["null", null],
    ["undefined", undefined],
    ["text", "ok"],
    ["an empty list", []],
    ["answers that are null", { answers: null }],
    ["one too few", { probabilities: [0.9] }],
    ["one too many", { probabilities: [0.9, 0.9, 0.9] }],
    ["text for numbers", { probabilities: ["0.9", "0.1"] }],
    ["numbers out of range", { probabilities: [1.5, -1] }],
  ])("%s: the full catalog stays, and the turn goes on", async (_title, reply) => {
    const { agent, model } = agentWith({
      tools: namedTools("query_order", "refund"),
      selector: {
        mode: "enforce",
        judge: { id: "nonsense", judge: async () => reply as never },
      },
    });
    expect(lastText(await agent.invoke(ask("Where is order 7?")))).toBe("done");
    expect(model.calls[0]?.toolNames).toEqual(["query_order", "refund"]);
  });
});

it("keeps a graph going whose state holds a message without text", async () => {
  const model = recordingChatModel();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(
      "agent",
      toolSelectorNode({
        model,
        tools: namedTools("query_order"),
        selector: { mode: "enforce", judge: judging({}) },
      }),
    )
    .addEdge("__start__", "agent")
    .compile();
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const result = await graph.invoke({ messages: [new HumanMessage({ content: [image] })] });
  expect(lastText(result)).toBe("done");
  expect(model.calls[0]?.toolNames).toEqual(["query_order"]);
});
