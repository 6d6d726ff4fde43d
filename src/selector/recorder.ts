/**
 * Hands records to the sinks without delaying a turn; failures are counted, and warned about once.
 */

import { completeRecord } from "../core/build-record.js";
import type { StepOutcome } from "../core/build-record.js";
import { quietly } from "../core/quietly.js";
import type { SelectionRecord } from "../core/record.js";
import { waitAtMost } from "../core/timers.js";
import type { Sink } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";

export interface Recorder {
  /** How often a sink failed, or took no record because too many of its writes were open. */
  readonly failures: number;
  /** Adds the outcome and hands the record to every sink. Never throws, never waits. */
  emit(record: SelectionRecord, outcome: StepOutcome | null): void;
  /** Starts work that `flush` waits for; its errors are warned about. */
  track(work: () => Promise<void>): void;
  /** Waits for tracked work, then for the sinks; at most `timeoutMs`. Never rejects. */
  flush(timeoutMs: number): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

/** Writes that one sink may have open; a stalled sink must not fill the memory. */
const maxOpenWrites = 10_000;

/** Wraps a sink so that it neither throws nor rejects; its failures are reported. */
function createOutlet(sink: Sink, onFailure: () => void) {
  const open = new Set<Promise<void>>();

  async function guard(work: () => void | Promise<void> | undefined): Promise<void> {
    try {
      await work();
    } catch {
      onFailure();
    }
  }

  return {
    async write(record: SelectionRecord): Promise<void> {
      if (open.size >= maxOpenWrites) return onFailure();
      const writing = guard(() => sink.write(record));
      open.add(writing);
      await writing;
      open.delete(writing);
    },
    async flush(): Promise<void> {
      await Promise.all(open);
      await guard(() => sink.flush?.());
    },
    close: () => guard(() => sink.close?.()),
  };
}

export function createRecorder(
  sinks: readonly Sink[],
  warn: Warn,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): Recorder {
  const inFlight = new Set<Promise<unknown>>();
  let failures = 0;
  const outlets = sinks.map((sink) =>
    createOutlet(sink, () => {
      failures += 1;
      warn("sink", "A sink failed, or is too slow; turns are not affected. Said once, counted.");
    }),
  );

  function keepAlive(work: Promise<unknown>): void {
    quietly(
      () => waitUntil?.(work),
      () => warn("waitUntil", "`waitUntil` failed; turns are not affected."),
    );
  }

  /** Shadow work that ends may have started more of it. */
  async function drain(): Promise<void> {
    while (inFlight.size > 0) await Promise.all(inFlight);
    await Promise.all(outlets.map((outlet) => outlet.flush()));
  }

  const flush = async (timeoutMs: number): Promise<void> => {
    await waitAtMost(timeoutMs, drain(), () => undefined);
  };

  return {
    get failures() {
      return failures;
    },
    emit(record, outcome) {
      quietly(
        () => {
          const complete = completeRecord(record, outcome);
          if (outlets.length === 0) return;
          keepAlive(Promise.all(outlets.map((outlet) => outlet.write(complete))));
        },
        () => warn("internal", "A record could not be completed; the turn is not affected."),
      );
    },
    track(work) {
      const running = work().catch(() =>
        warn("internal", "A shadow selection failed; the turn is not affected."),
      );
      inFlight.add(running);
      void running.finally(() => inFlight.delete(running));
      keepAlive(running);
    },
    flush,
    async close(timeoutMs) {
      await flush(timeoutMs);
      const closing = Promise.all(outlets.map((outlet) => outlet.close()));
      await waitAtMost<unknown>(timeoutMs, closing, () => undefined);
    },
  };
}
