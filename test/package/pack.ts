/** Packs the package the way `npm publish` would, and unpacks it into a folder that has its dependencies and nothing else. */

import { execFile } from "node:child_process";
import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = join(root, "node_modules");

/**
 * Creates a folder for a project of its own: no folder above it has packages that its imports could find.
 *
 * @throws if there is no such place.
 */
export async function createCleanFolder(): Promise<string> {
  for (const place of [tmpdir(), "/var/tmp", homedir()]) {
    const folder = await mkdtemp(join(await realpath(place), "toolsieve-package-"));
    const above = createRequire(join(folder, "index.js")).resolve.paths("toolsieve") ?? [];
    const found = await Promise.all(above.map((path) => stat(path).then(Boolean, () => false)));
    if (!found.includes(true)) return folder;
    await rm(folder, { recursive: true });
  }
  throw new Error("Every place for temporary folders lies below a folder with packages.");
}

/** What `npm pack --json` says of a tarball. */
export interface Tarball {
  readonly path: string;
  /** In bytes. */
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Builds and packs a copy of the sources, so that a `dist` that others look at stays as it is. */
export async function packPackage(folder: string): Promise<Tarball> {
  const copy = join(folder, "sources");
  await mkdir(copy);
  const parts = ["src", "package.json", "tsconfig.json", "README.md", "LICENSE", "NOTICE"];
  await Promise.all(
    parts.map((part) => cp(join(root, part), join(copy, part), { recursive: true })),
  );
  await symlink(modules, join(copy, "node_modules"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: copy,
  });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    { filename: string; unpackedSize: number; files: { path: string }[] },
  ];
  return {
    path: join(folder, packed.filename),
    unpackedSize: packed.unpackedSize,
    files: packed.files.map(({ path }) => path),
  };
}

/** Copies packages with their own dependencies, as an install without optional peers would lay them. */
async function copyPackages(names: readonly string[], into: string): Promise<void> {
  for (const name of names) {
    const target = join(into, name);
    if (await stat(target).then(Boolean, () => false)) continue;
    await cp(join(modules, name), target, { recursive: true });
    const { dependencies = {} } = await readManifest(target);
    await copyPackages(Object.keys(dependencies), into);
  }
}

/**
 * Unpacks a tarball into `node_modules/toolsieve` of a new project.
 *
 * @param peers optional packages to lay beside it; none by default.
 */
export async function installPackage(
  tarball: Tarball,
  project: string,
  peers: readonly string[] = [],
): Promise<void> {
  const into = join(project, "node_modules");
  await mkdir(into, { recursive: true });
  await run("tar", ["-xzf", tarball.path, "-C", into]);
  const installed = join(into, "toolsieve");
  await rename(join(into, "package"), installed);
  const { dependencies = {} } = await readManifest(installed);
  await copyPackages([...Object.keys(dependencies), ...peers], into);
  await writeFile(join(project, "package.json"), '{ "type": "module", "private": true }');
}

/** Runs a module in a project, with plain Node. */
export async function runModule(project: string, code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: project,
    env: { PATH: process.env["PATH"] },
  });
  return stdout.trim();
}
