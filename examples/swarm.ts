/**
 * A swarm of two agents, each with a selector of its own: handoffs are always offered, and records
 * name their agent.
 *
 * Run: `npx tsx examples/swarm.ts`. Offline: the judge is a function, and the chat model is scripted.
 */

import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { createToolSelector, memorySink } from "toolsieve";
import { presets } from "toolsieve/langchain";
import { dynamicModel } from "toolsieve/langgraph";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

const define = (name: string, description: string) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) });

const sink = memorySink();

function createMember(name: string, own: readonly ReturnType<typeof define>[], other: string) {
  const tools = [...own, createHandoffTool({ agentName: other })];
  const selector = createToolSelector({
    mode: "enforce",
    agent: name,
    alwaysInclude: presets.handoffs,
    judge: ({ context, candidates }) =>
      candidates.map((candidate) =>
        candidate.name.split("_").some((word) => context.request.includes(word)) ? 0.95 : 0.05,
      ),
    sinks: sink,
  });
  // Put your own model here. This one hands over once, then uses its first tool.
  const model = recordingChatModel({
    replies: ({ messages, toolNames }) => {
      const called = messages.filter(({ type }) => type === "tool").length;
      if (name === "orders") return { toolCalls: [{ name: `transfer_to_${other}` }] };
      return called < 2 ? { toolCalls: [{ name: toolNames[0] ?? "" }] } : "The room is booked.";
    },
  });
  const agent = createReactAgent({ name, tools, llm: dynamicModel({ model, tools, selector }) });
  return { agent, model };
}

const orders = createMember(
  "orders",
  [define("query_order", "Looks up an order."), define("refund_order", "Pays back.")],
  "rooms",
);
const rooms = createMember(
  "rooms",
  [define("book_room", "Books a meeting room."), define("cancel_trip", "Cancels a trip.")],
  "orders",
);

const swarm = createSwarm({ agents: [orders.agent, rooms.agent], defaultActiveAgent: "orders" });
const { messages } = await swarm
  .compile()
  .invoke({ messages: [{ role: "user", content: "Please book a room." }] });

console.log(`orders was offered: ${orders.model.calls[0]?.toolNames.join(", ")}`);
console.log(`rooms was offered: ${rooms.model.calls[0]?.toolNames.join(", ")}`);
console.log(`answer: ${messages.at(-1)?.text}`);
for (const { agent, outcome } of sink.records) {
  console.log(`record of ${agent}: called ${outcome?.called.join(", ") || "nothing"}`);
}
