/**
 * Keeps vectors in a folder, one small file each, so that the next process need not compute them.
 */

import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import type { VectorCache } from "../encoder/vector-store.js";

const optionsSchema = z.strictObject({
  folder: z.string("the path of a folder").regex(/^[^\0]+$/, "the path of a folder, without NUL"),
  /**
   * The most files; a tenth more, and the oldest go. One holds some 1.5 kB.
   * @default 50_000
   */
  maxFiles: integerFrom(1).default(50_000),
});

/** Options of {@link diskVectorCache}. */
export type DiskVectorCacheOptions = Omit<z.input<typeof optionsSchema>, "folder">;

const validKey = /^[0-9a-f]{64}$/;

/** Files of a cache, those that a crash left unfinished included. */
const ownFile = /^[0-9a-f]{64}(?:\.vector|-[0-9a-f]{12}\.partial)$/;

async function listFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => ownFile.test(name)).map((name) => join(folder, name));
}

/** The oldest first; files that are gone meanwhile are left out. */
async function sortByAge(paths: readonly string[]): Promise<readonly string[]> {
  const files: { readonly path: string; readonly time: number }[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found !== null) files.push({ path, time: found.mtimeMs });
  }
  return files.sort((a, b) => a.time - b.time).map(({ path }) => path);
}

/** Writes a file that appears whole or not at all. */
async function writeWhole(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * A cache of vectors on disk. Several processes may share a folder: a file appears whole or not at
 * all, and one that is damaged is a miss. Files hold numbers and are named after hashes; no text of
 * a tool is in them. Made for local disks.
 *
 * @param folder Created when the first vector is saved, for its owner alone (mode 0700).
 * @throws {InvalidOptionsError} if the path or an option is wrong.
 *
 * @example
 * ```ts
 * const cache = diskVectorCache(".cache/toolsieve");
 * ```
 */
export function diskVectorCache(folder: string, options?: DiskVectorCacheOptions): VectorCache {
  const input = { ...options, folder };
  const { maxFiles, folder: path } = parseOptions(optionsSchema, input, "diskVectorCache");
  const root = resolve(path);
  let counted: Promise<number> | undefined;
  let added = 0;
  let trimming: Promise<void> | undefined;

  async function trim(): Promise<void> {
    const files = await sortByAge(await listFiles(root));
    const surplus = files.slice(0, Math.max(0, files.length - maxFiles));
    for (const file of surplus) await rm(file, { force: true });
    counted = Promise.resolve(files.length - surplus.length);
    added = 0;
  }

  return {
    async load(key) {
      if (!validKey.test(key)) return null;
      return readFile(join(root, `${key}.vector`)).catch(() => null);
    },
    async save(key, bytes) {
      if (!validKey.test(key)) return;
      await mkdir(root, { recursive: true, mode: 0o700 });
      counted ??= listFiles(root).then(({ length }) => length);
      const temporary = join(root, `${key}-${randomBytes(6).toString("hex")}.partial`);
      await writeWhole(join(root, `${key}.vector`), temporary, bytes);
      added += 1;
      if ((await counted) + added <= 1.1 * maxFiles) return;
      trimming ??= trim().finally(() => {
        trimming = undefined;
      });
      await trimming;
    },
  };
}
