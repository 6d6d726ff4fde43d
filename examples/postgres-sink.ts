/**
 * Records in Postgres: an agent's shadow records go to a table, the server goes away and comes back, nothing is lost.
 *
 * Run: `npx tsx examples/postgres-sink.ts`, with an embedded Postgres, or with `DATABASE_URL` set, against a real one.
 */

import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import { createToolSelector } from "../src/index.js";
import { postgresSink } from "../src/postgres.js";
import { fakeJudge } from "../src/testing/fake-judge.js";

const tools = [
  { name: "query_order", description: "Looks up an order by its number." },
  { name: "refund", description: "Pays an order back." },
];

/** A server in this process; yours is somewhere else. */
async function embeddedPostgres() {
  const db = await PGlite.create();
  let port = 0;
  let server: PGLiteSocketServer | undefined;
  async function start(): Promise<string> {
    server = new PGLiteSocketServer({ db, port, host: "127.0.0.1", maxConnections: 5 });
    await server.start();
    port = Number(server.getServerConn().split(":").at(-1));
    return `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
  }
  const stop = async (): Promise<void> => server?.stop();
  return { start, stop, close: () => db.close() };
}

const embedded = process.env["DATABASE_URL"] === undefined ? await embeddedPostgres() : undefined;
const connectionString = process.env["DATABASE_URL"] ?? (await embedded?.start()) ?? "";

const sink = postgresSink({ connectionString, table: "toolsieve_example", logger: console });
const selector = createToolSelector({
  // A scripted judge, so that the example needs no network; leave `judge` out for the embedded one.
  judge: fakeJudge({ probabilities: { query_order: 0.95, refund: 0.05 } }),
  agent: "support",
  sinks: sink,
});

async function turn(threadId: string): Promise<void> {
  await selector.run(
    { messages: [{ role: "user", text: "Where is my order 7?" }], tools, threadId },
    { callModel: async () => ["query_order"], readOutcome: (called) => ({ called }) },
  );
}

await turn("thread-1");
await selector.flush();
console.log("after the first turn", sink.stats());

await embedded?.stop();
await turn("thread-2");
await turn("thread-3");
// In shadow, records are written beside the turns.
while (sink.stats().queued < 2) await new Promise((resolve) => setTimeout(resolve, 10));
console.log("the server is away", sink.stats());

await embedded?.start();
await selector.flush();
console.log("the server is back", sink.stats());

const client = new pg.Client({ connectionString });
await client.connect();
const { rows } = await client.query(
  `SELECT unit, record->>'status' AS status, record->'outcome'->'called' AS called
   FROM toolsieve_example ORDER BY seq DESC LIMIT 3`,
);
console.table(rows);
await client.end();

await selector.close();
await embedded?.stop();
await embedded?.close();
