import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("examples/report.ts comes from records to a verdict, a page and tuned options", async () => {
  const path = fileURLToPath(new URL("../../examples/report.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path]);
  expect(stdout).toMatch(/^ready\n {2}Ready for a first share/);
  expect(stdout).toContain("0 of 400 units missed a tool; at most 0.75 %");
  expect(stdout).toContain('alwaysInclude: ["find_refund"]');
  expect(stdout).toContain("report.html");
  expect(stdout).toMatch(/rejectionThreshold: 0\.8999/);
}, 60_000);
