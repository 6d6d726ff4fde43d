/**
 * A `createAgent` agent with a tool selector: first in shadow, then in enforce for a single call, by the run's context.
 *
 * Run: `npx tsx examples/create-agent.ts`. Offline: the judge is a function, and the chat model is scripted.
 */

import { createAgent, tool } from "langchain";
import { memorySink } from "toolsieve";
import { toolSelectorMiddleware } from "toolsieve/langchain";
import { recordingChatModel } from "toolsieve/testing";
import { z } from "zod";

const catalog = {
  query_order: "Looks up where an order is, by its order number.",
  refund_payment: "Pays the money for an order back to the customer.",
  book_meeting_room: "Books a meeting room in an office building.",
  weather_forecast: "Tells tomorrow's weather in a city.",
  translate_text: "Translates a text into another language.",
  call_a_human: "Passes the conversation on to a person.",
};
const tools = Object.entries(catalog).map(([name, description]) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) }),
);

const sink = memorySink();
const selecting = toolSelectorMiddleware({
  // Any function is a judge; leave it out for the embedded one.
  judge: ({ context, candidates }) =>
    candidates.map(({ name }) =>
      name.split("_").some((word) => context.request.toLowerCase().includes(word)) ? 0.95 : 0.05,
    ),
  // What must not depend on the request. `presets` has the tools of well-known middleware.
  alwaysInclude: ["call_a_human"],
  sinks: sink,
});
// Put your own model here.
const model = recordingChatModel({
  replies: (call) =>
    call.messages.at(-1)?.type === "tool"
      ? "Order A1001 is on its way."
      : { toolCalls: [{ name: "query_order" }] },
});
// With more middleware: after whatever adds tools or edits messages, before whatever retries.
const agent = createAgent({ model, tools, middleware: [selecting] });

const question = { messages: [{ role: "user" as const, content: "Where is order A1001?" }] };
for (const mode of ["shadow", "enforce"] as const) {
  const seen = sink.records.length;
  await agent.invoke(question, { context: { toolSelector: { mode } } });
  await selecting.selector.flush();
  console.log(`${mode}: the model saw ${model.calls.at(-1)?.toolNames.join(", ")}`);
  for (const { step, offered, suggested, outcome } of sink.records.slice(seen)) {
    console.log(
      `  step ${step}: offered ${offered.tools} tools (${offered.definitionTokens} tokens), enough were ${suggested.tools}; ` +
        `called ${outcome?.called.join(", ") || "nothing"}; would have been missed: ${outcome?.missed.length}`,
    );
  }
}
