/**
 * Eviction strategies: which sessions' indexes are cleared, and when. Plain bookkeeping over
 * session ids.
 */

import * as z from "zod";
import { functionOption, integerFrom, parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import type { EvictionStrategy } from "../../core/types.js";
import { InvalidOptionsError } from "../../errors.js";

/**
 * Never clears a session: for a number of sessions that is known and small.
 *
 * @example
 * createToolSessions({ index, eviction: neverEvict() });
 */
export function neverEvict(): EvictionStrategy {
  return { onAccess: () => [], onRemoved: () => undefined };
}

/**
 * Clears the session itself on every access: tools are indexed anew for every search.
 *
 * @example
 * createToolSessions({ index, eviction: alwaysEvict() });
 */
export function alwaysEvict(): EvictionStrategy {
  return { onAccess: (sessionId) => [sessionId], onRemoved: () => undefined };
}

/**
 * Keeps the `max` sessions that were used last.
 *
 * @param max an integer from 1.
 * @throws {InvalidOptionsError} if it is not.
 * @example
 * createToolSessions({ index, eviction: lruEviction(1000) });
 */
export function lruEviction(max: number): EvictionStrategy {
  const limit = parseOptions(z.strictObject({ max: integerFrom(1) }), { max }, "lruEviction").max;
  /** Least recently used first. */
  const sessions = new Set<string>();
  return {
    onAccess(sessionId) {
      sessions.delete(sessionId);
      sessions.add(sessionId);
      return [...sessions].slice(0, Math.max(0, sessions.size - limit));
    },
    onRemoved(sessionId) {
      sessions.delete(sessionId);
    },
  };
}

const clockSchema = z.strictObject({
  ms: integerFrom(1),
  now: functionOption<() => number>().default(() => Date.now),
});

/**
 * Clears sessions that were not used for `ms` milliseconds. It looks at an access only, needs no
 * timer, and never clears the session that is being used.
 *
 * @param ms an integer from 1.
 * @throws {InvalidOptionsError} if it is not.
 * @example
 * createToolSessions({ index, eviction: ttlEviction(15 * 60_000) });
 */
export function ttlEviction(
  ms: number,
  options: { readonly now?: (() => number) | undefined } = {},
): EvictionStrategy {
  const { ms: timeToLive, now } = parseOptions(clockSchema, { ...options, ms }, "ttlEviction");
  /** When each session was used last; the one that has waited longest first. */
  const lastUses = new Map<string, number>();
  return {
    onAccess(sessionId) {
      const time = now();
      lastUses.delete(sessionId);
      const expired: string[] = [];
      for (const [id, lastUse] of lastUses) {
        if (time - lastUse >= timeToLive) expired.push(id);
      }
      lastUses.set(sessionId, time);
      return expired;
    },
    onRemoved(sessionId) {
      lastUses.delete(sessionId);
    },
  };
}

const strategySchema = z.array(
  z.custom<EvictionStrategy>(
    (value) =>
      typeof read(value, "onAccess") === "function" &&
      typeof read(value, "onRemoved") === "function",
    "an eviction strategy with `onAccess` and `onRemoved`",
  ),
);

/**
 * Clears what any of several strategies clears. Every strategy is asked on every access, and told
 * of every removal.
 *
 * @throws {InvalidOptionsError} if one of them is no strategy.
 * @example
 * createToolSessions({ index, eviction: compositeEviction(lruEviction(1000), ttlEviction(3_600_000)) });
 */
export function compositeEviction(...strategies: readonly EvictionStrategy[]): EvictionStrategy {
  const members = strategySchema.safeParse(strategies);
  if (!members.success) {
    throw new InvalidOptionsError(
      "Expected every member of compositeEviction to have `onAccess` and `onRemoved`.",
    );
  }
  return {
    onAccess: (sessionId) =>
      new Set(members.data.map((member) => [...member.onAccess(sessionId)]).flat()),
    onRemoved(sessionId) {
      for (const member of members.data) member.onRemoved(sessionId);
    },
  };
}
