import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { InvalidOptionsError, type ToolSieveError } from "../../src/errors.js";
import { postgresMigration, postgresSink, type PostgresPool } from "../../src/postgres.js";
import { postgresServers, type TestServer } from "../support/postgres.js";
import { selectionRecord } from "../support/records.js";

let tables = 0;
const newTable = (): string => `records_${process.pid}_${Date.now()}_${(tables += 1)}`;
const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `r-${from + index}`);

describe.each(postgresServers)("postgresSink against %s", (_, open) => {
  let server: TestServer;
  let admin: pg.Pool;

  beforeAll(async () => {
    server = await open();
    admin = new pg.Pool({ connectionString: server.url, max: 4 });
    admin.on("error", () => undefined);
  });
  afterAll(async () => {
    await admin.end();
    await server.dispose();
  });

  async function stored(table: string): Promise<readonly string[]> {
    const { rows } = await admin.query<{ id: string }>(
      `SELECT record->>'id' AS id FROM ${table} ORDER BY seq`,
    );
    return rows.map(({ id }) => id);
  }

  it("creates its table and stores each record whole, in the order of writing", async () => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table });
    const records = ids(0, 1200).map((id) => selectionRecord({ id }));
    await Promise.all(records.map((record) => sink.write(record)));
    expect(await stored(table)).toEqual(records.map(({ id }) => id));
    const { rows } = await admin.query(`SELECT * FROM ${table} ORDER BY seq LIMIT 1`);
    expect(rows[0]).toMatchObject({
      time: new Date("2026-11-30T09:30:00.123Z"),
      unit: "t-1",
      record: records[0],
    });
    expect(sink.stats()).toEqual({ written: 1200, dropped: 0, failed: 0, queued: 0 });
    await sink.close();
  });

  it("inserts what comes in together in few statements", async () => {
    const table = newTable();
    const query = vi.fn<PostgresPool["query"]>((text, values) => admin.query(text, values));
    const sink = postgresSink({ pool: { query }, table });
    await Promise.all(ids(0, 1000).map((id) => sink.write(selectionRecord({ id }))));
    expect(query.mock.calls.filter(([text]) => text.includes("INSERT")).length).toBeLessThanOrEqual(
      3,
    );
    await sink.close();
  });

  it.each([
    [{ groupId: "g", threadId: "t", runId: "r" }, "g"],
    [{ groupId: null, threadId: "t", runId: "r" }, "t"],
    [{ groupId: null, threadId: null, runId: "r" }, "r"],
    [{ groupId: null, threadId: null, runId: null }, null],
  ])("files a record with %j under the unit %j", async (fields, unit) => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table });
    await sink.write(selectionRecord(fields));
    const { rows } = await admin.query(`SELECT unit FROM ${table}`);
    expect(rows).toEqual([{ unit }]);
    await sink.close();
  });

  it("stores hostile text as text, with U+FFFD for what jsonb cannot hold", async () => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table });
    const hostile = `'); DROP TABLE ${table}; -- "\\" {a,b} NULL \\u0000 \\\\u0000 😀`;
    await sink.write(
      selectionRecord({ id: hostile, threadId: "a\u0000b", agent: "\ud800 \udc00x" }),
    );
    const { rows } = await admin.query(
      `SELECT record->>'id' AS id, unit, record->>'agent' AS agent FROM ${table}`,
    );
    expect(rows).toEqual([{ id: hostile, unit: "a\ufffdb", agent: "\ufffd \ufffdx" }]);
    await sink.close();
  });

  it("counts a record that the server refuses, and stores those around it", async () => {
    const table = newTable();
    const onError = vi.fn<(error: ToolSieveError) => void>();
    const sink = postgresSink({ connectionString: server.url, table, onError });
    const settled = await Promise.allSettled([
      sink.write(selectionRecord({ id: "a" })),
      sink.write(selectionRecord({ id: "b", time: "canary" })),
      sink.write(selectionRecord({ id: "c" })),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await stored(table)).toEqual(["a", "c"]);
    expect(sink.stats()).toEqual({ written: 2, dropped: 0, failed: 1, queued: 0 });
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
      "postgresSink: the server refused a record (22007).",
    ]);
    await sink.close();
  });

  it("migrates safely when many start at once", async () => {
    const table = newTable();
    const onError = vi.fn<(error: ToolSieveError) => void>();
    const sinks = Array.from({ length: 6 }, () =>
      postgresSink({ connectionString: server.url, table, onError }),
    );
    await Promise.all(
      sinks.map((sink, index) => sink.write(selectionRecord({ id: `r-${index}` }))),
    );
    expect((await stored(table)).toSorted()).toEqual(ids(0, 6));
    expect(onError).not.toHaveBeenCalled();
    await Promise.all(sinks.map((sink) => sink.close()));
  });

  it("creates the table again when it was dropped, and loses nothing", async () => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table });
    await sink.write(selectionRecord({ id: "a" }));
    await admin.query(`DROP TABLE ${table}`);
    await sink.write(selectionRecord({ id: "b" }));
    expect(await stored(table)).toEqual(["b"]);
    await sink.close();
  });

  it("creates no table with `migrate: false`, and writes once someone did", async () => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table, migrate: false });
    const written = sink.write(selectionRecord({ id: "a" }));
    await vi.waitFor(() => expect(sink.stats().queued).toBe(1));
    await admin.query(postgresMigration(table));
    await written;
    expect(await stored(table)).toEqual(["a"]);
    await sink.close();
  });

  it("writes into a schema of its own, with its case kept", async () => {
    const schema = `Schema_${newTable()}`;
    await admin.query(`CREATE SCHEMA "${schema}"`);
    const sink = postgresSink({ connectionString: server.url, table: `${schema}.Records` });
    await sink.write(selectionRecord({ id: "a" }));
    expect(await stored(`"${schema}"."Records"`)).toEqual(["a"]);
    await sink.close();
    await admin.query(`DROP SCHEMA "${schema}" CASCADE`);
  });

  it("does not insert a row twice when only the confirmation got lost", async () => {
    const table = newTable();
    let lost = false;
    const pool: PostgresPool = {
      async query(text, values) {
        const result = await admin.query(text, values);
        if (!text.includes("INSERT") || lost) return result;
        lost = true;
        throw new Error("Connection terminated unexpectedly");
      },
    };
    const sink = postgresSink({ pool, table });
    await Promise.all(ids(0, 3).map((id) => sink.write(selectionRecord({ id }))));
    expect(lost).toBe(true);
    expect(await stored(table)).toEqual(ids(0, 3));
    expect(sink.stats()).toMatchObject({ written: 3 });
    await sink.close();
  });

  it("loses nothing that its queue holds while the server is stopped and started, and writes at once", async () => {
    const table = newTable();
    const warn = vi.fn<(message: string) => void>();
    const sink = postgresSink({ connectionString: server.url, table, logger: { warn } });
    await sink.write(selectionRecord({ id: "r-0" }));
    const during = ids(1, 200).map((id) => sink.write(selectionRecord({ id })));
    await server.stop();
    let slowestMs = 0;
    for (const id of ids(200, 400)) {
      const start = performance.now();
      during.push(sink.write(selectionRecord({ id })));
      slowestMs = Math.max(slowestMs, performance.now() - start);
    }
    await vi.waitFor(() => expect(warn).toHaveBeenCalled());
    expect(sink.stats().queued).toBeGreaterThanOrEqual(200);
    await server.start();
    await sink.flush();
    await Promise.all(during);
    expect(await stored(table)).toEqual(ids(0, 400));
    expect(sink.stats()).toEqual({ written: 400, dropped: 0, failed: 0, queued: 0 });
    expect(warn).toHaveBeenCalledTimes(1);
    // A write only queues: far below anything that waits for a server.
    expect(slowestMs).toBeLessThan(100);
    await sink.close();
  }, 40_000);

  it("survives a server that ends its idle connection, and connects again", async () => {
    const table = newTable();
    const sink = postgresSink({ connectionString: server.url, table });
    await sink.write(selectionRecord({ id: "a" }));
    // An error that nobody listens for would fail the test run.
    await server.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.start();
    await sink.write(selectionRecord({ id: "b" }));
    expect(await stored(table)).toEqual(["a", "b"]);
    await sink.close();
  });

  it("leaves a pool that it was given open, and takes nothing after close", async () => {
    const sink = postgresSink({ pool: admin, table: newTable() });
    await sink.write(selectionRecord());
    await sink.close();
    await expect(admin.query("SELECT 1 AS one")).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await expect(sink.write(selectionRecord())).rejects.toThrow("the sink is closed");
  });
});

describe("postgresSink without a server", () => {
  afterEach(() => {
    vi.doUnmock("pg");
    vi.resetModules();
  });

  it("drops and counts what its queue cannot hold, and close ends all the same", async () => {
    const bytes = JSON.stringify(selectionRecord()).length;
    const sink = postgresSink({
      connectionString: "postgres://nobody@127.0.0.1:1/none",
      maxQueuedBytes: 2 * bytes,
      closeTimeoutMs: 50,
    });
    const writes = Promise.allSettled([1, 2, 3].map(() => sink.write(selectionRecord())));
    expect(sink.stats()).toMatchObject({ queued: 2, dropped: 1 });
    await sink.close();
    expect((await writes).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "rejected",
    ]);
    expect(sink.stats()).toEqual({ written: 0, dropped: 3, failed: 0, queued: 0 });
  });

  it("says what to install when the driver is missing", async () => {
    vi.doMock("pg", () => {
      throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
    });
    const { postgresSink } = await import("../../src/postgres.js");
    const sink = postgresSink({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    await expect(sink.write(selectionRecord())).rejects.toThrow("npm install pg");
    expect(sink.stats()).toMatchObject({ failed: 1, queued: 0 });
  });

  it("puts neither a password nor a record into what it reports", async () => {
    const onError = vi.fn<(error: ToolSieveError) => void>();
    const sink = postgresSink({
      connectionString: "postgres://user:canary-password@127.0.0.1:1/none",
      onError,
      closeTimeoutMs: 0,
    });
    void sink.write(selectionRecord({ id: "canary-record" }));
    await vi.waitFor(() => expect(onError).toHaveBeenCalled());
    await sink.close();
    const errors = onError.mock.calls.map(([error]) => `${error.message} ${String(error.cause)}`);
    expect(errors[0]).toContain("(ECONNREFUSED)");
    expect(errors.join()).not.toContain("canary");
  });
});

describe("postgresSink's options", () => {
  const pool: PostgresPool = { query: async () => ({ rows: [] }) };

  it.each([
    [undefined],
    [{}],
    [{ pool, connectionString: "postgres://x@y/z" }],
    [{ pool: {} }],
    [{ connectionString: "mysql://x@y/z" }],
    [{ connectionString: 5 }],
    [{ pool, table: "" }],
    [{ pool, table: 'a"; DROP TABLE b' }],
    [{ pool, table: "a.b.c" }],
    [{ pool, table: "a b" }],
    [{ pool, table: "1a" }],
    [{ pool, table: "x".repeat(49) }],
    [{ pool, tabel: "a" }],
    [{ pool, migrate: "no" }],
  ])("refuses %j", (options) => {
    // @ts-expect-error: what a caller without types may pass
    expect(() => postgresSink(options)).toThrow(InvalidOptionsError);
  });

  it("never shows a connection string", () => {
    expect(() => postgresSink({ connectionString: "mysql://user:canary@host/db" })).toThrow(
      "Expected `connectionString` to be a connection string like postgres://user@host/database, got a value of type string.",
    );
  });

  it("takes a pool of the package `pg`", async () => {
    const real = new pg.Pool();
    await postgresSink({ pool: real }).close();
    await real.end();
  });
});

describe("postgresMigration", () => {
  it("is what the documentation prints", async () => {
    const page = await readFile(new URL("../../docs/sinks.md", import.meta.url), "utf8");
    expect(page.match(/```sql\n([^]*?)```/)?.[1]).toBe(postgresMigration());
  });

  it("refuses a name that would need escaping", () => {
    expect(() => postgresMigration('a"b')).toThrow(InvalidOptionsError);
  });
});
