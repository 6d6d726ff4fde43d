/** Postgres servers for tests, which can be stopped and started: one embedded in the process, and a real one if the environment names it. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

/** A server that tests may stop and start; it keeps its data and its URL. */
export interface TestServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

async function embeddedPostgres(): Promise<TestServer> {
  const db = await PGlite.create();
  let port = 0;
  let server: PGLiteSocketServer | undefined;
  const start = async (): Promise<void> => {
    server = new PGLiteSocketServer({ db, port, host: "127.0.0.1", maxConnections: 20 });
    await server.start();
    port = Number(server.getServerConn().split(":").at(-1));
  };
  const stop = async (): Promise<void> => {
    await server?.stop();
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    start,
    stop,
    async dispose() {
      await stop();
      await db.close();
    },
  };
}

const realUrl = process.env["TOOLSIEVE_TEST_POSTGRES_URL"];

/**
 * The real server, behind a door of its own: stopping it cuts every connection and refuses new ones, as a server that
 * stops does, without taking it away from tests that run beside.
 */
async function realPostgres(): Promise<TestServer> {
  const target = new URL(realUrl ?? "");
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  };
  const door = createServer((client) => {
    const server = keep(connect(Number(target.port || 5432), target.hostname));
    keep(client).pipe(server).pipe(client);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  });
  let port = 0;
  const start = async (): Promise<void> => {
    door.listen(port, "127.0.0.1");
    await once(door, "listening");
    const address = door.address();
    if (typeof address === "object" && address !== null) port = address.port;
  };
  const stop = async (): Promise<void> => {
    const closed = once(door, "close");
    door.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await start();
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, start, stop, dispose: stop };
}

/** The servers to test against: always the embedded one, and a real one where `TOOLSIEVE_TEST_POSTGRES_URL` is set. */
export const postgresServers: readonly (readonly [
  name: string,
  open: () => Promise<TestServer>,
])[] =
  realUrl === undefined
    ? [["an embedded Postgres", embeddedPostgres]]
    : [
        ["an embedded Postgres", embeddedPostgres],
        ["a real PostgreSQL", realPostgres],
      ];
