/** What the judge examples share: an agent with three tools, two requests, and what the records say of them. */

import { createAgent, tool } from "langchain";
import { z } from "zod";
import { memorySink, type Judge, type JudgeFunction } from "../../src/index.js";
import { toolSelectorMiddleware } from "../../src/langchain.js";
import { recordingChatModel } from "../../src/testing/index.js";

const descriptions = {
  query_order: "Looks up where an order is, by its number.",
  refund: "Pays the money for a purchase back.",
  weather: "Tells tomorrow's weather in a city.",
};

/** Words of four letters or more. */
const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z]{4,}/g));

/** What the stand-ins answer instead of a judgment: high where request and description share a word. */
export function sharedWords(request: string, description: string): number {
  const asked = words(request);
  return [...words(description)].some((word) => asked.has(word)) ? 0.97 : 0.03;
}

/** Runs the agent with this judge, in enforce, and prints what its model was offered. */
export async function runOrderDesk(judge: Judge | JudgeFunction): Promise<void> {
  const tools = Object.entries(descriptions).map(([name, description]) =>
    tool(() => `result of ${name}`, { name, description, schema: z.object({}) }),
  );
  const sink = memorySink();
  const middleware = toolSelectorMiddleware({
    judge,
    mode: "enforce",
    sinks: sink,
    timeoutMs: 10_000,
  });
  // A scripted model, because the story is the judge's.
  const model = recordingChatModel();
  const agent = createAgent({ model, tools, middleware: [middleware] });
  for (const text of ["Where is my order A1001?", "Say hello."]) {
    await agent.invoke({ messages: [{ role: "user", content: text }] });
    const offered = model.calls.at(-1)?.toolNames.join(", ") || "no tool";
    console.log(`"${text}" → the model is offered: ${offered}`);
  }
  await middleware.selector.flush();
  for (const { judge: asked, reason, tools: outcomes } of sink.records) {
    const probabilities = outcomes.map(
      ({ name, probability }) => `${name} ${probability?.toFixed(2) ?? "?"}`,
    );
    console.log(
      `${reason}, by ${asked?.id} in ${asked?.requests} request(s): ${probabilities.join(", ")}`,
    );
  }
}
