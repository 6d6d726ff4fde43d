/**
 * How fast the report reads: a log of a stated size from a file, and the same records from a
 * Postgres table if a URL is given. Prints a table in Markdown.
 *
 * `npx tsx bench/report-throughput.ts [MEGABYTES] [TOOLS] [POSTGRES_URL] >
 * bench/report-throughput.md`
 */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { postgresSink } from "../src/postgres.js";
import { readPostgresRecords } from "../src/report/records/read-postgres-records.js";
import { readRecords } from "../src/report/records/read-records.js";
import type { RecordLog } from "../src/report/records/read-records.js";
import { summarize } from "../src/report/summarize.js";
import { syntheticLog } from "../test/support/logs.js";

const megabytes = Number(process.argv[2] ?? 1000);
const tools = Number(process.argv[3] ?? 40);
const postgresUrl = process.argv[4];
const batchSize = 1000;

/** Batches of a log that is as large as JSON lines as was asked for. */
function* makeBatches() {
  let bytes = 0;
  let batch = [];
  const log = syntheticLog({ threads: Infinity, turnsPerThread: 8, tools, seed: 1 });
  for (const record of log) {
    bytes += JSON.stringify(record).length + 1;
    batch.push(record);
    const isEnd = bytes >= megabytes * 1e6;
    if (!isEnd && batch.length < batchSize) continue;
    yield batch;
    batch = [];
    if (isEnd) return;
  }
}

async function writeFile(path: string): Promise<void> {
  const file = createWriteStream(path);
  for (const batch of makeBatches()) {
    const text = batch.map((record) => `${JSON.stringify(record)}\n`).join("");
    if (!file.write(text)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

async function writeTable(connectionString: string, table: string): Promise<void> {
  const sink = postgresSink({ connectionString, table });
  for (const batch of makeBatches()) {
    await Promise.all(batch.map((record) => sink.write(record)));
  }
  await sink.close();
}

/** Reads once, and describes that as a row of the table. */
async function measure(name: string, log: RecordLog): Promise<string> {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const load = loadavg()[0] ?? 0;
  const start = { time: performance.now(), cpu: process.cpuUsage() };
  const { records, judged } = await summarize(log);
  const seconds = (performance.now() - start.time) / 1000;
  const cpu = process.cpuUsage(start.cpu);
  clearInterval(watch);
  const cells = [
    name,
    records.toLocaleString("en-US"),
    (judged?.netSaving.units ?? 0).toLocaleString("en-US"),
    `${seconds.toFixed(1)} s`,
    `**${Math.round(megabytes / seconds)} MB/s**`,
    `${Math.round(megabytes / ((cpu.user + cpu.system) / 1e6))} MB`,
    `${Math.round(peak / 1e6)} MB`,
    load.toFixed(1),
  ];
  return `| ${cells.join(" | ")} |`;
}

async function measureFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolsieve-throughput-"));
  try {
    const path = join(folder, "log.jsonl");
    await writeFile(path);
    return await measure("file", readRecords(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureTable(connectionString: string): Promise<string> {
  const table = `throughput_${process.pid}`;
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    await writeTable(connectionString, table);
    return await measure("Postgres", readPostgresRecords({ connectionString, table }));
  } finally {
    await pool.query(`DROP TABLE IF EXISTS ${table}`);
    await pool.end();
  }
}

const rows = [await measureFile()];
if (postgresUrl !== undefined) rows.push(await measureTable(postgresUrl));
process.stdout.write(
  [
    "# Throughput of the report",
    "",
    `\`npx tsx bench/report-throughput.ts ${process.argv.slice(2, 4).join(" ")}${postgresUrl === undefined ? "" : " POSTGRES_URL"}\` on Node ${process.versions.node}, ${availableParallelism()} cores: \`summarize\` over ${megabytes} MB of JSON lines with`,
    `${tools} tools per record. The memory includes what wrote the log; the load is that of the machine when the read began.`,
    "",
    "| from | records | threads | time | speed | per CPU second of this process | memory, at most | load |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
    "",
  ].join("\n"),
);
