/** An embedded Postgres with pgvector behind a socket, for several processes. */

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

export interface VectorPostgres {
  readonly url: string;
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
  readonly dispose: () => Promise<void>;
}

export async function openVectorPostgres(): Promise<VectorPostgres> {
  const db = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1", maxConnections: 50 });
  await server.start();
  const port = Number(server.getServerConn().split(":").at(-1));
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    query: async (sql) => (await db.query<Record<string, unknown>>(sql)).rows,
    async dispose() {
      await server.stop();
      await db.close();
    },
  };
}
