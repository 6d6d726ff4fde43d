/** Warnings: a logger that fails is ignored; each kind is told once per owner. */

import * as z from "zod";
import { quietly } from "./quietly.js";
import type { Logger } from "./types.js";

/** Gives a warning once per key; a key is a kind, or `kind:subject`. */
export type Warn = (key: string, message: string) => void;

/** The `logger` option of every factory. */
export const loggerSchema: z.ZodCustom<Logger, Logger> = z.custom<Logger>(
  (value) =>
    typeof value === "object" && value !== null && typeof Reflect.get(value, "warn") === "function",
  "a logger with a `warn` function",
);

/** Gives a warning to the logger, if there is one. Never throws. */
export function warn(logger: Logger | undefined, message: string): void {
  quietly(() => logger?.warn(`[toolsieve] ${message}`));
}

/** Subjects per kind, so that hostile names can fill neither the memory nor the log. */
const maxPerKind = 100;

/**
 * Gives each warning once to the logger, if there is one. A kind that is used up takes no room from
 * the others.
 */
export function createWarnOnce(logger: Logger | undefined): Warn {
  const given = new Map<string, Set<string>>();
  return (key, message) => {
    const kind = key.split(":", 1).join();
    const keys = given.get(kind) ?? new Set();
    if (keys.has(key) || keys.size >= maxPerKind) return;
    given.set(kind, keys.add(key));
    warn(logger, message);
  };
}
