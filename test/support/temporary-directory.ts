/** A folder that exists for one test. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates an empty folder and removes it, with all that is in it, when the running test ends. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "toolsieve-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
