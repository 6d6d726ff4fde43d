/** The requests that were written for the demo's catalog, as turns: for measuring only. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { demoServers, startServers } from "../../examples/demo/servers.js";
import { describeTool } from "../../src/core/describe.js";
import type { ToolDescription } from "../../src/core/types.js";
import { requestSchema } from "../../training/corpus/read-corpus.js";
import { toTurn, type LabelledTurn } from "../../training/turns.js";

const fewestTools = 120;

/** As in the corpus, but with ids of their own. */
const demoSchema = requestSchema.extend({ id: z.string() });

async function listDemoTools(): Promise<readonly ToolDescription[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolsieve-demo-"));
  const servers = await startServers(demoServers(folder, join(folder, "memory.json")));
  try {
    const tools = servers.running.flatMap(({ tools }) => tools.map((tool) => describeTool(tool)));
    if (tools.length < fewestTools) throw new Error("Not all servers of the demo started.");
    return tools.filter((tool) => tool !== null);
  } finally {
    await servers.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the demo's servers, lists their tools, and reads the requests. */
export async function readDemoTurns(): Promise<readonly LabelledTurn[]> {
  const tools = await listDemoTools();
  const text = await readFile(join(import.meta.dirname, "demo-cases.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => demoSchema.parse(JSON.parse(line)))
    .map((request) => ({ ...toTurn(request, tools), unit: request.id, source: "demo" }));
}
