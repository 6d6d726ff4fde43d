/** The embedding index in a real PostgresStore with pgvector: restarts and two processes. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddingToolIndex } from "toolsieve/models";
import { describeToolIndexContract } from "toolsieve/testing";
import { openVectorPostgres, type VectorPostgres } from "../../support/vector-postgres.js";
import { wordEmbeddings } from "../../support/word-embeddings.js";

let postgres: VectorPostgres;
const stores: PostgresStore[] = [];

function openStore(): PostgresStore {
  const embed = wordEmbeddings();
  const store = PostgresStore.fromConnString(postgres.url, {
    index: { dims: 64, embed: embed as never },
  });
  stores.push(store);
  return store;
}

async function closeStores(): Promise<void> {
  await Promise.all(stores.splice(0).map((store) => store.stop()));
}

beforeAll(async () => {
  postgres = await openVectorPostgres();
  // A store that nobody has set up: the index must not start its migrations twice at one time.
  const index = embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 1, store: openStore() });
  await index.indexTools("first", [{ name: "a" }, { name: "b" }, { name: "c" }]);
  await closeStores();
});

afterAll(async () => {
  await closeStores();
  await postgres.dispose();
});

describeToolIndexContract("the embedding index in Postgres", {
  async createIndex() {
    await postgres.query("DELETE FROM store");
    return embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 20, store: openStore() });
  },
  cleanUp: closeStores,
  runner: { describe, it },
});

interface ProcessReport {
  readonly embedded: number;
  readonly queries: number;
  readonly found: readonly string[];
}

/** Runs an index in a process of its own. */
async function runProcess(task: "index" | "search" | "index-and-search"): Promise<ProcessReport> {
  const script = fileURLToPath(new URL("../../support/index-process.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", script, postgres.url, task],
    { cwd: fileURLToPath(new URL("../../../", import.meta.url)) },
  );
  return JSON.parse(stdout) as ProcessReport;
}

describe("a catalog in Postgres with pgvector", () => {
  it("has the extension", async () => {
    const rows = await postgres.query("SELECT extname FROM pg_extension WHERE extname = 'vector'");
    expect(rows).toHaveLength(1);
  });

  it(
    "is embedded once, for a restarted process and for a second one",
    { timeout: 60_000 },
    async () => {
      await postgres.query("DELETE FROM store");
      const first = await runProcess("index");
      expect(first).toEqual({ embedded: 300, queries: 0, found: [] });
      const restarted = await runProcess("search");
      expect(restarted).toEqual({ embedded: 0, queries: 1, found: ["get_weather"] });
      const second = await runProcess("index-and-search");
      expect(second).toEqual({ embedded: 0, queries: 1, found: ["get_weather"] });
    },
  );
});
