/** Runs what must not harm whoever runs it: a user's logger, observer or hook. */

/**
 * Runs a function now; what it throws, and what a promise that it returns rejects with, goes to `onFailure`.
 *
 * Never throws. `quietly(() => value)` takes the rejection of a promise that came where a plain value was expected, which would
 * otherwise end the process.
 */
export function quietly(run: () => unknown, onFailure: () => void = () => undefined): void {
  (async () => run())().catch(onFailure);
}
