/**
 * A sink that appends each record as one JSON line to a file; safe under crashes and with several
 * processes.
 */

import { randomBytes } from "node:crypto";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { readErrorCode } from "../core/error-code.js";
import { booleanOption, integerFrom, parseOptions } from "../core/parse-options.js";
import type { SelectionRecord } from "../core/record.js";
import type { Sink } from "../core/types.js";
import { ToolSieveError } from "../errors.js";
import { createQueue, queueOptionFields, type SinkStats } from "./queue.js";

const pathSchema = z.strictObject({
  path: z
    .string("the path of a file")
    .regex(/^[^\0]*[^\0/\\]$/, "the path of a file, without NUL and without a trailing separator"),
});

const optionsSchema = z.strictObject({
  ...queueOptionFields,
  /** Without it, every process appends to the one file at `path`. */
  rotate: z
    .strictObject(
      {
        /**
         * A file that would grow beyond this many bytes is followed by a new one.
         * @default 67_108_864
         */
        maxBytes: integerFrom(1).default(64 * 1024 * 1024),
        /**
         * Begin a new file with each day (UTC).
         * @default true
         */
        daily: booleanOption().default(true),
      },
      "an object like { maxBytes, daily }",
    )
    .optional(),
});

/** Options of {@link jsonlSink}. */
export type JsonlSinkOptions = z.input<typeof optionsSchema>;

/** A sink that writes JSON lines. */
export interface JsonlSink extends Required<Sink> {
  /**
   * Settles when the line is in the file, or rejects when it is lost; a turn need not wait for it.
   */
  write(record: SelectionRecord): Promise<void>;
  stats(): SinkStats;
}

/** The path of the next line. */
type NextPath = (lineBytes: number) => string;

type Rotation = NonNullable<z.output<typeof optionsSchema>["rotate"]>;

/**
 * Names the files of this process, `NAME-DAY-PID-RANDOM-COUNT.EXT`: no other process writes to
 * them, and their names sort by time.
 */
function createRotation(path: string, { maxBytes, daily }: Rotation): NextPath {
  const extension = extname(path);
  const name = basename(path, extension);
  const owner = `${process.pid}-${randomBytes(4).toString("hex")}`;
  let count = 0;
  let day = "";
  let size = 0;
  return (lineBytes) => {
    const today = new Date().toISOString().slice(0, 10);
    const isOver = size > 0 && size + lineBytes > maxBytes;
    if (count === 0 || isOver || (daily && day !== today)) {
      count += 1;
      size = 0;
      day = today;
    }
    size += lineBytes;
    const number = String(count).padStart(4, "0");
    return join(dirname(path), `${name}-${day}-${owner}-${number}${extension}`);
  };
}

const newline = 0x0a;

/** True if the last line has no end: a crash tore it, or another process is writing it. */
async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== newline;
}

/** Pauses between looks at a line without an end, in milliseconds. */
const pausesMs = [5, 20, 75, 200];

/** True if the last line stays without an end: no other process is writing it any more. */
async function endsInTornLine(file: FileHandle): Promise<boolean> {
  for (const pauseMs of pausesMs) {
    if (!(await endsInsideLine(file))) return false;
    await sleep(pauseMs);
  }
  return endsInsideLine(file);
}

/**
 * Appends a line with one `write`, so that no other writer comes in between, on a line of its own.
 * At worst a blank line, which readers skip, follows a very slow writer's.
 */
async function appendLine(file: FileHandle, line: Buffer): Promise<void> {
  const data = (await endsInTornLine(file)) ? Buffer.concat([Buffer.of(newline), line]) : line;
  const { bytesWritten } = await file.write(data);
  // The rest is not sent after it, because another process may have written meanwhile.
  if (bytesWritten < data.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
}

async function openLog(path: string): Promise<FileHandle> {
  // "a+": append, and read back the last byte.
  try {
    return await open(path, "a+", 0o600);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, "a+", 0o600);
  }
}

/**
 * Writes lines in order and keeps a file open only for the length of a batch: a log that is moved
 * or removed from outside is simply created anew, and nothing has to be closed when the process
 * ends.
 */
function createWriter(nextPath: NextPath) {
  let opened: { readonly path: string; readonly file: FileHandle } | undefined;

  async function close(): Promise<void> {
    const file = opened?.file;
    opened = undefined;
    await file?.close();
  }

  async function append(line: Buffer): Promise<ToolSieveError | null> {
    try {
      const path = nextPath(line.length);
      if (opened?.path !== path) {
        await close();
        opened = { path, file: await openLog(path) };
      }
      await appendLine(opened.file, line);
      return null;
    } catch (error) {
      return new ToolSieveError(
        `jsonlSink: a record could not be written (${readErrorCode(error) ?? "unknown error"}).`,
      );
    }
  }

  return async (lines: readonly Buffer[]): Promise<readonly (ToolSieveError | null)[]> => {
    const errors: (ToolSieveError | null)[] = [];
    for (const line of lines) errors.push(await append(line));
    await close().catch(() => undefined);
    return errors;
  };
}

/**
 * Appends each record to a file, one JSON line and one `write` each. Missing folders are created; a
 * new file is for its owner alone (mode 0600). `write` returns at once: the work happens in the
 * background, behind a bounded queue.
 *
 * - A line that a crash tore stays as it is, and the next record begins on a line of its own; this
 *   holds for a line torn by another process too. Readers count the torn one as malformed.
 * - Several processes may append to one local file. On network file systems, where appending is not
 *   atomic, use `rotate`, which gives every process its own files; read them back by glob:
 *   `shadow-*.jsonl`.
 * - A disk that is full or read-only costs records, not turns: each is counted in `stats().failed`.
 * - After a crash of the process all lines written so far are there; after a power failure the last
 *   seconds may not be.
 *
 * @param path The file; with `rotate`, the pattern of the files' names: `logs/shadow.jsonl` becomes
 * `logs/shadow-2026-12-01-4711-9f2c51c0-0001.jsonl`.
 * @throws {InvalidOptionsError} if the path or an option is wrong.
 * @throws {ToolSieveError} (as a rejection of `write`, which may be ignored) if the record was
 * lost.
 *
 * @example
 * ```ts
 * const selector = createToolSelector({ sinks: jsonlSink("logs/shadow.jsonl", { rotate: { maxBytes:
 * 50_000_000 } }) });
 * // … turns …
 * await selector.close();
 * // toolsieve report 'logs/shadow-*.jsonl'
 * ```
 */
export function jsonlSink(path: string, options?: JsonlSinkOptions): JsonlSink {
  parseOptions(pathSchema, { path }, "jsonlSink");
  // Now, so that a later change of the working directory does not move the log.
  const absolutePath = resolve(path);
  const { rotate, ...queueOptions } = parseOptions(optionsSchema, options, "jsonlSink");
  const queue = createQueue<Buffer>({
    ...queueOptions,
    name: "jsonlSink",
    maxBatch: { items: 256, bytes: 4 * 1024 * 1024 },
    deliver: createWriter(
      rotate === undefined ? () => absolutePath : createRotation(absolutePath, rotate),
    ),
    retry: { initialMs: 0, maxMs: 0 },
  });
  return {
    write(record) {
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      return queue.push(line, line.length);
    },
    flush: queue.flush,
    close: queue.close,
    stats: queue.stats,
  };
}
