/** LangGraph's interrupts and commands: they travel as errors, and must reach the graph. */

import { read } from "./read.js";

/** True for control flow of the host; recognised without importing it. */
export function isControlFlow(error: unknown): boolean {
  return read(error, "is_bubble_up") === true;
}
