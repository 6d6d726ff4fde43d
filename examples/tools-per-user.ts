/**
 * Each user has tools of their own: one index, many sessions, indexed when they change and cleared
 * when they are idle.
 *
 * Run: `npx tsx examples/tools-per-user.ts`. It needs no key and no network.
 */

import {
  compositeEviction,
  createLexicalToolIndex,
  createToolSessions,
  lruEviction,
  ttlEviction,
} from "../src/index.js";
import type { ToolDescription, ToolIndex } from "../src/index.js";

const mail: ToolDescription = { name: "send_mail", description: "Sends a mail to somebody." };
const crm: ToolDescription = { name: "find_customer", description: "Finds a customer by name." };
const billing: ToolDescription = { name: "refund_order", description: "Refunds an order." };

/** Counts how often tools are indexed. */
function countIndexing(index: ToolIndex): ToolIndex & { readonly count: number } {
  let count = 0;
  return {
    ...index,
    indexTools(...call) {
      count += 1;
      return index.indexTools(...call);
    },
    get count() {
      return count;
    },
  };
}

const index = countIndexing(createLexicalToolIndex());
const sessions = createToolSessions({
  index,
  // At most a thousand users in memory, and none that was idle for an hour.
  eviction: compositeEviction(lruEviction(1000), ttlEviction(3_600_000)),
});

async function ask(user: string, tools: readonly ToolDescription[], query: string): Promise<void> {
  const { matches } = await sessions.search(user, tools, { query, maxResults: 3 });
  const names = matches.map(({ name }) => name);
  console.log(`${user}: "${query}" → ${names.length === 0 ? "no tool" : names.join(", ")}`);
}

await ask("ada", [mail, crm], "send a mail to my customer");
await ask("bob", [mail, billing], "refund my last order");
await ask("ada", [mail, crm], "refund my last order");
console.log(`indexed ${index.count} times for ${sessions.size} users`);

// Ada is given another tool: her session alone is indexed again.
await ask("ada", [mail, crm, billing], "refund my last order");
console.log(`indexed ${index.count} times`);

await sessions.evict("bob");
console.log(`${sessions.size} user left`);
