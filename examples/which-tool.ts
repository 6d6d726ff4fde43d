/**
 * Plain search, without an agent: five requests of which words alone do not tell the tool, and
 * which index finds it.
 *
 * Run: `npx tsx examples/which-tool.ts`. The judged index asks a stand-in on this machine; with
 * `TYPESAFE_API_KEY` set, it asks the service.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLexicalToolIndex, type ToolIndex } from "../src/index.js";
import { judgedToolIndex } from "../src/jev.js";
import { embeddingToolIndex } from "../src/models.js";

const tools = [
  {
    name: "get_forecast",
    description: "Tells temperature and rain of the coming days for a city.",
  },
  { name: "refund_order", description: "Pays the money for an order back to the customer." },
  { name: "reset_password", description: "Sends a link to choose a new password for an account." },
  { name: "book_table", description: "Reserves a table in a restaurant." },
  { name: "cancel_subscription", description: "Ends a plan that is paid every month." },
];

/** What a person would pick; the stand-in knows these answers by heart. */
const requests: readonly (readonly [query: string, tool: string | null])[] = [
  ["Should I take an umbrella to Paris tomorrow?", "get_forecast"],
  ["It arrived broken, I want to be reimbursed", "refund_order"],
  ["I am locked out and cannot sign in", "reset_password"],
  ["Somewhere to eat tonight, we are four people", "book_table"],
  ["Write a poem about an order of monks", null],
];

type Question = { readonly type: string; readonly criteria: Readonly<Record<string, string>> };

/** Answers as the service does: a choice among the tools, and whether any of them applies. */
function answerQuestions(query: string, questions: Readonly<Record<string, Question>>): object {
  const wanted = requests.find(([request]) => request === query)?.[1] ?? null;
  const answers = Object.entries(questions).map(([id, { type, criteria }]) => {
    if (type === "noul") return [id, { type, noul: wanted === null ? 0.04 : 0.93 }];
    const labels = Object.keys(criteria);
    const best = labels.find((label) => criteria[label]?.startsWith(`${wanted}:`)) ?? labels[0];
    const share = (label: string): number => (label === best ? 0.9 : 0.1 / (labels.length - 1));
    const probabilities = Object.fromEntries(labels.map((label) => [label, share(label)]));
    return [id, { type, choice: best, probabilities, confidence: 0.9 }];
  });
  return Object.fromEntries(answers) as object;
}

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => (text += part));
  request.on("end", () => {
    const body = JSON.parse(text) as {
      state: { request: string };
      questions: Record<string, Question>;
    };
    const answers = answerQuestions(body.state.request, body.questions);
    response.end(JSON.stringify({ model: "stand-in", answers }));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

const hasKey = process.env["TYPESAFE_API_KEY"] !== undefined;
const indexes: readonly (readonly [name: string, index: ToolIndex])[] = [
  ["words", createLexicalToolIndex()],
  ["meaning", embeddingToolIndex({ topK: 1 })],
  ["judged", hasKey ? judgedToolIndex() : judgedToolIndex({ baseURL: `http://127.0.0.1:${port}` })],
];
for (const [, index] of indexes) await index.indexTools("desk", tools);

const pad = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => cell.padEnd(at === 0 ? 46 : 20))
    .join("")
    .trimEnd();
console.log(`the judged index asks ${hasKey ? "the service" : "a stand-in on this machine"}`);
console.log(pad(["request", ...indexes.map(([name]) => name)]));
for (const [query] of requests) {
  const cells: string[] = [query];
  for (const [, index] of indexes) {
    const { matches, applicable } = await index.search({ sessionId: "desk", query, maxResults: 1 });
    const found = matches[0]?.name ?? "–";
    cells.push(applicable !== undefined && matches.length === 0 ? "no tool applies" : found);
  }
  console.log(pad(cells));
}
server.close();
