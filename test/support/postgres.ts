/** Postgres servers for tests, which can be stopped and started: one embedded in the process, and a real one if the environment names it. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

const script = fileURLToPath(new URL("../../.ci/postgres.sh", import.meta.url));
const realUrl = process.env["TOOLSIEVE_TEST_POSTGRES_URL"];
const realDirectory = process.env["TOOLSIEVE_TEST_POSTGRES_DIRECTORY"];

async function realPostgres(): Promise<TestServer> {
  const run = async (action: string): Promise<void> => {
    if (realDirectory === undefined)
      throw new Error("TOOLSIEVE_TEST_POSTGRES_DIRECTORY is not set");
    // Its output goes nowhere: the server would inherit a pipe and hold it open.
    await promisify(execFile)("sh", [
      "-c",
      '"$0" "$@" >/dev/null 2>&1',
      script,
      action,
      realDirectory,
    ]);
  };
  return {
    url: realUrl ?? "",
    stop: () => run("stop"),
    start: () => run("start"),
    dispose: async () => undefined,
  };
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
