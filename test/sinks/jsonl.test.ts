import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseSelectionRecord } from "../../src/core/record.js";
import { InvalidOptionsError, type ToolSieveError } from "../../src/errors.js";
import { jsonlSink } from "../../src/node.js";
import { selectionRecord } from "../support/records.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const writer = fileURLToPath(new URL("../support/jsonl-writer.ts", import.meta.url));

function startWriter(...parameters: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", writer, ...parameters], { stdio: "inherit" });
}

const logPath = async (): Promise<string> => join(await temporaryDirectory(), "shadow.jsonl");
const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, "utf8")).split("\n").slice(0, -1);
const idsOf = async (path: string): Promise<readonly string[]> =>
  (await linesOf(path)).map((line) => parseSelectionRecord(line).id);

/** Runs `work` without the superuser's privileges, which no file mode can hold back. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe("jsonlSink", () => {
  it("writes each record as one JSON line, in order, and nothing else", async () => {
    const path = await logPath();
    const sink = jsonlSink(path);
    const records = ["a", "b", "c"].map((id) =>
      selectionRecord({ id, version: "line\nbreak \u2028 é 😀" }),
    );
    for (const record of records) void sink.write(record);
    await sink.flush();
    expect(await readFile(path, "utf8")).toBe(
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
    expect(sink.stats()).toEqual({ written: 3, dropped: 0, failed: 0, queued: 0 });
  });

  it("creates missing folders, and a file that only its owner can read", async () => {
    const path = join(await temporaryDirectory(), "a", "b", "shadow.jsonl");
    await jsonlSink(path).write(selectionRecord());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("appends to what an earlier process wrote", async () => {
    const path = await logPath();
    await jsonlSink(path).write(selectionRecord({ id: "a" }));
    await jsonlSink(path).write(selectionRecord({ id: "b" }));
    expect(await idsOf(path)).toEqual(["a", "b"]);
  });

  it("begins on a fresh line after a torn one", async () => {
    const path = await logPath();
    await writeFile(path, '{"ts":1,');
    await jsonlSink(path).write(selectionRecord({ id: "a" }));
    const [torn, line, ...rest] = await linesOf(path);
    expect(torn).toBe('{"ts":1,');
    expect(parseSelectionRecord(line ?? "").id).toBe("a");
    expect(rest).toEqual([]);
  });

  it("begins on a fresh line after another process tore one between two of its own", async () => {
    const path = await logPath();
    const sink = jsonlSink(path);
    await sink.write(selectionRecord({ id: "a" }));
    await appendFile(path, '{"v":1,"id":"torn');
    await sink.write(selectionRecord({ id: "b" }));
    const lines = await linesOf(path);
    expect(lines[1]).toBe('{"v":1,"id":"torn');
    expect(lines).toHaveLength(3);
    expect(parseSelectionRecord(lines[2] ?? "").id).toBe("b");
  });

  it("creates the log anew when it was moved away", async () => {
    const path = await logPath();
    const sink = jsonlSink(path);
    await sink.write(selectionRecord({ id: "a" }));
    await rename(path, `${path}.1`);
    await sink.write(selectionRecord({ id: "b" }));
    await rm(join(path, ".."), { recursive: true });
    await sink.write(selectionRecord({ id: "c" }));
    expect(await idsOf(path)).toEqual(["c"]);
  });

  it(
    "lets two processes write 2,000 records of 10 kB each to one file: 4,000 whole lines",
    { timeout: 60_000 },
    async () => {
      const path = await logPath();
      const writers = [
        startWriter(path, "2000", "10000", "x"),
        startWriter(path, "2000", "10000", "y"),
      ];
      const codes = await Promise.all(writers.map(async (child) => (await once(child, "exit"))[0]));
      expect(codes).toEqual([0, 0]);
      const ids = await idsOf(path);
      expect(ids).toHaveLength(4000);
      for (const name of ["x", "y"]) {
        expect(ids.filter((id) => id.startsWith(name))).toEqual(
          Array.from({ length: 2000 }, (_, index) => `${name}-${index}`),
        );
      }
    },
  );

  it(
    "tears at most the last line when its process is killed while it writes",
    { timeout: 60_000 },
    async () => {
      const path = await logPath();
      const child = startWriter(path, "0", "50000");
      await vi.waitFor(async () => expect((await stat(path)).size).toBeGreaterThan(2_000_000), {
        timeout: 30_000,
        interval: 20,
      });
      child.kill("SIGKILL");
      await once(child, "exit");
      await jsonlSink(path).write(selectionRecord({ id: "after" }));
      const lines = await linesOf(path);
      const malformed = lines.flatMap((line, index) => {
        try {
          parseSelectionRecord(line);
          return [];
        } catch {
          return [index];
        }
      });
      expect(lines.length).toBeGreaterThan(40);
      expect(malformed.filter((index) => index !== lines.length - 2)).toEqual([]);
      expect(parseSelectionRecord(lines.at(-1) ?? "").id).toBe("after");
    },
  );

  it(
    "counts a line that only half fits on the disk, and the next one begins on a line of its own",
    { timeout: 30_000 },
    async () => {
      const path = await logPath();
      const limited = spawn("sh", [
        "-c",
        'ulimit -f 40 && exec "$0" "$@"',
        process.execPath,
        "--import",
        "tsx",
        writer,
        path,
        "10",
        "3000",
        "limited",
      ]);
      expect((await once(limited, "exit"))[0]).toBe(1);
      await jsonlSink(path).write(selectionRecord({ id: "after" }));
      const lines = await linesOf(path);
      const whole = lines.filter((line) => line.endsWith("}"));
      expect(whole.map((line) => parseSelectionRecord(line).id)).toEqual([
        ...Array.from({ length: whole.length - 1 }, (_, index) => `limited-${index}`),
        "after",
      ]);
      expect(lines.length - whole.length).toBe(1);
      expect(whole.length).toBeGreaterThan(2);
    },
  );

  it("drops and counts what its queue cannot hold, and returns at once", async () => {
    const path = await logPath();
    const line = `${JSON.stringify(selectionRecord())}\n`;
    const sink = jsonlSink(path, { maxQueuedBytes: 2 * line.length });
    const writes = [1, 2, 3].map(() => sink.write(selectionRecord()));
    expect(existsSync(path)).toBe(false);
    const settled = await Promise.allSettled(writes);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(sink.stats()).toEqual({ written: 2, dropped: 1, failed: 0, queued: 0 });
  });
});

describe("jsonlSink on a disk that fails", () => {
  async function failWith(path: string) {
    const warn = vi.fn<(message: string) => void>();
    const onError = vi.fn<(error: ToolSieveError) => void>();
    const sink = jsonlSink(path, { logger: { warn }, onError });
    const writes = [1, 2, 3].map((number) =>
      sink.write(selectionRecord({ id: `canary-${number}` })),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(sink.stats()).toEqual({ written: 0, dropped: 0, failed: 3, queued: 0 });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledTimes(3);
    expect(JSON.stringify([warn.mock.calls, String(onError.mock.calls[0]?.[0])])).not.toContain(
      "canary",
    );
    return warn.mock.calls[0]?.[0];
  }

  it.skipIf(!existsSync("/dev/full"))(
    "counts what a full one refuses, and warns once",
    async () => {
      expect(await failWith("/dev/full")).toContain("(ENOSPC)");
    },
  );

  it("counts what a read-only folder refuses, and warns once", async () => {
    const folder = join(await temporaryDirectory(), "read-only");
    await mkdir(folder);
    await chmod(join(folder, ".."), 0o755);
    await chmod(folder, 0o555);
    await asOrdinaryUser(async () => {
      expect(await failWith(join(folder, "shadow.jsonl"))).toContain("(EACCES)");
    });
  });

  it("counts what cannot be written because a folder is in the way, and warns once", async () => {
    expect(await failWith(await temporaryDirectory())).toContain("(EISDIR)");
  });

  it("writes again, on a fresh line, once there is room", async () => {
    const path = join(await temporaryDirectory(), "logs", "shadow.jsonl");
    await writeFile(join(path, "..", "..", "logs"), "in the way");
    const sink = jsonlSink(path);
    await expect(sink.write(selectionRecord({ id: "a" }))).rejects.toThrow("(ENOTDIR)");
    await rm(join(path, ".."));
    await sink.write(selectionRecord({ id: "b" }));
    expect(await idsOf(path)).toEqual(["b"]);
    expect(sink.stats()).toMatchObject({ written: 1, failed: 1 });
  });

  it("does not end the process when nobody looks at a failed write", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    const sink = jsonlSink(await temporaryDirectory());
    void sink.write(selectionRecord());
    await sink.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("jsonlSink with rotation", () => {
  const filesOf = async (path: string): Promise<readonly string[]> =>
    (await readdir(join(path, ".."))).toSorted();

  it("begins a new file before one grows beyond its size, and their names sort in the order of writing", async () => {
    const path = await logPath();
    const bytes = JSON.stringify(selectionRecord({ id: "0" })).length + 1;
    const sink = jsonlSink(path, { rotate: { maxBytes: 2 * bytes } });
    for (const id of ["1", "2", "3", "4", "5"]) void sink.write(selectionRecord({ id }));
    await sink.flush();
    const files = await filesOf(path);
    const day = new Date().toISOString().slice(0, 10);
    const name = new RegExp(`^shadow-${day}-${process.pid}-[0-9a-f]{8}-000[123]\\.jsonl$`);
    expect(files.filter((file) => name.test(file))).toHaveLength(3);
    const contents = await Promise.all(files.map((file) => idsOf(join(path, "..", file))));
    expect(contents).toEqual([["1", "2"], ["3", "4"], ["5"]]);
  });

  it("puts a record larger than a file into a file of its own", async () => {
    const path = await logPath();
    const sink = jsonlSink(path, { rotate: { maxBytes: 10 } });
    for (const id of ["1", "2"]) void sink.write(selectionRecord({ id }));
    await sink.flush();
    expect(await filesOf(path)).toHaveLength(2);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])("with daily %s, two days make %i file(s)", async (daily, count) => {
    const path = await logPath();
    const sink = jsonlSink(path, { rotate: { daily } });
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-30T23:59:59.999Z") });
    await sink.write(selectionRecord());
    vi.setSystemTime(new Date("2026-12-01T00:00:00.000Z"));
    await sink.write(selectionRecord());
    const files = await filesOf(path);
    expect(files).toHaveLength(count);
    expect(files[0]).toMatch(/^shadow-2026-11-30-/);
    expect(files.at(-1)).toMatch(daily ? /^shadow-2026-12-01-/ : /^shadow-2026-11-30-/);
  });

  it("gives every sink files of its own", async () => {
    const path = await logPath();
    await jsonlSink(path, { rotate: {} }).write(selectionRecord());
    await jsonlSink(path, { rotate: {} }).write(selectionRecord());
    expect(await filesOf(path)).toHaveLength(2);
  });
});

describe("jsonlSink's options", () => {
  it.each([
    ["", undefined],
    ["a\0b", undefined],
    ["logs/", undefined],
    [null, undefined],
    [7, undefined],
    ["a.jsonl", { rotate: { maxBytes: 0 } }],
    ["a.jsonl", { rotate: { hourly: true } }],
    ["a.jsonl", { rotate: true }],
    ["a.jsonl", { maxQueuedBytes: -1 }],
    ["a.jsonl", { mode: 0o666 }],
    ["a.jsonl", { logger: {} }],
    ["a.jsonl", { onError: "log" }],
  ])("refuses %j with %j", (path, options) => {
    // @ts-expect-error: what a caller without types may pass
    expect(() => jsonlSink(path, options)).toThrow(InvalidOptionsError);
  });

  it("says what a path should be", () => {
    expect(() => jsonlSink("logs/")).toThrow(
      'Expected `path` to be the path of a file, without NUL and without a trailing separator, got `"logs/"` (string).',
    );
  });
});
