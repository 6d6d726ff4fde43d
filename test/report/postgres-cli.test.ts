/** `toolsieve report --postgres` and `tune --postgres` say what they say of the same records in a file. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createReportCommand } from "../../src/cli/report.js";
import { createTuneCommand } from "../../src/cli/tune.js";
import { jsonlSink } from "../../src/node.js";
import { postgresSink } from "../../src/postgres.js";
import { at, shadowRecord, tool } from "../support/logs.js";
import { postgresServers, type TestServer } from "../support/postgres.js";
import { runToEnd } from "../support/run-command.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const records = Array.from({ length: 1200 }, (_, thread) =>
  shadowRecord({
    threadId: `t-${thread}`,
    time: at(thread),
    tools: [tool("query", 0.5 + (thread % 50) / 100), tool("refund", (thread % 20) / 100)],
    catalog: { fingerprint: "cat", tools: 20, candidates: 20, definitionTokens: 20_000 },
  }),
);

let server: TestServer | undefined;

beforeAll(async () => {
  server = await postgresServers[0]?.[1]();
  const sink = postgresSink({ connectionString: server?.url ?? "" });
  await Promise.all(records.map((record) => sink.write(record)));
  await sink.close();
});
afterAll(async () => {
  await server?.dispose();
});

async function logFile(): Promise<string> {
  const path = join(await temporaryDirectory(), "shadow.jsonl");
  const sink = jsonlSink(path);
  await Promise.all(records.map((record) => sink.write(record)));
  await sink.close();
  return path;
}

it("report gives the same JSON and the same exit code", async () => {
  const fromFile = await runToEnd(createReportCommand, await logFile(), "--json");
  const fromTable = await runToEnd(createReportCommand, "--postgres", server?.url ?? "", "--json");
  expect(JSON.parse(fromTable.stdout)).toEqual(JSON.parse(fromFile.stdout));
  expect(JSON.parse(fromTable.stdout)).toMatchObject({ verdict: "ready", records: 1200 });
  expect([fromTable.exitCode, fromFile.exitCode]).toEqual([0, 0]);
});

it("tune gives the same options", async () => {
  const target = ["--target-recall", "0.95", "--json"];
  const fromFile = await runToEnd(createTuneCommand, await logFile(), ...target);
  const fromTable = await runToEnd(createTuneCommand, "--postgres", server?.url ?? "", ...target);
  expect(JSON.parse(fromTable.stdout)).toEqual(JSON.parse(fromFile.stdout));
  expect(fromTable.exitCode).toBe(fromFile.exitCode);
});

it.each([
  ["a table that is missing", (url: string) => ["--postgres", url, "--table", "no_such"], /42P01/],
  ["a name that is no table", (url: string) => ["--postgres", url, "--table", "a;b"], /table name/],
  ["a server that is away", () => ["--postgres", "postgres://x@127.0.0.1:1/y"], /ECONNREFUSED/],
  ["another database", () => ["--postgres", "mysql://x:canary@y/z"], /postgres:\/\/user@host/],
])("report ends with exit code 2 and a sentence for %s", async (_, parameters, message) => {
  const { exitCode, stdout, stderr } = await runToEnd(
    createReportCommand,
    ...parameters(server?.url ?? ""),
  );
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("canary");
});
