/** Warnings: each kind once per selector, and never in a turn's way. */

import { quietly } from "./quietly.js";
import type { Logger } from "./types.js";
import type { Warn } from "../selector/turn-policy.js";

/** Warnings of one kind at most, so that hostile names can fill neither the memory nor the log. */
const maxPerKind = 100;

/** A key is a kind, or `kind:subject`; a kind that is used up takes no room from the others. */
export function createWarnOnce(logger: Logger): Warn {
  const said = new Map<string, Set<string>>();
  return (key, message) => {
    const kind = key.split(":", 1).join();
    const keys = said.get(kind) ?? new Set();
    if (keys.has(key) || keys.size >= maxPerKind) return;
    said.set(kind, keys.add(key));
    quietly(() => logger.warn(`[toolsieve] ${message}`));
  };
}
