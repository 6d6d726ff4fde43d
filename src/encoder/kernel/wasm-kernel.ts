/** The kernel in WebAssembly, with its vector instructions. */

import { bytesFromBase64 } from "../base64.js";
import type { Kernel, KernelOperations } from "./kernel.js";
import { kernelBinary } from "./wasm.js";

const pageBytes = 65_536;

/**
 * A kernel over a memory of its own; `null` where the host compiles no WebAssembly, or knows no
 * vectors.
 */
export async function createWasmKernel(bytes: number): Promise<Kernel | null> {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) });
    const { instance } = await WebAssembly.instantiate(bytesFromBase64(kernelBinary), {
      env: { memory },
    });
    return {
      name: "wasm",
      memory: memory.buffer,
      productsPerStep: 20_000_000,
      operations: instance.exports as unknown as KernelOperations,
    };
  } catch {
    return null;
  }
}
