/** Waiting that ends when a signal does, whatever the other side makes of the signal. */

/**
 * Settles as `work` does, or rejects with the signal's reason once it aborts. Work that settles later is ignored, its
 * rejection included.
 */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    const settle =
      <V>(finish: (value: V) => void) =>
      (value: V): void => {
        signal.removeEventListener("abort", onAbort);
        finish(value);
      };
    work.then(settle(resolve), settle(reject));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Waits; rejects with the signal's reason, and leaves no timer, once it aborts. */
export async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, delayMs);
  });
  try {
    await untilAborted(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
