/** A warning that cannot harm whoever gives it. */

import type { Logger } from "../core/types.js";

/** Tells the logger, if there is one; a logger that throws is ignored. */
export function warn(logger: Logger | undefined, message: string): void {
  try {
    logger?.warn(`[toolsieve] ${message}`);
  } catch {
    // A logger that throws has nobody left to tell.
  }
}
