/** The root entry outside Node: bundled for a browser, and run where there is nothing but web globals. */

import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import type { BuildOptions, Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { subpaths } from "./subpaths.js";

const source = (path: string): string =>
  fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

async function bundle(
  options: BuildOptions,
): Promise<{ files: readonly string[]; metafile: Metafile }> {
  const { outputFiles = [], metafile } = await build({
    entryPoints: [source("index.ts")],
    bundle: true,
    platform: "browser",
    target: "es2023",
    metafile: true,
    write: false,
    logLevel: "silent",
    outdir: "out",
    ...options,
  });
  return { files: outputFiles.map(({ text }) => text), metafile: metafile as Metafile };
}

/** Modules of Node.js, and whatever else the bundle does not bring itself. */
function externalsOf(metafile: Metafile): readonly string[] {
  return Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter((imported) => imported.external === true || builtinModules.includes(imported.path))
    .map(({ path }) => path);
}

/** What is loaded at once: the first chunk, and the chunks that it imports. */
function eagerOutputs({ outputs }: Metafile): readonly Metafile["outputs"][string][] {
  const first = Object.keys(outputs).filter((path) =>
    outputs[path]?.entryPoint?.endsWith("src/index.ts"),
  );
  const seen = new Set(first);
  for (const path of seen) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") seen.add(next);
    }
  }
  return [...seen].flatMap((path) => outputs[path] ?? []);
}

/** What a browser, Deno, Bun and edge runtimes have in common. */
const webGlobals = {
  AbortController,
  AbortSignal,
  URL,
  TextDecoder,
  TextEncoder,
  DecompressionStream,
  Response,
  Blob,
  atob,
  btoa,
  clearTimeout,
  crypto,
  fetch,
  performance,
  queueMicrotask,
  setTimeout,
  structuredClone,
};

describe("the root entry bundled for a browser", () => {
  let metafile: Metafile;

  beforeAll(async () => {
    ({ metafile } = await bundle({ format: "esm", splitting: true, minify: true }));
  });

  it("imports nothing of Node.js, and no package that is not a dependency", () => {
    expect(externalsOf(metafile)).toEqual([]);
  });

  it("contains nothing of LangChain, of an SDK, or of what writes files", () => {
    const strays = Object.keys(metafile.inputs).filter((path) =>
      /node_modules\/(?:@langchain|langchain|openai|pg|@opentelemetry)\/|src\/(?:adapters|report|cli|testing)\/|jsonl/.test(
        path,
      ),
    );
    expect(strays).toEqual([]);
  });

  it("leaves the weights of the embedded judge in a chunk that is loaded when it is needed", () => {
    const lazy = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === "dynamic-import"),
    );
    expect(lazy.length).toBeGreaterThan(0);
    const modules = eagerOutputs(metafile).flatMap(({ inputs }) => Object.keys(inputs));
    expect(modules.some((path) => path.endsWith("local/local-judge.ts"))).toBe(true);
    expect(modules.filter((path) => path.endsWith("local/engine.ts"))).toEqual([]);
  });

  it("is small until the embedded judge is needed: 250 kB, most of it zod", () => {
    const bytes = eagerOutputs(metafile).reduce((sum, output) => sum + output.bytes, 0);
    expect(bytes).toBeLessThan(250_000);
  });

  it("selects, records and judges with web globals alone", async () => {
    const { files } = await bundle({ format: "iife", globalName: "toolsieve" });
    const context = vm.createContext({ ...webGlobals });
    vm.runInContext(`${files[0]}`, context);
    const run = vm.runInContext(
      `(async () => {
        const { createToolSelector, memorySink } = toolsieve;
        const sink = memorySink();
        const selector = createToolSelector({ mode: "enforce", onUncertain: "keep", sinks: sink });
        const tools = [
          { name: "query_order", description: "Looks up the status of an order." },
          { name: "send_email", description: "Sends an email to a person." },
        ];
        const messages = [{ role: "user", text: "What is the status of order 7?" }];
        await selector.run({ messages, tools }, {
          callModel: async (offered) => offered,
          readOutcome: () => ({ called: ["query_order"] }),
        });
        await selector.close();
        const [record] = sink.records;
        return JSON.stringify({ judge: record.judge?.id.split(":")[0], tools: record.tools.length, error: record.error });
      })()`,
      context,
    ) as Promise<string>;
    expect(JSON.parse(await run)).toEqual({ judge: "local", tools: 2, error: null });
  });
});

describe("the entries of adapters and judges bundled for an edge runtime", () => {
  /** Entries for servers and for test runners. */
  const needsNode = /^(?:node|postgres|otel|report|evaluation|testing.*)$/;

  it.each(subpaths.filter((subpath) => !needsNode.test(subpath)))(
    "toolsieve/%s imports nothing of Node.js",
    async (name) => {
      const { metafile } = await bundle({
        entryPoints: [source(`${name}.ts`)],
        format: "esm",
        external: ["langchain", "@langchain/*", "openai"],
      });
      const hosts = /^(?:langchain|openai|@langchain\/.+)$/;
      expect(externalsOf(metafile).filter((path) => !hosts.test(path))).toEqual([]);
    },
  );
});
