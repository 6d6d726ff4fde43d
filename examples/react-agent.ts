/**
 * `createReactAgent` with a dynamic model: the tools are selected and bound on every step, and `responseFormat` still works.
 *
 * Run: `npx tsx examples/react-agent.ts`. Offline: the judge is a function, and the chat model is scripted.
 */

import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createToolSelector, memorySink } from "toolsieve";
import { dynamicModel } from "toolsieve/langgraph";
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
  judge: ({ candidates }) => candidates.map(({ name }) => (name === "query_order" ? 0.95 : 0.05)),
  sinks: sink,
});
// Put your own model here.
const model = recordingChatModel({
  replies: (call) => {
    if (call.toolNames.includes("extract")) {
      return { toolCalls: [{ name: "extract", args: { status: "on its way" } }] };
    }
    return call.messages.at(-1)?.type === "tool"
      ? "Order 7 is on its way."
      : { toolCalls: [{ name: "query_order" }] };
  },
});

const agent = createReactAgent({
  llm: dynamicModel({ model, tools, selector }),
  tools,
  responseFormat: z.object({ status: z.string() }),
});
const { structuredResponse } = await agent.invoke({
  messages: [{ role: "user", content: "Where is order 7?" }],
});

await selector.flush();
console.log("answer:", JSON.stringify(structuredResponse));
for (const [index, { toolNames }] of model.calls.entries()) {
  console.log(`model call ${index + 1} saw: ${toolNames.join(", ")}`);
}
console.log(
  `records: ${sink.records.map(({ step, outcome }) => `step ${step} called ${outcome?.called.join(", ") || "nothing"}`).join("; ")}`,
);
