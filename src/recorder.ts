/** Hands records to the sinks: never in a turn's way, failures counted, warned about once. */

import { completeRecord } from "./core/build-record.js";
import type { StepOutcome } from "./core/build-record.js";
import { quietly } from "./core/quietly.js";
import type { SelectionRecord } from "./core/record.js";
import type { Sink } from "./core/types.js";
import type { Warn } from "./turn-policy.js";

export interface Recorder {
  /** Adds the outcome and hands the record to every sink; the promise settles when all have taken it, and never rejects. */
  emit(record: SelectionRecord, outcome: StepOutcome | null): Promise<void>;
  /** Keeps track of work that `flush` waits for. It must not reject. */
  track(work: Promise<unknown>): void;
  /** Waits for tracked work, then for the sinks; at most `timeoutMs`. Never rejects. */
  flush(timeoutMs: number): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

function settle(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    work.then(finish, finish);
  });
}

export function createRecorder(
  sinks: readonly Sink[],
  warn: Warn,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): Recorder {
  const inFlight = new Set<Promise<unknown>>();
  let failures = 0;

  async function guard(work: () => void | Promise<void> | undefined): Promise<void> {
    try {
      await work();
    } catch {
      failures += 1;
      warn("sink", `A sink failed (${failures} so far); turns are not affected. Said once.`);
    }
  }

  function completed(record: SelectionRecord, outcome: StepOutcome | null): SelectionRecord | null {
    try {
      return completeRecord(record, outcome);
    } catch {
      warn("internal", "A record could not be completed; the turn is not affected.");
      return null;
    }
  }

  function track(work: Promise<unknown>): void {
    inFlight.add(work);
    void work.finally(() => inFlight.delete(work));
    quietly(
      () => waitUntil?.(work),
      () => warn("waitUntil", "`waitUntil` failed; turns are not affected."),
    );
  }

  /** Shadow work that ends may have started writes, which are tracked in turn. */
  async function drain(): Promise<void> {
    while (inFlight.size > 0) await Promise.all(inFlight);
    await Promise.all(sinks.map((sink) => guard(() => sink.flush?.())));
  }

  const flush = (timeoutMs: number): Promise<void> => settle(drain(), timeoutMs);

  return {
    async emit(record, outcome) {
      const complete = completed(record, outcome);
      if (complete === null || sinks.length === 0) return;
      const writing = Promise.all(sinks.map((sink) => guard(() => sink.write(complete))));
      track(writing);
      await writing;
    },
    track,
    flush,
    async close(timeoutMs) {
      await flush(timeoutMs);
      await settle(Promise.all(sinks.map((sink) => guard(() => sink.close?.()))), timeoutMs);
    },
  };
}
