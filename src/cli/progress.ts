/**
 * Progress of a long read on stderr: one line that is rewritten on a terminal, a line every ten
 * seconds elsewhere.
 */

import { formatCount } from "../core/format.js";

const firstAfterMs = 1000;
const betweenMs = { terminal: 200, file: 10_000 } as const;

export interface Progress {
  /** Shows the progress; most calls print nothing. */
  update(text: string): void;
  /** Clears the line. */
  done(): void;
}

/** @param now epoch milliseconds; a seam for tests. */
export function createProgress(
  stream: NodeJS.WriteStream = process.stderr,
  now: () => number = Date.now,
): Progress {
  const isTerminal = stream.isTTY;
  const pause = isTerminal ? betweenMs.terminal : betweenMs.file;
  let next = now() + Math.max(firstAfterMs, isTerminal ? 0 : pause);
  let isShown = false;
  return {
    update(text) {
      if (now() < next) return;
      next = now() + pause;
      isShown = true;
      stream.write(isTerminal ? `\r\u001B[K${text}` : `${text}\n`);
    },
    done() {
      if (isTerminal && isShown) stream.write("\r\u001B[K");
    },
  };
}

/** "120,000 records, 512 MB". */
export function describeProgress(records: number, bytes: number): string {
  return `${formatCount(records)} records, ${formatCount(bytes / 1e6)} MB`;
}
