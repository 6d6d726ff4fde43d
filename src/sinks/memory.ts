/** A sink that keeps records in memory: for tests and for a look at a single run. */

import type { SelectionRecord } from "../core/record.js";
import type { Sink } from "../core/types.js";

/** A sink whose records can be read back. */
export interface MemorySink extends Sink {
  /** Every record written so far, oldest first; a live view. */
  readonly records: readonly SelectionRecord[];
  write(record: SelectionRecord): void;
}

/**
 * Keeps every record in memory, without a bound: for tests and short scripts, not for a server.
 *
 * @example
 * ```ts
 * const sink = memorySink();
 * const selector = createToolSelector({ sinks: sink });
 * // … turns …
 * console.log(sink.records.map((record) => record.reason));
 * ```
 */
export function memorySink(): MemorySink {
  const records: SelectionRecord[] = [];
  return {
    records,
    write(record) {
      records.push(record);
    },
  };
}
