/**
 * A supervisor that hands work to two agents: each agent selects its own tools, and records name
 * their agent.
 *
 * Run: `npx tsx examples/handoffs.ts`. Offline: the judge is a function, and the chat models are
 * scripted.
 */

import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createToolSelector, memorySink } from "toolsieve";
import { dynamicModel } from "toolsieve/langgraph";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

const define = (name: string, description: string) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) });

const sink = memorySink();

function createClerk(name: string, own: readonly ReturnType<typeof define>[]) {
  const tools = [...own];
  const selector = createToolSelector({
    mode: "enforce",
    agent: name,
    judge: ({ context, candidates }) =>
      candidates.map((candidate) =>
        candidate.name.split("_").some((word) => context.request.includes(word)) ? 0.95 : 0.05,
      ),
    sinks: sink,
  });
  // Put your own model here.
  const model = recordingChatModel({
    replies: ({ toolNames }, number) =>
      number === 1 ? { toolCalls: [{ name: toolNames[0] ?? "" }] } : `${name}: done.`,
  });
  const agent = createReactAgent({ name, tools, llm: dynamicModel({ model, tools, selector }) });
  return { name, agent, model };
}

const clerks = [
  createClerk("orders", [
    define("query_order", "Looks up an order."),
    define("cancel_trip", "Cancels a trip."),
  ]),
  createClerk("rooms", [
    define("book_room", "Books a meeting room."),
    define("clean_desk", "Cleans a desk."),
  ]),
];

// The supervisor's own tools are handoffs only: there is nothing to select from.
const supervisor = recordingChatModel({
  replies: [
    { toolCalls: [{ name: "transfer_to_orders" }] },
    { toolCalls: [{ name: "transfer_to_rooms" }] },
    "Both are done.",
  ],
});
const graph = createSupervisor({ agents: clerks.map(({ agent }) => agent), llm: supervisor });
const { messages } = await graph
  .compile()
  .invoke({ messages: [{ role: "user", content: "Find my order, and book a room." }] });

console.log(`supervisor was offered: ${supervisor.calls[0]?.toolNames.join(", ")}`);
for (const { name, model } of clerks) {
  console.log(`${name} was offered: ${model.calls[0]?.toolNames.join(", ")}`);
}
console.log(`answer: ${messages.at(-1)?.text}`);
for (const { agent, outcome } of sink.records) {
  console.log(`record of ${agent}: called ${outcome?.called.join(", ") || "nothing"}`);
}
