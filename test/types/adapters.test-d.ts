/** What a caller's own types become on their way through the adapters. */

import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { expectTypeOf, it } from "vitest";
import type { ToolSelector } from "toolsieve";
import { presets, toolSelectorMiddleware } from "toolsieve/langchain";
import { dynamicModel, toolSelectorNode, withToolSelection } from "toolsieve/langgraph";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

declare const tools: readonly StructuredToolInterface[];
declare const selector: ToolSelector;
const model = recordingChatModel();

it("createAgent takes the middleware, and types its overrides beside the agent's own context", () => {
  const middleware = toolSelectorMiddleware({ alwaysInclude: [...presets.deepAgents] });
  expectTypeOf(middleware.selector).toEqualTypeOf<ToolSelector>();
  const agent = createAgent({
    model,
    tools: [...tools],
    contextSchema: z.object({ userId: z.string() }),
    middleware: [middleware],
  });
  type Options = NonNullable<Parameters<typeof agent.invoke>[1]>;
  expectTypeOf<Options["context"]>().toExtend<{
    userId: string;
    toolSelector?: { readonly maxTools?: number | undefined } | undefined;
  }>();
});

it("withToolSelection gives the node its own state and the caller's tool type", () => {
  const node = withToolSelection({
    selector,
    tools,
    node: (state: { readonly count: number }, _config, offered) => {
      expectTypeOf(offered).toEqualTypeOf<readonly StructuredToolInterface[]>();
      return { count: state.count + 1 };
    },
  });
  expectTypeOf(node).returns.resolves.toEqualTypeOf<{ count: number }>();
});

it("toolSelectorNode is a node of a graph with messages, dynamicModel an llm", () => {
  const node = toolSelectorNode({ model, tools, selector });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", node)
    .addEdge("__start__", "agent")
    .compile();
  expectTypeOf(graph).toHaveProperty("invoke");
  const agent = createReactAgent({
    llm: dynamicModel({ model, tools, selector }),
    tools: [...tools],
  });
  expectTypeOf(agent).toHaveProperty("invoke");
});
