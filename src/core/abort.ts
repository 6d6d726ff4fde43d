/** Waiting that ends when a signal does, whatever the other side makes of the signal. */

/** The reason of a signal that ends a turn's judging early: no answer that is still open could change the selection. */
export const notAwaited = Symbol("not-awaited");

interface Waiters {
  readonly callbacks: Set<() => void>;
  /** The one listener that they share: from the eleventh on, Node warns of a leak. */
  readonly notify: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiters>();

function waitersOf(signal: AbortSignal): Waiters {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const notify = (): void => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener("abort", notify, { once: true });
  waiting.set(signal, { callbacks, notify });
  return { callbacks, notify };
}

/** Calls back when the signal aborts; returns how to stop waiting for that. The last one to leave takes the listener along. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, notify } = waitersOf(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener("abort", notify);
    waiting.delete(signal);
  };
}

/**
 * Settles as `work` does, or rejects with the signal's reason once it aborts. Work that settles later is ignored, its
 * rejection included.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    const leave = signal.aborted ? give() : onAbort(signal, give);
    const settle =
      <V>(finish: (value: V) => void) =>
      (value: V): void => {
        leave?.();
        finish(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
