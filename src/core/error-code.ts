/** The machine-readable part of an error. Its message may hold data, and is never passed on. */

import { read } from "./read.js";

/** The `code` of an error: a system code (`ENOENT`), a SQLSTATE; `null` if it has none. */
export function readErrorCode(error: unknown): string | null {
  const code = read(error, "code");
  return typeof code === "string" ? code : null;
}
