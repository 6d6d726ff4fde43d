/** Calls a user's callback and swallows its errors, sync or async. */

/**
 * Runs a function now, waits for nothing, and never throws; `onFailure` is told if it throws or its
 * promise rejects.
 */
export function quietly(run: () => unknown, onFailure: () => void = () => undefined): void {
  (async () => run())().catch(onFailure);
}
