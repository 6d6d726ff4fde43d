import { describe, expect, it } from "vitest";
import { bytesFromBase64 } from "../../../src/encoder/base64.js";
import { kernelBinary } from "../../../src/encoder/kernel/wasm.js";
import { buildKernel } from "../../../training/build-kernel.js";

describe("the checked-in kernel", () => {
  it("is what its source compiles to", async () => {
    expect(Buffer.from(await buildKernel()).equals(bytesFromBase64(kernelBinary))).toBe(true);
  });
});
