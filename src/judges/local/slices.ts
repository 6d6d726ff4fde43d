/** Works through a list in slices, so that the event loop is never held for more than a few milliseconds. */

const sliceMs = 4;
const stepsPerCheck = 8;

function nextTask(): Promise<void> {
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

/**
 * A clock for one piece of sliced work: `await pause()` often; it yields to the event loop once four milliseconds have passed.
 *
 * @throws the signal's reason, once it is aborted.
 */
export function createSlices(signal: AbortSignal): { pause(): Promise<void> | undefined } {
  let since = performance.now();
  let steps = 0;
  const yieldNow = async (): Promise<void> => {
    await nextTask();
    signal.throwIfAborted();
    since = performance.now();
  };
  return {
    pause() {
      steps += 1;
      if (steps % stepsPerCheck !== 0 || performance.now() - since < sliceMs) return undefined;
      return yieldNow();
    },
  };
}
