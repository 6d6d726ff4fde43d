/** Writes a file whole or not at all: into a neighbour that is renamed at the end. */

import { rmSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { ToolSieveError } from "../errors.js";
import { describeFileError } from "./command.js";

const interrupted = 130;

/**
 * Replaces a file; after Ctrl-C or a failure the old one is still there, and nothing beside it.
 *
 * @throws {ToolSieveError} if it cannot be written.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  const leave = (): void => {
    rmSync(draft, { force: true });
    process.exit(interrupted);
  };
  process.once("SIGINT", leave);
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new ToolSieveError(`Cannot write ${path}: ${describeFileError(cause)}.`, { cause });
  } finally {
    process.off("SIGINT", leave);
  }
}
