/**
 * A process of its own over a shared store. argv: URL of the database, task. Prints what it
 * embedded and found.
 */

import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { embeddingToolIndex } from "../../src/models.js";
import { wordEmbeddings } from "./word-embeddings.js";

const [url = "", task = ""] = process.argv.slice(2);
const embeddings = wordEmbeddings();
const store = PostgresStore.fromConnString(url, {
  index: { dims: 64, embed: embeddings as never },
});
const index = embeddingToolIndex({ embeddings, topK: 1, store });
const tools = Array.from({ length: 299 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does thing number ${at}.`,
}));

const found: string[] = [];
if (task.includes("index")) {
  await index.indexTools("catalog", [
    ...tools,
    { name: "get_weather", description: "Tells the weather." },
  ]);
}
if (task.includes("search")) {
  const { matches } = await index.search({ sessionId: "catalog", query: "umbrella" });
  found.push(...matches.map(({ name }) => name));
}
await store.stop();
process.stdout.write(
  JSON.stringify({
    embedded: embeddings.batches.flat().length,
    queries: embeddings.queries.length,
    found,
  }),
);
