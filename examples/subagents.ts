/**
 * A deep agent with a subagent, each with a middleware of its own: a subagent does not inherit that
 * of its parent. Records name their agent.
 *
 * Run: `npx tsx examples/subagents.ts`. Offline: the judge is a function, and the chat model is
 * scripted.
 */

import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import { memorySink } from "toolsieve";
import { presets, toolSelectorMiddleware } from "toolsieve/langchain";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

const define = (name: string, description: string) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) });

const sink = memorySink();
const createMiddleware = (agent: string) =>
  toolSelectorMiddleware({
    mode: "enforce",
    agent,
    alwaysInclude: presets.deepAgents,
    judge: ({ context, candidates }) =>
      candidates.map(({ name }) =>
        name.split("_").some((word) => context.request.includes(word)) ? 0.95 : 0.05,
      ),
    sinks: sink,
  });

const task = { description: "Write a letter about the order.", subagent_type: "clerk" };
// Put your own model here.
const model = recordingChatModel({
  replies: [
    { toolCalls: [{ name: "query_order" }] },
    { toolCalls: [{ name: "task", args: task }] },
    { toolCalls: [{ name: "write_letter" }] },
    "The letter is written.",
    "All done.",
  ],
});
const own = new Set(["query_order", "book_room", "write_letter", "paint_wall"]);
const agent = createDeepAgent({
  model,
  tools: [define("query_order", "Looks up an order."), define("book_room", "Books a room.")],
  middleware: [createMiddleware("desk")],
  subagents: [
    {
      name: "clerk",
      description: "Writes letters.",
      systemPrompt: "You are a clerk.",
      tools: [define("write_letter", "Writes a letter."), define("paint_wall", "Paints a wall.")],
      middleware: [createMiddleware("clerk")],
    },
  ],
});

const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "Find my order and have a letter written." }],
});
const offered = model.calls.map(({ toolNames }) => toolNames.filter((name) => own.has(name)));
console.log(`desk was offered, beside its built-in tools: ${offered[0]?.join(", ")}`);
console.log(`clerk was offered, beside its built-in tools: ${offered[2]?.join(", ")}`);
console.log(`answer: ${messages.at(-1)?.text}`);
for (const { agent: name, outcome } of sink.records) {
  console.log(`record of ${name}: called ${outcome?.called.join(", ") || "nothing"}`);
}
