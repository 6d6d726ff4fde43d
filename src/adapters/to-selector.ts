/** Lets every adapter take either a tool selector or the options of one. */

import type { ToolSelectorOptions } from "../core/options.js";
import { read } from "../core/read.js";
import { InvalidOptionsError } from "../errors.js";
import { createToolSelector } from "../selector/tool-selector.js";
import type { ToolSelector } from "../selector/tool-selector.js";

function isToolSelector(value: unknown): value is ToolSelector {
  return typeof read(value, "run") === "function" && typeof read(value, "select") === "function";
}

/**
 * A selector as it is, or a new one from options.
 *
 * @throws {InvalidOptionsError} if the options are wrong.
 */
export function toSelector(selector: ToolSelector | ToolSelectorOptions = {}): ToolSelector {
  return isToolSelector(selector) ? selector : createToolSelector(selector);
}

/**
 * Checks what an adapter takes that shares its selector with another one.
 *
 * @throws {InvalidOptionsError} if it is none.
 */
export function checkSelector(selector: unknown, owner: string): void {
  if (isToolSelector(selector)) return;
  throw new InvalidOptionsError(
    `Expected the selector of ${owner} to be one of \`createToolSelector\`.`,
  );
}
