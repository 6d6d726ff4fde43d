import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { readRecords } from "../../../src/report/records/read-records.js";
import type { ReadSource } from "../../../src/report/records/read-records.js";
import { shadowRecord, threads, tool } from "../../support/logs.js";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolsieve-read-"));
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

const linesOf = (records: readonly SelectionRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

async function readAll(source: ReadSource) {
  const log = readRecords(source);
  const records: SelectionRecord[] = [];
  for await (const record of log) records.push(record);
  return { records, ids: records.map(({ id }) => id), ...log.counts };
}

const three = threads(3);
const ids = three.map(({ id }) => id);

describe("sources", () => {
  it.each([
    ["a file", linesOf(three)],
    ["a file without a last line end", linesOf(three).trimEnd()],
    ["a file with Windows line ends", linesOf(three).replaceAll("\n", "\r\n")],
    ["a gzip file, by its first bytes", gzipSync(linesOf(three))],
    ["a file of several gzip members", Buffer.concat(three.map((one) => gzipSync(linesOf([one]))))],
  ])("reads %s", async (name, content) => {
    const path = join(folder, `${name.replaceAll(/\W/g, "-")}.jsonl`);
    await writeFile(path, content);
    for (const source of [
      path,
      pathToFileURL(path),
      [path],
      createReadStream(path, { highWaterMark: 7 }),
    ]) {
      expect(await readAll(source)).toMatchObject({ ids, malformedLines: 0, foreignRecords: 0 });
    }
  });

  it("reads the files of a glob in the order of their names, packed or not", async () => {
    await mkdir(join(folder, "many/deep"), { recursive: true });
    const [a, b, c] = three as [SelectionRecord, SelectionRecord, SelectionRecord];
    await writeFile(join(folder, "many/2.jsonl"), linesOf([b]));
    await writeFile(join(folder, "many/1.jsonl"), linesOf([a]));
    await writeFile(join(folder, "many/deep/3.jsonl.gz"), gzipSync(linesOf([c])));
    await writeFile(join(folder, "many/notes.txt"), "not a log");
    expect((await readAll(join(folder, "many/**/*.jsonl*"))).ids).toEqual(ids);
  });

  it("reads a file once, however often it is named", async () => {
    const path = join(folder, "once.jsonl");
    await writeFile(path, linesOf(three));
    const again = [
      path,
      pathToFileURL(path),
      join(folder, "./once.jsonl"),
      join(folder, "on*.jsonl"),
    ];
    expect(await readAll(again)).toMatchObject({ ids });
  });

  it("reads a file whose name looks like a glob", async () => {
    const path = join(folder, "log[1].jsonl");
    await writeFile(path, linesOf(three));
    expect((await readAll(path)).ids).toEqual(ids);
  });

  it("reads records, and chunks of text or bytes, from any iterable", async () => {
    const text = linesOf(three);
    const pieces = async function* (): AsyncGenerator<string> {
      for (const piece of text.match(/[^]{1,11}/g) ?? []) yield piece;
    };
    const empty = async function* (): AsyncGenerator<string> {};
    expect((await readAll(three)).ids).toEqual(ids);
    expect((await readAll(new Set(three))).ids).toEqual(ids);
    expect((await readAll(pieces())).ids).toEqual(ids);
    expect((await readAll([new TextEncoder().encode(text)])).ids).toEqual(ids);
    expect(await readAll(empty())).toMatchObject({ ids: [], malformedLines: 0 });
    expect((await readAll([])).ids).toEqual([]);
  });

  it.each([
    ["a glob without a match", "nothing-*.jsonl", /No file matches/],
    ["a file that is not there", "missing.jsonl", /No file matches/],
    ["a folder", "", /EISDIR/],
  ])("says what is wrong with %s", async (_, name, message) => {
    await expect(readAll(join(folder, name))).rejects.toThrow(message);
  });

  it("closes the file when the reader stops early", async () => {
    const path = join(folder, "early.jsonl");
    await writeFile(path, linesOf(threads(2000)));
    const stream = createReadStream(path);
    for await (const record of readRecords(stream)) {
      expect(record.v).toBe(1);
      break;
    }
    expect(stream.destroyed).toBe(true);
  });
});

describe("damage", () => {
  it("a torn last line is counted, and takes nothing that follows on a fresh line", async () => {
    const path = join(folder, "torn.jsonl");
    await writeFile(path, `${linesOf(three.slice(0, 1))}{"v":1,"id":"to`);
    expect(await readAll(path)).toMatchObject({ ids: ids.slice(0, 1), malformedLines: 1 });
    await appendFile(path, `\n${linesOf(three.slice(1))}`);
    expect(await readAll(path)).toMatchObject({ ids, malformedLines: 1 });
  });

  it("an empty file, blank lines and byte order marks do no harm", async () => {
    const path = join(folder, "blank.jsonl");
    await writeFile(path, "");
    expect(await readAll(path)).toMatchObject({ ids: [], malformedLines: 0 });
    await writeFile(
      path,
      `\uFEFF\n  \n\uFEFF${linesOf(three.slice(0, 1))}\r\n\t\n\uFEFF${linesOf(three.slice(1))}\n\n`,
    );
    expect(await readAll(path)).toMatchObject({ ids, malformedLines: 0, foreignRecords: 0 });
  });

  it("tells lines that are not JSON from JSON that is no record", async () => {
    const foreign = [
      {},
      [],
      null,
      5,
      "text",
      { v: 2 },
      { ...shadowRecord(), v: 2 },
      { ...shadowRecord(), tools: {} },
    ];
    const text = [...foreign.map((value) => JSON.stringify(value)), "nonsense", "{", "\0\0\0"].join(
      "\n",
    );
    expect(await readAll([Buffer.from(`${text}\n${linesOf(three)}`)])).toMatchObject({
      ids,
      malformedLines: 3,
      foreignRecords: foreign.length,
    });
    expect(await readAll([...three, { v: 2 }])).toMatchObject({ ids, foreignRecords: 1 });
  });

  it("a gzip file that was cut off is read to its end; one that is damaged is an error", async () => {
    const packed = gzipSync(linesOf(threads(500)));
    const cut = join(folder, "cut.gz");
    await writeFile(cut, packed.subarray(0, packed.length - 200));
    const { records, malformedLines } = await readAll(cut);
    expect(records.length).toBeGreaterThan(100);
    expect(malformedLines).toBeLessThanOrEqual(1);
    packed.fill(0xff, 50, 400);
    await writeFile(cut, packed);
    await expect(readAll(cut)).rejects.toThrow();
  });

  it("skips a line that is too long to be a record, in bounded memory", async () => {
    const long = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(linesOf(three.slice(0, 1)));
      for (let piece = 0; piece < 80; piece++) yield Buffer.alloc(1024 * 1024, "x");
      yield Buffer.from(`\n${linesOf(three.slice(1))}`);
    };
    expect(await readAll(long())).toMatchObject({ ids, malformedLines: 1 });
  });

  it("survives truncation at any byte, wherever chunks begin", async () => {
    const odd = shadowRecord({
      tools: [tool('查天气 "\n🙂', 0.5)],
      outcome: { called: ["查天气"] },
    });
    const bytes = Buffer.from(linesOf([odd, ...three]));
    const starts = [
      0,
      ...[...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length }),
        fc.integer({ min: 1, max: 900 }),
        async (end, size) => {
          const kept = bytes.subarray(0, end);
          const chunks = async function* (): AsyncGenerator<Buffer> {
            for (let at = 0; at < kept.length; at += size) yield kept.subarray(at, at + size);
          };
          const { records, malformedLines } = await readAll(chunks());
          const whole = [odd, ...three].filter((_, index) => (starts[index + 1] ?? 0) - 1 <= end);
          expect(records).toEqual(whole);
          const isTorn = end > 0 && !starts.includes(end) && !starts.includes(end + 1);
          expect(malformedLines).toBe(isTorn ? 1 : 0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
