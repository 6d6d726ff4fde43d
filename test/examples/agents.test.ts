import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

async function runExample(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path]);
  return stdout;
}

it.each([
  [
    "swarm.ts",
    ["orders was offered: transfer_to_rooms", "rooms was offered: book_room, transfer_to_orders"],
    ["record of orders: called transfer_to_rooms", "record of rooms: called book_room"],
  ],
  [
    "handoffs.ts",
    ["orders was offered: query_order", "rooms was offered: book_room"],
    ["record of orders: called query_order", "record of rooms: called book_room"],
  ],
  [
    "subagents.ts",
    ["built-in tools: query_order", "built-in tools: write_letter"],
    ["record of desk: called task", "record of clerk: called write_letter"],
  ],
] as const)(
  "examples/%s: each agent selects its own tools, and records name it",
  { timeout: 60_000 },
  async (name, offered, records) => {
    const output = await runExample(name);
    for (const line of [...offered, ...records]) expect(output).toContain(`${line}\n`);
  },
);
