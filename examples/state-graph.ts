/**
 * A `StateGraph` whose model node selects its tools: `toolSelectorNode`, and `withToolSelection` around a node of your own.
 *
 * Run: `npx tsx examples/state-graph.ts`. Offline: the judge is a function, and the chat model is scripted.
 */

import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createToolSelector, memorySink } from "toolsieve";
import { toolSelectorNode, withToolSelection } from "toolsieve/langgraph";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

const named = (name: string, description: string) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) });
const tools = [
  named("query_order", "Looks up where an order is."),
  named("refund", "Pays the money for an order back."),
  named("book_room", "Books a meeting room."),
];

const sink = memorySink();
const selector = createToolSelector({
  mode: "enforce",
  // Any function is a judge; this one looks for shared words.
  judge: ({ context, candidates }) =>
    candidates.map(({ name }) =>
      name.split("_").some((word) => context.request.toLowerCase().includes(word)) ? 0.95 : 0.05,
    ),
  sinks: sink,
});
// Put your own model here.
const model = recordingChatModel({
  replies: (call) =>
    call.messages.at(-1)?.type === "tool"
      ? "Done."
      : { toolCalls: call.toolNames.slice(0, 1).map((name) => ({ name })) },
});

const nodes = {
  toolSelectorNode: toolSelectorNode({ model, tools, selector, systemPrompt: "You are a clerk." }),
  withToolSelection: withToolSelection({
    selector,
    tools,
    node: async (state: typeof MessagesAnnotation.State, config, offered) => {
      const bound = offered.length === 0 ? model : model.bindTools?.([...offered]);
      const answer = await (bound ?? model).invoke(state.messages, config);
      return { messages: [answer] };
    },
  }),
};

for (const [name, agent] of Object.entries(nodes)) {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent)
    .addNode("tools", new ToolNode(tools))
    .addEdge("__start__", "agent")
    .addConditionalEdges("agent", toolsCondition)
    .addEdge("tools", "agent")
    .compile({ checkpointer: new MemorySaver() });

  console.log(`\n${name}`);
  for (const text of ["Where is my order 7?", "Please book a room."]) {
    const config = { configurable: { thread_id: name }, streamMode: "messages" as const };
    let answer = "";
    for await (const [chunk, metadata] of await graph.stream(
      { messages: [{ role: "user", content: text }] },
      config,
    )) {
      if (metadata["langgraph_node"] === "agent") answer += chunk.text;
    }
    console.log(`  "${text}" → offered ${model.calls.at(-1)?.toolNames.join(", ")}; "${answer}"`);
  }
}

await selector.flush();
console.log(
  `\n${sink.records.length} records of ${new Set(sink.records.map(({ threadId }) => threadId)).size} threads`,
);
