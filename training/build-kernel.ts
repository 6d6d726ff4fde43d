/**
 * Compiles the encoder's kernel to WebAssembly and writes it as a module of base64: `npm run
 * build:kernel`.
 */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { main } from "assemblyscript/asc";

const folder = new URL("../src/encoder/kernel/", import.meta.url);
const entry = "assembly/kernel.ts";
const flags = "-O3 --converge --noAssert --runtime stub --importMemory --enable simd".split(" ");

/** The compiled kernel. */
export async function buildKernel(): Promise<Uint8Array> {
  const source = await readFile(new URL(entry, folder), "utf8");
  let binary: Uint8Array | undefined;
  const errors: string[] = [];
  const { error } = await main([entry, ...flags, "--outFile", "kernel.wasm"], {
    stderr: { write: (text) => errors.push(String(text)) },
    readFile: (name) => (name === entry ? source : null),
    writeFile: (name, contents) => {
      if (name === "kernel.wasm" && typeof contents !== "string") binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) {
    throw new Error(`The kernel does not compile: ${errors.join("").slice(0, 2000)}`);
  }
  return binary;
}

function moduleText(binary: Uint8Array): string {
  const lines = Buffer.from(binary)
    .toString("base64")
    .replace(/.{1,88}/g, '\n  "$&" +')
    .replace(/ \+$/, ";");
  return [
    "/** `assembly/kernel.ts`, compiled. Written by `npm run build:kernel`; do not edit. */",
    "",
    "/** The binary in base64. */",
    `export const kernelBinary: string =${lines}`,
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL("wasm.ts", folder), moduleText(await buildKernel()));
}
