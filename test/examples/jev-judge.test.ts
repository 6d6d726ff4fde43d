import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it(
  "examples/jev-judge.ts asks a stand-in without a key, and the cache the second time",
  { timeout: 60_000 },
  async () => {
    const path = fileURLToPath(new URL("../../examples/jev-judge.ts", import.meta.url));
    const { TYPESAFE_API_KEY: _, JEV_API_KEY: __, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path], {
      env,
    });
    expect(stdout).toContain("asking a stand-in on this machine");
    expect(stdout.match(/order A1001\?" → the model is offered: query_order$/gm)).toHaveLength(2);
    expect(stdout).toContain('"Say hello." → the model is offered: no tool');
    expect(stdout.match(/selected: 1 request\(s\)/g)).toHaveLength(1);
    expect(stdout.match(/selected: 0 request\(s\)/g)).toHaveLength(1);
  },
);
