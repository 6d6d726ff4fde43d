/** Calls a user's callback whose answer is needed at once. */

import { quietly } from "./quietly.js";

/** An answer that is not used may be a promise; its rejection must not end the process. */
export function ignoreRejection(answer: unknown): void {
  quietly(() => answer);
}

/**
 * The answer of a callback; `undefined` if it throws or answers something invalid, such as a
 * promise.
 */
export function callSafely<T>(
  callback: () => unknown,
  isValid: (answer: unknown) => answer is T,
): T | undefined {
  try {
    const answer = callback();
    if (isValid(answer)) return answer;
    ignoreRejection(answer);
  } catch {
    // The caller handles `undefined`.
  }
  return undefined;
}

export const isString = (value: unknown): value is string => typeof value === "string";
