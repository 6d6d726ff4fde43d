/**
 * TypeSafe Jev as the judge of an agent, behind a cache: which tools a turn needs, and what that cost.
 *
 * Run: `npx tsx examples/jev-judge.ts` for a stand-in on this machine, or with TYPESAFE_API_KEY set for the real service.
 */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { caching, memorySink } from "../src/index.js";
import { jevJudge } from "../src/jev.js";
import { toolSelectorMiddleware } from "../src/langchain.js";
import { recordingChatModel } from "../src/testing/index.js";

interface StandInRequest {
  readonly model: string;
  readonly state: { readonly request: string };
  readonly questions: Readonly<
    Record<string, { readonly instructions: { readonly tool: { readonly description: string } } }>
  >;
}

/** Speaks the protocol of the service and looks for shared words; it shows the wire, not the judgment. */
function startStandIn(): Promise<Server> {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z]{4,}/g));
  const answer = ({ model, state, questions }: StandInRequest): object => {
    const asked = words(state.request);
    const answers = Object.entries(questions).map(([id, { instructions }]) => {
      const shared = [...words(instructions.tool.description)].some((word) => asked.has(word));
      return [id, { type: "noul", noul: shared ? 0.97 : 0.03 }];
    });
    const usage = { input_tokens: 400, output_tokens: answers.length * 8 };
    return { model, answers: Object.fromEntries(answers), usage };
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    void json(request).then((body) => response.end(JSON.stringify(answer(body as StandInRequest))));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

const hasKey = Boolean(process.env["TYPESAFE_API_KEY"]);
const standIn = hasKey ? null : await startStandIn();
const address = standIn?.address() as AddressInfo | undefined;
const baseURL = address && `http://127.0.0.1:${address.port}`;
console.log(hasKey ? "asking the real service" : "asking a stand-in on this machine");

const describe = {
  query_order: "Looks up where an order is, by its number.",
  refund: "Pays the money for a purchase back.",
  weather: "Tells tomorrow's weather in a city.",
};
const tools = Object.entries(describe).map(([name, description]) =>
  tool(() => `result of ${name}`, { name, description, schema: z.object({}) }),
);

const sink = memorySink();
// Retries and a circuit breaker come with jevJudge; a cache goes around them.
const judge = caching(jevJudge({ baseURL, logger: console }));
const selector = toolSelectorMiddleware({ judge, mode: "enforce", sinks: sink });
const model = recordingChatModel();
const agent = createAgent({ model, tools, middleware: [selector] });

for (const text of ["Where is my order A1001?", "Where is my order A1001?", "Say hello."]) {
  await agent.invoke({ messages: [{ role: "user", content: text }] });
  console.log(
    `"${text}" → the model is offered: ${model.calls.at(-1)?.toolNames.join(", ") || "no tool"}`,
  );
}

await selector.selector.flush();
for (const { judge: asked, reason, catalog, suggested } of sink.records) {
  console.log(
    `${reason}: ${asked?.requests} request(s), ${asked?.usage?.inputTokens ?? "?"} tokens in; tool definitions ${catalog.definitionTokens} → ${suggested.definitionTokens} tokens`,
  );
}
standIn?.close();
standIn?.closeAllConnections();
