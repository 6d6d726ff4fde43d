/** What every sink that keeps records keeps to. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseSelectionRecord, type SelectionRecord } from "../../src/core/record.js";
import type { Sink } from "../../src/core/types.js";
import { jsonlSink } from "../../src/node.js";
import { postgresSink } from "../../src/postgres.js";
import { fanOut } from "../../src/sinks/fan-out.js";
import { memorySink } from "../../src/sinks/memory.js";
import { postgresServers, type TestServer } from "../support/postgres.js";
import { selectionRecord } from "../support/records.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

interface Kept {
  readonly sink: Sink;
  readonly read: () => Promise<readonly SelectionRecord[]>;
}

let server: TestServer | undefined;
let tables = 0;

beforeAll(async () => {
  server = await postgresServers[0]?.[1]();
});
afterAll(async () => {
  await server?.dispose();
});

const sinks: readonly (readonly [name: string, open: () => Promise<Kept>])[] = [
  [
    "memorySink",
    async () => {
      const sink = memorySink();
      return { sink, read: async () => sink.records };
    },
  ],
  [
    "fanOut",
    async () => {
      const memory = memorySink();
      const sink = fanOut({ write: () => Promise.resolve() }, memory);
      return { sink, read: async () => memory.records };
    },
  ],
  [
    "jsonlSink",
    async () => {
      const path = join(await temporaryDirectory(), "shadow.jsonl");
      const read = async () =>
        (await readFile(path, "utf8")).trim().split("\n").map(parseSelectionRecord);
      return { sink: jsonlSink(path), read };
    },
  ],
  [
    "postgresSink",
    async () => {
      const connectionString = server?.url ?? "";
      const table = `contract_${Date.now()}_${(tables += 1)}`;
      const read = async () => {
        const client = new pg.Client({ connectionString });
        await client.connect();
        const { rows } = await client.query<{ record: SelectionRecord }>(
          `SELECT record FROM ${table} ORDER BY seq`,
        );
        await client.end();
        return rows.map(({ record }) => record);
      };
      return { sink: postgresSink({ connectionString, table }), read };
    },
  ],
];

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null)
    Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const hostile = [
  "__proto__",
  "\n\r\u2028",
  "'; DROP TABLE x; --",
  '{"v":1}',
  "\\u0000",
  "😀\u202e",
  "",
  " ",
];

describe.each(sinks)("%s", (_, open) => {
  it("keeps every record whole and in order", async () => {
    const { sink, read } = await open();
    const records = Array.from({ length: 300 }, (_, index) =>
      selectionRecord({ id: `r-${index}` }),
    );
    for (const record of records) void sink.write(record);
    await sink.flush?.();
    expect(await read()).toEqual(records);
    await sink.close?.();
  });

  it("keeps hostile texts as they are, and changes nothing of the record it is given", async () => {
    const { sink, read } = await open();
    const records = hostile.map((text) =>
      deepFreeze(selectionRecord({ id: text, threadId: text, agent: text, request: text })),
    );
    await Promise.all(records.map(async (record) => sink.write(record)));
    expect(await read()).toEqual(records);
    await sink.close?.();
  });

  it("can be flushed and closed with nothing written, and more than once", async () => {
    const { sink } = await open();
    await sink.flush?.();
    await sink.flush?.();
    await sink.close?.();
    await expect(sink.close?.() ?? Promise.resolve()).resolves.toBeUndefined();
  });
});
