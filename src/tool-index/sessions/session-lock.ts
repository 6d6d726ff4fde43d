/**
 * Lets many read or one write at a time, in the order of arrival, so that neither waits for ever.
 */

import { untilAborted } from "../../core/abort.js";

export interface SessionLock {
  /** Runs with others that read. */
  read<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Runs alone. */
  write<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Settles when a promise has, and never rejects. */
const settle = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

/**
 * Creates a lock. A wait ends with the signal's reason when it aborts; work that has begun holds
 * the lock until it has really ended, even if its caller has left.
 */
export function createSessionLock(): SessionLock {
  let lastWrite: Promise<void> = Promise.resolve();
  let reads: Promise<void> = Promise.resolve();

  function run<T>(work: () => Promise<T>, turn: Promise<void>, signal: AbortSignal) {
    const started = turn.then(() => {
      signal.throwIfAborted();
      return work();
    });
    return { result: untilAborted(started, signal), end: settle(started) };
  }

  return {
    read(work, signal) {
      const { result, end } = run(work, lastWrite, signal);
      reads = Promise.all([reads, end]).then(() => undefined);
      return result;
    },
    write(work, signal) {
      const turn = Promise.all([lastWrite, reads]).then(() => undefined);
      const { result, end } = run(work, turn, signal);
      lastWrite = end;
      return result;
    },
  };
}
