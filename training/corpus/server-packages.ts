/** The packages whose servers are listed, and how each is started. */

import { readFileSync } from "node:fs";
import { z } from "zod";

const serverPackageSchema = z.strictObject({
  /** Short name of the server, unique in the corpus. */
  server: z.string().regex(/^[a-z0-9-]+$/),
  registry: z.enum(["npm", "pypi"]),
  name: z.string().min(1),
  version: z.string().min(1),
  /** Command that the package installs; by default the first one that it declares. */
  bin: z.string().optional(),
  args: z.array(z.string()).default([]),
  /** Placeholders for keys and addresses; never a real credential. */
  env: z.record(z.string(), z.string()).default({}),
  /** Files that the server wants in its home folder, by name; placeholders too. */
  files: z.record(z.string(), z.string()).default({}),
});

/** One pinned package and its start command. */
export type ServerPackage = z.output<typeof serverPackageSchema>;

/** Reads and checks a list of packages. */
export function readServerPackages(file: string): readonly ServerPackage[] {
  return z.array(serverPackageSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}
