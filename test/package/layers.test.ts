/** Imports go one way: each layer's lint rule is seen to fire on a file that breaks it. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

const forbidden: readonly (readonly [file: string, specifier: string])[] = [
  ["core/select.ts", "../judges/judge.js"],
  ["core/select.ts", "../sinks/memory.js"],
  ["core/select.ts", "../adapters/tools.js"],
  ["core/select.ts", "../budget.js"],
  ["core/select.ts", "node:crypto"],
  ["core/select.ts", "@langchain/core/messages"],
  ["core/select.ts", "langchain"],
  ["errors.ts", "./core/../judges/judge.js"],
  ["core/select.ts", "../encoder/text-encoder.js"],
  ["encoder/text-encoder.ts", "../judges/judge.js"],
  ["encoder/kernel/kernel.ts", "../../tool-index/lexical.js"],
  ["encoder/vector-store.ts", "node:fs"],
  ["judges/jev.ts", "../sinks/memory.js"],
  ["judges/jev.ts", "../tool-index/lexical.js"],
  ["judges/jev.ts", "../tool-selector.js"],
  ["judges/jev.ts", "node:fs"],
  ["judges/local/engine.ts", "../../sinks/memory.js"],
  ["judges/local/engine.ts", "../../adapters/tools.js"],
  ["judges/local/engine.ts", "node:zlib"],
  ["sinks/jsonl.ts", "../judges/judge.js"],
  ["sinks/jsonl.ts", "../tool-selector.js"],
  ["sinks/jsonl.ts", "../report/read.js"],
  ["tool-index/lexical.ts", "../judges/judge.js"],
  ["tool-index/lexical.ts", "../sinks/memory.js"],
  ["tool-index/lexical.ts", "../tool-selector.js"],
  ["tool-selector.ts", "./adapters/langchain.js"],
  ["tool-selector.ts", "./report/summary.js"],
  ["tool-selector.ts", "node:timers"],
  ["tool-selector.ts", "@langchain/core/runnables"],
  ["index.ts", "./adapters/langchain.js"],
  ["index.ts", "./testing/fake-judge.js"],
  ["index.ts", "pg"],
  ["adapters/langchain.ts", "../report/summary.js"],
  ["adapters/langchain.ts", "../judges/judge.js"],
  ["adapters/langchain.ts", "../testing/fake-judge.js"],
  ["adapters/langchain.ts", "node:crypto"],
  ["report/summary.ts", "../tool-selector.js"],
  ["report/summary.ts", "../judges/judge.js"],
  ["report/summary.ts", "../cli/terminal.js"],
  ["evaluation/evaluate.ts", "../adapters/tools.js"],
  ["testing/fake-judge.ts", "../cli/terminal.js"],
];

const allowed: typeof forbidden = [
  ["core/select.ts", "../errors.js"],
  ["core/select.ts", "./verdict.js"],
  ["encoder/text-encoder.ts", "../core/slices.js"],
  ["judges/jev.ts", "../core/types.js"],
  ["judges/local/engine.ts", "../../encoder/text-encoder.js"],
  ["judges/local/engine.ts", "../../core/types.js"],
  ["sinks/jsonl.ts", "node:fs/promises"],
  ["tool-selector.ts", "./judges/local/local-judge.js"],
  ["adapters/langchain.ts", "../tool-selector.js"],
  ["adapters/langchain.ts", "langchain"],
  ["report/summary.ts", "../core/record.js"],
  ["cli/report.ts", "../report/summary.js"],
];

let folder = "";

/** Lints a file that holds one import, under the rules of the project. */
async function lint(file: string, specifier: string): Promise<string> {
  const path = join(folder, "src", file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `export { x } from ${JSON.stringify(specifier)};\n`);
  const args = ["-c", "src/.oxlintrc.json", "--format", "unix", path];
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/oxlint"), args, {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolsieve-layers-"));
  await mkdir(join(folder, "src"));
  for (const config of [".oxlintrc.json", "src/.oxlintrc.json"]) {
    await copyFile(join(root, config), join(folder, config));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("import layers", () => {
  it.each(forbidden)("refuse %s importing %s", async (file, specifier) => {
    await expect(lint(file, specifier)).resolves.toContain("no-restricted-imports");
  });

  it.each(allowed)("let %s import %s", async (file, specifier) => {
    await expect(lint(file, specifier)).resolves.not.toContain("no-restricted-imports");
  });

  it("cover every module of the selector: a new file at the root of src is an entry or has a rule", async () => {
    const config = await readFile(join(root, "src/.oxlintrc.json"), "utf8");
    const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      exports: object;
    };
    // The driver of sink and report: both may import it, and it imports nothing of either.
    const known = JSON.stringify(exports) + config + '"postgres-client.ts"';
    const modules = (await readdir(join(root, "src"))).filter((name) => name.endsWith(".ts"));
    const unknown = modules.filter(
      (name) =>
        !known.includes(`"${name}"`) && !known.includes(`/${name.replace(/\.ts$/, ".js")}"`),
    );
    expect(modules.length).toBeGreaterThan(10);
    expect(unknown).toEqual([]);
  });
});
