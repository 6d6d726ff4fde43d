/**
 * Five thousand tools, from which an agent may pick only a few: searched by words in a millisecond.
 *
 * Run: `npx tsx examples/large-catalog.ts`. It needs no key and no network.
 */

import { createLexicalToolIndex, createToolSelector, metadataFilter } from "../src/index.js";
import type { ToolDescription } from "../src/index.js";
import { fakeJudge } from "../src/testing/fake-judge.js";

const actions = ["create", "update", "delete", "find", "list"];
const things = [
  "invoice",
  "order",
  "customer",
  "shipment",
  "ticket",
  "contract",
  "report",
  "meeting",
];
const systems = Array.from({ length: 125 }, (_, at) => `system${at + 1}`);

/** As many MCP servers bring them: the same few verbs and nouns, over and over. */
const catalog: readonly ToolDescription[] = systems.flatMap((system) =>
  things.flatMap((thing) =>
    actions.map((action) => ({
      name: `${system}__${action}_${thing}`,
      description: `Use it to ${action} a ${thing} in ${system}.`,
      parameters: { type: "object", properties: { [`${thing}_id`]: { type: "string" } } },
      group: system,
      metadata: { writes: action !== "find" && action !== "list" },
    })),
  ),
);

const index = createLexicalToolIndex();
await index.indexTools("all", catalog);
await index.search({ sessionId: "all", query: "the first search sorts the words" });

const start = performance.now();
const query = "Cancel the meeting that I have in system42";
const { matches, total } = await index.search({ sessionId: "all", query, maxResults: 3 });
const tookMs = performance.now() - start;
console.log(`${catalog.length} tools, "${query}": ${total} matches`);
for (const { name, score } of matches) console.log(`  ${score.toFixed(2)} ${name}`);

const readOnly = await index.search({
  sessionId: "all",
  query,
  maxResults: 3,
  group: "system42",
  filter: metadataFilter.eq("writes", false),
});
console.log(
  `only those that write nothing: ${readOnly.matches.map(({ name }) => name).join(", ")}`,
);

// In a selector, the index stands in front of the judge: it is asked about 20 tools, not 5,000.
const judge = fakeJudge({ probabilities: { system42__delete_meeting: 0.95 }, otherwise: 0.02 });
const selector = createToolSelector({
  judge,
  mode: "enforce",
  shortlist: { index, size: 20, over: 256 },
  timeoutMs: 20_000,
});
// At start-up, so that the first turn does not wait for the index.
await selector.prepare(catalog);
const { tools } = await selector.select({
  messages: [{ role: "user", text: query }],
  tools: catalog,
});
const asked = judge.requests.reduce((sum, { candidates }) => sum + candidates.length, 0);
console.log(
  `the judge was asked about ${asked}; the model is offered: ${tools.map(({ name }) => name).join(", ")}`,
);
console.error(`one search took ${tookMs.toFixed(1)} ms`);
