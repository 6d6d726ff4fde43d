/** Warnings: each kind once per selector, and never in a turn's way. */

import { quietly } from "./core/quietly.js";
import type { Logger } from "./core/types.js";
import type { Warn } from "./turn-policy.js";

/** Kinds of warnings remembered at most, so that hostile tool names cannot fill the memory. */
const maxKeys = 1000;

export function createWarnOnce(logger: Logger): Warn {
  const said = new Set<string>();
  return (key, message) => {
    if (said.has(key) || said.size >= maxKeys) return;
    said.add(key);
    quietly(() => logger.warn(`[toolsieve] ${message}`));
  };
}
