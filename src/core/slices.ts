/**
 * Works through a list in slices, so that the event loop is never held for more than a few
 * milliseconds.
 */

/** How long the event loop may be held, in milliseconds; the step under way comes on top. */
const sliceMs = 3;

/** Lets other work run: timers, sockets, a model request that was just issued. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") {
      setImmediate(resolve);
      return;
    }
    if (typeof MessageChannel === "function") {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => {
        port1.close();
        resolve();
      });
      port1.start();
      port2.postMessage(null);
      return;
    }
    setTimeout(resolve, 0);
  });
}

/** Paces a piece of work. */
export interface Slices {
  /** Call after every small step; wait for what it returns. */
  pause(): Promise<void> | undefined;
}

/**
 * A clock for one piece of sliced work: `await pause()` often; it yields to the event loop once a
 * few milliseconds have passed.
 *
 * @throws the signal's reason, once it is aborted.
 */
export function createSlices(signal: AbortSignal): Slices {
  let since = performance.now();
  const yieldNow = async (): Promise<void> => {
    await yieldToEventLoop();
    signal.throwIfAborted();
    since = performance.now();
  };
  return {
    pause() {
      return performance.now() - since < sliceMs ? undefined : yieldNow();
    },
  };
}
