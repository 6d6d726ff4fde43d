/** Timers as promises. None is left behind when what it waits for ends earlier. */

import { untilAborted } from "./abort.js";

/** Resolves after `delayMs`; rejects with the signal's reason as soon as that aborts. */
export async function wait(delayMs: number, signal: AbortSignal): Promise<void> {
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

/** Settles as `work` does, or as `onTimeout` says after `timeoutMs`. */
export async function waitAtMost<T>(
  timeoutMs: number,
  work: Promise<T>,
  onTimeout: () => T,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([work, elapsed.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
