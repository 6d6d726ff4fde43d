/**
 * `readRecords`: selection records from files, globs, standard input or any stream, one at a time.
 */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { glob } from "tinyglobby";
import { readErrorCode } from "../../core/error-code.js";
import { selectionRecordSchema } from "../../core/record.js";
import type { SelectionRecord } from "../../core/record.js";
import { ToolSieveError } from "../../errors.js";
import { readLines } from "./read-lines.js";
import type { Chunk } from "./read-lines.js";

const chunkBytes = 1024 * 1024;

/** How much of a log could not be read. */
export interface ReadCounts {
  /** Lines that are not JSON: torn, cut off or damaged. */
  readonly malformedLines: number;
  /** JSON that is not a selection record of a known version. */
  readonly foreignRecords: number;
}

/** Records, and how many lines were none; the counts are complete after the last record. */
export interface RecordLog extends AsyncIterable<SelectionRecord> {
  readonly counts: ReadCounts;
  /** Bytes read so far, before decompression. */
  readonly bytesRead: number;
}

/** Bytes or text in pieces of any size, or parsed records. */
export type RecordStream = AsyncIterable<Chunk | object> | Iterable<Chunk | object>;

/** A path, a glob, `-` for standard input, several of these, or a stream. */
export type ReadSource = string | URL | readonly (string | URL)[] | RecordStream;

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** The files of a path or glob, in the order of their names; `-` stays. */
async function listPaths(place: string | URL): Promise<readonly string[]> {
  const path = place instanceof URL ? fileURLToPath(place) : place;
  if (path === "-" || (await exists(path))) return [path];
  const found = await glob(path, { absolute: true, expandDirectories: false, dot: true });
  if (found.length === 0) throw new ToolSieveError(`No file matches ${JSON.stringify(path)}.`);
  return found.sort();
}

/** The files of several places, each once: a file named twice, or by two globs, is one log. */
async function listFiles(places: readonly (string | URL)[]): Promise<readonly string[]> {
  const paths = (await Promise.all(places.map(listPaths))).flat();
  return [...new Set(paths.map((path) => (path === "-" ? path : resolve(path))))];
}

const isPlace = (value: unknown): value is string | URL =>
  typeof value === "string" || value instanceof URL;

function listPlaces(source: ReadSource): readonly (string | URL)[] | null {
  if (isPlace(source)) return [source];
  return Array.isArray(source) && source.length > 0 && source.every(isPlace) ? source : null;
}

const isChunk = (value: unknown): value is Chunk =>
  typeof value === "string" || value instanceof Uint8Array;

class RecordReader implements RecordLog {
  readonly #source: ReadSource;
  readonly counts = { malformedLines: 0, foreignRecords: 0 };
  bytesRead = 0;

  constructor(source: ReadSource) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SelectionRecord> {
    const places = listPlaces(this.#source);
    if (places === null) {
      yield* this.#readStream(this.#source as RecordStream);
      return;
    }
    for (const path of await listFiles(places)) yield* this.#readFile(path);
  }

  async *#readFile(path: string): AsyncGenerator<SelectionRecord> {
    const file =
      path === "-" ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes });
    try {
      yield* this.#readLines(file as AsyncIterable<Chunk>);
    } catch (cause) {
      const reason = readErrorCode(cause) ?? "unknown error";
      throw new ToolSieveError(`Cannot read ${path}: ${reason}.`, { cause });
    }
  }

  /** Reads a stream of chunks or of records; its first item decides which. */
  async *#readStream(stream: RecordStream): AsyncGenerator<SelectionRecord> {
    const items = (async function* () {
      yield* stream;
    })();
    const first = await items.next();
    if (first.done === true) return;
    const rest = (async function* () {
      try {
        yield first.value;
        yield* items;
      } finally {
        await items.return(undefined);
      }
    })();
    if (isChunk(first.value)) {
      yield* this.#readLines(rest as AsyncIterable<Chunk>);
      return;
    }
    for await (const value of rest) {
      const record = this.#check(value);
      if (record !== null) yield record;
    }
  }

  async *#readLines(chunks: AsyncIterable<Chunk>): AsyncGenerator<SelectionRecord> {
    for await (const lines of readLines(this.#countBytes(chunks))) {
      for (const line of lines) {
        const record = this.#parse(line);
        if (record !== null) yield record;
      }
    }
  }

  async *#countBytes(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    for await (const chunk of chunks) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  #parse(line: string): SelectionRecord | null {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.counts.malformedLines++;
      return null;
    }
    return this.#check(value);
  }

  #check(value: unknown): SelectionRecord | null {
    const parsed = selectionRecordSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    this.counts.foreignRecords++;
    return null;
  }
}

/**
 * Reads selection records, one at a time, in constant memory. Gzip is recognised by its first
 * bytes; a byte order mark, blank lines and a torn last line do no harm.
 *
 * @param source a path or glob of JSONL files, `-` for standard input, an array of these, or a
 * stream of bytes, text or records.
 * @returns an async iterable with `counts`: lines that are not JSON, and JSON that is no record of
 * a known version.
 * @throws while it is read: {@link ToolSieveError} if a glob matches no file, or a file cannot be
 * read; and whatever a stream throws.
 * @example
 * ```ts
 * const log = readRecords(["logs/*.jsonl", "logs/*.jsonl.gz"]);
 * for await (const record of log) console.log(record.time, record.status);
 * console.log(log.counts.malformedLines);
 * ```
 */
export function readRecords(source: ReadSource): RecordLog {
  return new RecordReader(source);
}
