/** Installs one package into the cache folder, without running any script of the package. */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { CollectFailure } from "./failure.js";
import type { ServerPackage } from "./server-packages.js";

const run = promisify(execFile);
const uvVersion = "0.9.9";
const installTimeoutMs = 240_000;

/** An installed package. */
export interface Installation {
  readonly command: string;
  readonly licence: string;
}

const manifestSchema = z.looseObject({
  license: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

async function execute(command: string, args: readonly string[], cwd: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, UV_CACHE_DIR: join(cwd, "../.uv") };
  const options = { cwd, env: { ...process.env, ...env }, timeout: installTimeoutMs };
  try {
    await run(command, [...args], { ...options, maxBuffer: 64 << 20 });
  } catch (error) {
    throw new CollectFailure("install", String(error).slice(0, 600));
  }
}

async function installFromNpm(spec: ServerPackage, folder: string): Promise<Installation> {
  const home = join(folder, "node_modules", spec.name);
  if (!existsSync(join(home, "package.json"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev"];
    const cache = join(folder, "../.npm");
    const exact = `${spec.name}@${spec.version}`;
    await execute("npm", ["install", "--cache", cache, ...flags, exact], folder);
  }
  const manifest = manifestSchema.parse(
    JSON.parse(readFileSync(join(home, "package.json"), "utf8")),
  );
  const { bin, license } = manifest;
  const declared = typeof bin === "string" ? spec.name : firstKey(bin);
  const name = spec.bin ?? declared?.replace(/^@.*\//, "");
  if (name === undefined) throw new CollectFailure("no command", spec.name);
  const licence = typeof license === "string" ? license : (license?.type ?? "");
  return { command: join(folder, "node_modules/.bin", name), licence };
}

const firstKey = (record: Readonly<Record<string, string>> | undefined): string | undefined =>
  record === undefined ? undefined : Object.keys(record)[0];

async function installUv(cache: string): Promise<string> {
  const folder = join(cache, `uv-${uvVersion}`);
  const uv = join(folder, "bin/uv");
  if (!existsSync(uv)) {
    mkdirSync(folder, { recursive: true });
    await execute("python3", ["-m", "venv", folder], cache);
    await execute(join(folder, "bin/pip"), ["install", "-q", `uv==${uvVersion}`], cache);
  }
  return uv;
}

let uvInstallation: Promise<string> | undefined;

async function installFromPypi(spec: ServerPackage, folder: string): Promise<Installation> {
  const cache = dirname(folder);
  uvInstallation ??= installUv(cache);
  const uv = await uvInstallation;
  const venv = join(folder, "venv");
  const python = join(venv, "bin/python");
  if (!existsSync(join(folder, "done"))) {
    await execute(uv, ["venv", "-q", "--clear", "--python", "3.11", venv], folder);
    const exact = `${spec.name}==${spec.version}`;
    const flags = ["--only-binary", ":all:", "--prerelease", "allow", "--python", python];
    await execute(uv, ["pip", "install", "-q", ...flags, exact], folder);
    writeFileSync(join(folder, "done"), "");
  }
  const command = join(venv, "bin", spec.bin ?? spec.name);
  if (!existsSync(command)) throw new CollectFailure("no command", command);
  return { command, licence: readPythonLicence(venv, spec.name) };
}

/** Reads `License-Expression`, `License` or the classifiers of an installed distribution. */
function readPythonLicence(venv: string, name: string): string {
  const packages = join(venv, "lib/python3.11/site-packages");
  const wanted = name.toLowerCase().replaceAll(/[-_.]+/g, "_");
  const info = readdirSync(packages).find(
    (entry) => entry.endsWith(".dist-info") && normalise(entry).startsWith(`${wanted}_`),
  );
  if (info === undefined) return "";
  const text = readFileSync(join(packages, info, "METADATA"), "utf8").split("\n\n", 1)[0] ?? "";
  const expression = /^License-Expression: (.+)$/m.exec(text)?.[1];
  const classifiers = [...text.matchAll(/^Classifier: License :: OSI Approved :: (.+)$/gm)];
  const free = /^License: (.+)$/m.exec(text)?.[1];
  return expression ?? free ?? classifiers[0]?.[1] ?? "";
}

const normalise = (entry: string): string => entry.toLowerCase().replaceAll(/[-_.]+/g, "_");

/**
 * Installs a package, or finds it installed.
 *
 * @param cache folder outside the repository.
 * @throws CollectFailure if the registry or the package refuses.
 */
export async function installPackage(spec: ServerPackage, cache: string): Promise<Installation> {
  const folder = join(cache, `${spec.registry}-${spec.server}-${spec.version}`);
  mkdirSync(folder, { recursive: true });
  return spec.registry === "npm" ? installFromNpm(spec, folder) : installFromPypi(spec, folder);
}

/** `PATH` of a started server: the Node.js that runs this script, and the system's tools. */
export const serverPath = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
  delimiter,
);
