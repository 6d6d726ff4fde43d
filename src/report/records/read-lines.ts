/**
 * `readLines`: a stream of bytes as lines, in constant memory; gzip is recognised, marks and blank
 * lines are dropped.
 */

import { pipeline, Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";

const newline = 10;
/**
 * A line longer than this is no record: it is skipped, so that a file without line ends cannot fill
 * the memory.
 */
const maxLineBytes = 64 * 1024 * 1024;
const byteOrderMark = "\uFEFF";

/** A piece of a file or stream. */
export type Chunk = Uint8Array | string;

const toBuffer = (chunk: Chunk): Buffer =>
  typeof chunk === "string"
    ? Buffer.from(chunk)
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** Yields the bytes that were already taken from an iterator, then the rest of it. */
async function* putBack(head: Buffer, chunks: AsyncIterator<Chunk>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      yield toBuffer(next.value);
    }
  } finally {
    await chunks.return?.();
  }
}

/** The bytes of a source, unpacked if they begin like a gzip file. */
async function unzip(source: AsyncIterable<Chunk>): Promise<AsyncIterable<Buffer>> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, toBuffer(next.value)]);
  }
  const whole = putBack(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole;
  // A file that is still being written, or was cut off, ends where it ends: its last line is torn,
  // no more.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  pipeline(Readable.from(whole), gunzip, () => undefined);
  return gunzip;
}

/** Assembles lines from pieces of them. */
class LineBuffer {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isTooLong = false;

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#isTooLong ||= this.#bytes > maxLineBytes;
    if (this.#isTooLong) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** The line so far: `null` if blank, the empty text if it was too long. */
  take(): string | null {
    const isTooLong = this.#isTooLong;
    const [first = Buffer.alloc(0), ...more] = this.#pieces;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    this.#isTooLong = false;
    if (isTooLong) return "";
    const text = bytes.toString("utf8");
    const line = text.startsWith(byteOrderMark) ? text.slice(1) : text;
    return line.trim() === "" ? null : line;
  }
}

/**
 * The lines of a source, as many at a time as a chunk holds; blank ones are left out, and one that
 * is too long to be a record is the empty text.
 *
 * @throws what reading throws; and a zlib error for a gzip file that is damaged, not merely cut
 * off.
 */
export async function* readLines(source: AsyncIterable<Chunk>): AsyncGenerator<readonly string[]> {
  const buffer = new LineBuffer();
  for await (const chunk of await unzip(source)) {
    const lines: (string | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      buffer.push(chunk.subarray(start, end));
      lines.push(buffer.take());
      start = end + 1;
    }
    buffer.push(chunk.subarray(start));
    yield lines.filter((line) => line !== null);
  }
  const last = buffer.take();
  if (last !== null) yield [last];
}
