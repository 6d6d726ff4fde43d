/**
 * One catalog, two processes: the first embeds the tools into Postgres, the second finds them there
 * and embeds nothing.
 *
 * Run: `npx tsx examples/shared-postgres-index.ts`, with an embedded Postgres with pgvector, or
 * with `DATABASE_URL` set, against a real one. It needs no key: the encoder of the package embeds
 * offline.
 */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { loadTextEncoder } from "../src/encoder/load-text-encoder.js";
import { embeddingToolIndex, type EmbeddingModel } from "../src/models.js";

const tools = [
  { name: "get_weather", description: "Tells the weather forecast of a city." },
  { name: "refund_order", description: "Pays the money for an order back." },
  { name: "book_table", description: "Reserves a table in a restaurant." },
];

/** The encoder of the package, counted; yours may be any LangChain embeddings. */
function countedEmbeddings(): EmbeddingModel & { readonly count: number } {
  let count = 0;
  return {
    get count() {
      return count;
    },
    async embedDocuments(texts) {
      count += texts.length;
      return (await loadTextEncoder()).encodeAll(texts);
    },
    async embedQuery(text) {
      const [embedding = []] = await (await loadTextEncoder()).encodeAll([text]);
      return embedding;
    },
  };
}

/** What each process does: the same lines, whether it is the first or not. */
async function searchShared(url: string, process: string): Promise<void> {
  const embeddings = countedEmbeddings();
  const store = PostgresStore.fromConnString(url);
  const index = embeddingToolIndex({ embeddings, store, topK: 1 });
  await index.indexTools("catalog", tools);
  const { matches } = await index.search({ sessionId: "catalog", query: "I want my money back" });
  console.log(`${process}: embedded ${embeddings.count} tools, found ${matches[0]?.name}`);
  await store.stop();
}

/** A server in this process; yours is somewhere else. */
async function openServer(): Promise<{
  readonly url: string;
  readonly close: () => Promise<void>;
}> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined) return { url: given, close: async () => undefined };
  const db = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1", maxConnections: 10 });
  await server.start();
  const port = Number(server.getServerConn().split(":").at(-1));
  const close = async (): Promise<void> => {
    await server.stop();
    await db.close();
  };
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`, close };
}

const sharedUrl = process.env["SHARED_URL"];
if (sharedUrl === undefined) {
  const { url, close } = await openServer();
  for (const name of ["first process", "second process"]) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", fileURLToPath(import.meta.url)],
      { env: { ...process.env, SHARED_URL: url, PROCESS_NAME: name } },
    );
    process.stdout.write(stdout);
  }
  await close();
} else {
  await searchShared(sharedUrl, process.env["PROCESS_NAME"] ?? "process");
}
