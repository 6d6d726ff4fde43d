/** The examples of tool indexes run offline and print what their pages promise. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

async function runExample(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const { TYPESAFE_API_KEY: _, DATABASE_URL: __, SHARED_URL: ___, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path], {
    env,
  });
  return stdout;
}

it.each([
  [
    "large-catalog.ts",
    [
      "5000 tools",
      "system42__delete_meeting",
      "only those that write nothing: system42__",
      "the judge was asked about 20; the model is offered: system42__delete_meeting",
    ],
  ],
  [
    "tools-per-user.ts",
    [
      'ada: "send a mail to my customer" → send_mail',
      'bob: "refund my last order" → refund_order',
      'ada: "refund my last order" → no tool',
      "indexed 2 times for 2 users",
      "indexed 3 times",
      "1 user left",
    ],
  ],
  [
    "shared-postgres-index.ts",
    [
      "first process: embedded 3 tools, found refund_order",
      "second process: embedded 0 tools, found refund_order",
    ],
  ],
  ["which-tool.ts", ["asks a stand-in on this machine", "no tool applies"]],
])("examples/%s", { timeout: 120_000 }, async (name, lines) => {
  const output = await runExample(name);
  for (const line of lines) expect(output).toContain(line);
});

it(
  "examples/which-tool.ts: where words fail, meaning and judgment find the tool",
  { timeout: 120_000 },
  async () => {
    const table = (await runExample("which-tool.ts")).split("\n");
    const row = table.find((line) => line.startsWith("Should I take an umbrella")) ?? "";
    expect(row.split(/ {2,}/).slice(1)).toEqual(["–", "get_forecast", "get_forecast"]);
  },
);
