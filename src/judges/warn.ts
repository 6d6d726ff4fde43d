/** A warning that cannot harm whoever gives it. */

import { quietly } from "../core/quietly.js";
import type { Logger } from "../core/types.js";

/** Tells the logger, if there is one; a logger that fails is ignored. */
export function warn(logger: Logger | undefined, message: string): void {
  quietly(() => logger?.warn(`[toolsieve] ${message}`));
}
