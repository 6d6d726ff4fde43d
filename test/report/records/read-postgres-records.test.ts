/** The report on a Postgres table: the same log gives the same report as from a file. */

import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { InvalidOptionsError, ToolSieveError } from "../../../src/errors.js";
import { postgresSink } from "../../../src/postgres.js";
import { readPostgresRecords } from "../../../src/report/records/read-postgres-records.js";
import type { ReportSummary } from "../../../src/report/summary.js";
import type { PostgresSource } from "../../../src/report/records/read-postgres-records.js";
import type { SummarizeOptions } from "../../../src/report/summarize-options.js";
import { summarize } from "../../../src/report/summarize.js";
import { at, pinned, shadowRecord, tool, unjudged } from "../../support/logs.js";
import { postgresServers, type TestServer } from "../../support/postgres.js";

/** The report on a table, as `toolsieve report --postgres` makes it. */
const summarizePostgres = (
  source: PostgresSource,
  options: SummarizeOptions = {},
): Promise<ReportSummary> =>
  summarize(readPostgresRecords(source, { since: options.since }), options);

let tables = 0;
const newTable = (): string => `report_${process.pid}_${Date.now()}_${(tables += 1)}`;

type Tool = SelectionRecord["tools"][number];

const names = [
  "query",
  "refund",
  "x'; DROP TABLE y; --",
  'a"b\\u0000',
  "<b>",
  "Ünïcode 😀",
  "find_tools",
];

/** One value as a rule, so that records fall into few cohorts; the others as exceptions. */
const mostly = <T>(rule: T, ...exceptions: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constant(rule) },
    { weight: 1, arbitrary: fc.constantFrom(...exceptions) },
  );

const verdict = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("applicable", "not-applicable", "uncertain") },
  { weight: 1, arbitrary: fc.constantFrom("abstained", "unjudged", null) },
) as fc.Arbitrary<Tool["verdict"]>;

const tools = fc.array(
  fc.record<Tool>({
    name: fc.option(fc.constantFrom(...names), { freq: 20 }),
    probability: fc.option(
      fc.oneof(
        fc.constantFrom(0, 0.005, 0.02, 0.2, 0.5, 0.8, 0.98, 1),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      { freq: 30 },
    ),
    verdict,
    kept: mostly(true, false),
    reason: fc.constantFrom("applicable", "over-cap", "history", "not-shortlisted"),
    tokens: fc.option(fc.nat(500)),
  }),
  { maxLength: 8 },
);

const keep = {
  confidenceThreshold: 0.8,
  rejectionThreshold: 0.2,
  maxTools: 2,
  onUncertain: "keep" as const,
};
const fallback = {
  confidenceThreshold: 0.6,
  rejectionThreshold: 0.05,
  maxTools: 8,
  onUncertain: "fallback" as const,
};
const threads = Array.from({ length: 15 }, (_, index) => `t:${index}`);

/** Records in which everything that the report looks at varies on its own, likely or not. */
const record = fc
  .record({
    seconds: fc.double({ min: 0, max: 5000, noNaN: true }),
    tools,
    called: fc.array(fc.constantFrom(...names, "unknown"), { maxLength: 3 }),
    outcome: mostly("answered", "failed", "none"),
    judge: mostly("known", "unnamed", "none"),
    usage: mostly(true, false),
    fields: fc.record({
      threadId: fc.option(fc.constantFrom(...threads), { freq: 15 }),
      runId: fc.constantFrom("run-1", null),
      groupId: mostly<string | null>(null, "g-1"),
      agent: mostly<string | null>("support", null),
      request: fc.option(fc.constantFrom("m-1", "m-2", "3"), { freq: 3 }),
      step: fc.option(fc.constantFrom(1, 2), { freq: 5 }),
      enforced: mostly(false, false, false, true),
      enforceShare: mostly<number | null>(null, 0.5),
      status: mostly<SelectionRecord["status"]>(
        "decided",
        "uncertain",
        "failed",
        "skipped",
        "cancelled",
      ),
      fallback: mostly(false, true),
      reason: fc.constantFrom("selected", "timeout", "abstained"),
      version: mostly<string | null>("v1", "v2", null),
      overrides: mostly<true | undefined>(undefined, true),
      policy: mostly<SelectionRecord["policy"]>(keep, fallback),
      catalog: fc.record({
        fingerprint: fc.option(fc.uuid(), { freq: 2 }),
        tools: fc.nat(20),
        candidates: fc.nat(20),
        definitionTokens: fc.option(fc.nat(5000)),
      }),
    }),
  })
  .map(({ seconds, tools, called, outcome, judge, usage, fields }): SelectionRecord => {
    const { overrides, ...rest } = fields;
    const usageFields = usage ? {} : { usage: null, model: null };
    const whole = shadowRecord({
      ...rest,
      time: at(seconds),
      tools,
      judge: judge === "none" ? null : judge === "unnamed" ? { model: null, usage: null } : {},
      outcome: outcome === "none" ? null : { called, error: outcome === "failed", ...usageFields },
    });
    return Object.assign(whole, overrides === undefined ? {} : { overrides });
  });

describe.each(postgresServers)("readPostgresRecords from %s", (_, open) => {
  let server: TestServer;
  let pool: pg.Pool;

  beforeAll(async () => {
    server = await open();
    pool = new pg.Pool({ connectionString: server.url, max: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await server.dispose();
  });

  async function tableOf(records: readonly SelectionRecord[]): Promise<string> {
    const table = newTable();
    const sink = postgresSink({ pool, table });
    await Promise.all(records.map((one) => sink.write(one)));
    await sink.close();
    return table;
  }

  async function expectSameReport(
    records: readonly SelectionRecord[],
    options: SummarizeOptions = {},
  ) {
    const table = await tableOf(records);
    const summary = await summarizePostgres({ pool, table }, options);
    expect(summary).toEqual(await summarize(records, options));
    await pool.query(`DROP TABLE ${table}`);
    return summary;
  }

  it("gives the same report as the same records from a file", async () => {
    const threads = Array.from({ length: 40 }, (_, thread) =>
      Array.from({ length: 5 }, (_, step) =>
        shadowRecord({
          threadId: `t-${thread}`,
          request: `m-${Math.floor(step / 2)}`,
          step: (step % 2) + 1,
          time: at(thread * 100 + step),
          tools: [
            tool("query", 0.9),
            tool("refund", thread % 7 === 0 ? 0.05 : 0.4),
            pinned("help"),
            unjudged("x"),
          ],
          outcome: { called: step === 3 ? ["refund", "query"] : ["query"] },
          fallback: step === 4,
        }),
      ),
    ).flat();
    const summary = await expectSameReport(threads);
    // Something is in it: an empty report would be the same too.
    expect(summary.judged).toMatchObject({ units: 40, missedUnits: 6 });
    expect(summary.judged?.tools.find(({ name }) => name === "refund")?.keptInstead).not.toEqual(
      [],
    );
    expect(summary.judged?.callRate.some(({ called }) => called > 0)).toBe(true);
  });

  it(
    "gives the same report on logs in which everything varies, and for a part of them",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(record, { minLength: 1, maxLength: 80, size: "max" }),
          fc.constantFrom<SummarizeOptions>(
            {},
            { since: Date.parse(at(1500)) },
            { gate: "enforced", maxMissRate: 0.3, critical: ["que*", "none"] },
          ),
          async (records, options) => {
            await expectSameReport(records, options);
          },
        ),
        { numRuns: 15 },
      );
    },
  );

  it(
    "reads more records than fit on a page, and tells how far it is",
    { timeout: 120_000 },
    async () => {
      const table = await tableOf([shadowRecord({ step: 0 })]);
      await pool.query(
        `INSERT INTO ${table} (delivery, time, unit, record)
       SELECT gen_random_uuid(), time, unit, jsonb_set(record, '{step}', to_jsonb(step))
       FROM ${table}, generate_series(1, 10000) AS step ORDER BY step`,
      );
      const onProgress = vi.fn<(count: number) => void>();
      const summary = await summarizePostgres({ pool, table }, { onProgress });
      expect(summary).toMatchObject({ records: 10_001, judged: { turns: 10_001 } });
      expect(onProgress.mock.calls).toEqual([[10_000]]);
      let count = 0;
      for await (const { step } of readPostgresRecords({ pool, table })) {
        if (step !== count++) throw new Error(`out of order at ${count}`);
      }
      expect(count).toBe(10_001);
    },
  );

  it("says that an empty table holds no evidence", async () => {
    const table = await tableOf([shadowRecord()]);
    await pool.query(`DELETE FROM ${table}`);
    const summary = await summarizePostgres({ connectionString: server.url, table });
    expect(summary).toEqual(await summarize([]));
  });

  it("counts rows that are no records, whatever they hold", async () => {
    const good = shadowRecord();
    const table = await tableOf([good]);
    const foreign = [
      { v: 2 },
      [],
      "text",
      "content",
      { ...good, tools: {} },
      { ...good, tools: [1, "x", null] },
      { ...good, policy: { maxTools: "many" } },
      { ...good, outcome: { called: 7 } },
      { ...good, outcome: { ...good.outcome, called: [7] } },
      { ...good, tools: [{ name: "x", probability: "high", kept: "no" }] },
    ];
    for (const value of foreign) {
      await pool.query(
        `INSERT INTO ${table} (delivery, time, unit, record) VALUES (gen_random_uuid(), now(), 't-1', $1)`,
        [JSON.stringify(value)],
      );
    }
    const summary = await summarizePostgres({ pool, table });
    expect(summary).toMatchObject({ records: 1, judged: { units: 1 } });
    expect(summary.foreignRecords).toBe(foreign.length);
    const log = readPostgresRecords({ pool, table });
    const read: SelectionRecord[] = [];
    for await (const one of log) read.push(one);
    expect(read).toEqual([good]);
    expect(log.counts).toEqual({ malformedLines: 0, foreignRecords: foreign.length });
  });

  it("leaves message text in the database", async () => {
    const content = { request: "my secret", messages: [{ role: "user", text: "my secret" }] };
    const table = await tableOf([shadowRecord({ content })]);
    const read: SelectionRecord[] = [];
    for await (const one of readPostgresRecords({ pool, table })) read.push(one);
    expect(read).toHaveLength(1);
    expect(JSON.stringify(read)).not.toContain("secret");
  });

  it("gives the caller's connection back, also when its reader stops early", async () => {
    const table = await tableOf([shadowRecord(), shadowRecord()]);
    for (let count = 0; count < 5; count++) {
      for await (const _ of readPostgresRecords({ pool, table })) break;
    }
    expect(pool.idleCount).toBe(pool.totalCount);
    await pool.query(`DROP TABLE ${table}`);
  });

  it("reads whole records from a time on", async () => {
    const records = [0, 10, 20].map((seconds) => shadowRecord({ time: at(seconds) }));
    const table = await tableOf(records);
    const read: SelectionRecord[] = [];
    for await (const one of readPostgresRecords({ pool, table }, { since: Date.parse(at(10)) }))
      read.push(one);
    expect(read).toEqual(records.slice(1));
  });

  it("ends a unit's evidence with its first enforced record, however early that was, and however late it was written", async () => {
    const records = [
      ...[10, 20, 30].map((seconds) => shadowRecord({ time: at(seconds) })),
      shadowRecord({ threadId: "t-2", time: at(25) }),
      shadowRecord({ enforced: true, mode: "enforce", time: at(5) }),
    ];
    const summary = await expectSameReport(records, { since: Date.parse(at(10)) });
    expect(summary.judged?.units).toBe(1);
  });

  it("closes the pool that it opened, also when its reader stops early", async () => {
    const table = await tableOf([shadowRecord(), shadowRecord()]);
    const end = vi.spyOn(pg.Pool.prototype, "end");
    const source = { connectionString: server.url, table };
    await summarizePostgres(source);
    expect(end).toHaveBeenCalledTimes(1);
    for await (const _ of readPostgresRecords(source)) break;
    expect(end).toHaveBeenCalledTimes(2);
    end.mockRestore();
  });

  it("says what is wrong with a table that is missing", async () => {
    await expect(summarizePostgres({ pool, table: "no_such_table" })).rejects.toThrow(
      /could not be read \(42P01: relation "no_such_table" does not exist\)/,
    );
    await expect(summarizePostgres({ pool, table: "no_such_table" })).rejects.toBeInstanceOf(
      ToolSieveError,
    );
  });
});

it.each([
  [{}],
  [{ connectionString: "x" }],
  [{ connectionString: "postgres://x/y", table: "a;b" }],
  [undefined],
])("readPostgresRecords refuses %j", (source) => {
  // @ts-expect-error: what a caller without types may pass
  expect(() => readPostgresRecords(source)).toThrow(InvalidOptionsError);
});
