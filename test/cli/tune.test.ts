import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createTuneCommand } from "../../src/cli/tune.js";
import type { TuneSummary } from "../../src/report/tune/tune-thresholds.js";
import { at, shadowRecord, tool } from "../support/logs.js";
import { runToEnd, type CommandRun } from "../support/run-command.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

let path: string;
beforeEach(async () => {
  path = join(await temporaryDirectory(), "log.jsonl");
});

async function tune(
  probabilities: readonly number[],
  ...args: readonly string[]
): Promise<CommandRun> {
  const lines = probabilities.map((probability, index) =>
    JSON.stringify(shadowRecord({ threadId: `t-${index}`, tools: [tool("query", probability)] })),
  );
  await writeFile(path, lines.join("\n"));
  return runToEnd(createTuneCommand, path, ...args);
}

const same = (probability: number, count = 100): number[] =>
  Array.from({ length: count }, () => probability);

describe("toolsieve tune", () => {
  it("prints the options to paste, and how they do on units that were not fitted", async () => {
    const { stdout, stderr, exitCode } = await tune(same(0.5), "--target-recall", "0.9");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain(
      [
        "createToolSelector({",
        "  confidenceThreshold: 0.8,",
        "  rejectionThreshold: 0.4999,",
        "  maxTools: 1,",
        '  onUncertain: "fallback",',
        "})",
      ].join("\n"),
    );
    expect(stdout).toMatch(/checked on \d+ other units: 0 with a miss, recall 100 %/);
  });

  it("prints tools to keep together as an option, also where there is too little data for thresholds", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => ({
      threadId: `t-${Math.floor(index / 2)}`,
      step: (index % 2) + 1,
      time: at(index),
      tools: [tool("lo'gin", 0.9), tool("transfer", 0.9)],
      outcome: { called: [index % 2 === 0 ? "lo'gin" : "transfer"] },
    })).map((fields) => JSON.stringify(shadowRecord(fields)));
    await writeFile(path, lines.join("\n"));
    const { stdout, exitCode } = await runToEnd(createTuneCommand, path);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      [
        "createToolSelector({",
        "  keepTogether: [",
        `    ["lo'gin","transfer"], // 6 of 6 threads`,
        "  ],",
        "})",
      ].join("\n"),
    );
  });

  it("asks for 99.5 % by default, and says when there is too little data for it", async () => {
    const { stdout, exitCode } = await tune(same(0.5));
    expect(exitCode).toBe(3);
    expect(stdout).toContain("a recall of 99.5 % needs 399 units to fit on");
  });

  it("says which tool makes the recall unreachable", async () => {
    const { stdout, exitCode } = await tune(same(0), "--target-recall", "0.9");
    expect(exitCode).toBe(1);
    expect(stdout).toContain('"query" was called at a probability of 0');
  });

  it("prints JSON for programs", async () => {
    const { stdout } = await tune(same(0.5), "--target-recall", "0.9", "--json");
    expect(JSON.parse(stdout) as TuneSummary).toMatchObject({
      verdict: "tuned",
      exitCode: 0,
      options: { rejectionThreshold: 0.4999 },
      agents: { support: { exitCode: 0 } },
      records: 100,
      malformedLines: 0,
    });
  });

  it.each([
    [["--target-recall", "1"], "a number above 0 and below 1"],
    [["--target-recall", "high"], "`--target-recall` to be a number"],
    [["--recall", "0.9"], "no option `--recall`"],
  ])("%j is a usage error", async (args, message) => {
    const { stderr, exitCode } = await tune(same(0.5, 3), ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
