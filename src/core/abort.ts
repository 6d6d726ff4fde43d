/** Settles with a promise, or rejects as soon as a signal aborts. */

/**
 * The abort reason that ends judging early: no answer that is still open could change the
 * selection.
 */
export const notAwaited = Symbol("not-awaited");

interface AbortListeners {
  readonly callbacks: Set<() => void>;
  /** One listener for all of them: from the eleventh on, Node warns of a leak. */
  readonly notify: () => void;
}

const listenersBySignal = new WeakMap<AbortSignal, AbortListeners>();

function getListeners(signal: AbortSignal): AbortListeners {
  const known = listenersBySignal.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const notify = (): void => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener("abort", notify, { once: true });
  listenersBySignal.set(signal, { callbacks, notify });
  return { callbacks, notify };
}

/**
 * Calls back when the signal aborts. Returns a function that removes the callback, and the listener
 * with the last one.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, notify } = getListeners(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener("abort", notify);
    listenersBySignal.delete(signal);
  };
}

/**
 * Settles as `work` does, or rejects with the signal's reason once it aborts. Work that settles
 * later is ignored, its rejection included.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectWithReason = (): void => reject(signal.reason as Error);
    const removeListener = signal.aborted ? rejectWithReason() : onAbort(signal, rejectWithReason);
    const settle =
      <V>(finish: (value: V) => void) =>
      (value: V): void => {
        removeListener?.();
        finish(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
