/**
 * Writes a log of a stated size, summarizes it, and prints megabytes per second and the peak of the
 * memory.
 */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecords } from "../src/report/records/read-records.js";
import { summarize } from "../src/report/summarize.js";
import { syntheticLog } from "../test/support/logs.js";

const megabytes = Number(process.argv[2] ?? 1000);
const tools = Number(process.argv[3] ?? 40);

async function writeLog(path: string): Promise<number> {
  const file = createWriteStream(path);
  let bytes = 0;
  let lines: string[] = [];
  const log = syntheticLog({ threads: Infinity, turnsPerThread: 8, tools, seed: 1 });
  for (const record of log) {
    const line = `${JSON.stringify(record)}\n`;
    bytes += line.length;
    lines.push(line);
    if (lines.length < 1000 && bytes < megabytes * 1e6) continue;
    if (!file.write(lines.join(""))) await once(file, "drain");
    lines = [];
    if (bytes >= megabytes * 1e6) break;
  }
  file.end();
  await once(file, "close");
  return bytes;
}

const folder = await mkdtemp(join(tmpdir(), "toolsieve-throughput-"));
try {
  const path = join(folder, "log.jsonl");
  const bytes = await writeLog(path);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const before = performance.now();
  const summary = await summarize(readRecords(path));
  const seconds = (performance.now() - before) / 1000;
  clearInterval(watch);
  process.stdout.write(
    `${summary.records} records of ${tools} tools, ${Math.round(bytes / 1e6)} MB: ${seconds.toFixed(1)} s, ` +
      `${Math.round(bytes / 1e6 / seconds)} MB/s, at most ${Math.round(peak / 1e6)} MB resident ` +
      `(verdict ${summary.verdict}, ${summary.judged?.units ?? 0} units)\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
