/**
 * The encoder outside Node: bundled for a browser, and run where there is nothing but web globals.
 */

import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { createTextEncoder } from "../../src/encoder/text-encoder.js";
import { randomEncoder } from "../support/random-encoder.js";

const source = (path: string): string =>
  fileURLToPath(new URL(`../../src/encoder/${path}`, import.meta.url));

const globals = {
  AbortController,
  TextEncoder,
  atob,
  performance,
  setTimeout,
};

let bundle = "";

beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [source("text-encoder.ts")],
    bundle: true,
    format: "iife",
    globalName: "encoder",
    platform: "browser",
    target: "es2023",
    metafile: true,
    write: false,
    outdir: "out",
    logLevel: "silent",
  });
  bundle = outputFiles[0]?.text ?? "";
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  expect(imports.filter(({ external }) => external === true)).toEqual([]);
});

describe("the encoder with web globals alone", () => {
  it.each([
    ["wasm", {}],
    ["javascript", { WebAssembly: undefined }],
  ])("computes in %s what it computes in Node", async (kernel, more) => {
    const packed = randomEncoder();
    const context = vm.createContext({ ...globals, ...more, packed });
    vm.runInContext(bundle, context);
    const run = vm.runInContext(
      `(async () => {
        const opened = await encoder.createTextEncoder(packed);
        const [vector] = await opened.encodeAll(["weather in oslo"]);
        return JSON.stringify({ kernel: opened.kernel, vector: Array.from(vector) });
      })()`,
      context,
    ) as Promise<string>;
    const expected = (await createTextEncoder(packed)).encode("weather in oslo");
    expect(JSON.parse(await run)).toEqual({ kernel, vector: Array.from(expected) });
  });
});
