import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { createReportCommand } from "../../src/cli/report.js";
import { readRecords } from "../../src/report/records/read-records.js";
import { summarize } from "../../src/report/summarize.js";
import type { ReportSummary } from "../../src/report/summary.js";
import { at, shadowRecord, threads, tool } from "../support/logs.js";
import { runToEnd, type CommandRun } from "../support/run-command.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
});

const inFolder = (name: string): string => join(folder, name);

async function writeLog(name: string, records: readonly object[]): Promise<string> {
  await writeFile(inFolder(name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return inFolder(name);
}

const run = (...args: readonly string[]): Promise<CommandRun> =>
  runToEnd(createReportCommand, ...args);
const printed = ({ stdout }: CommandRun): ReportSummary => JSON.parse(stdout) as ReportSummary;

describe("exit codes", () => {
  it.each([
    ["ready", 299, 0, 0],
    ["not ready", 299, 20, 1],
    ["no evidence", 12, 0, 3],
  ])("%s", async (_, count, missed, exitCode) => {
    const path = await writeLog("log.jsonl", threads(count, missed));
    expect(await run(path)).toMatchObject({ exitCode, stderr: "" });
    expect(await run(path, "--json")).toMatchObject({ exitCode });
  });

  it.each([
    ["no log", [], "Expected a log"],
    ["a log that is not there", ["missing.jsonl"], "No file matches"],
    ["a folder", ["."], "EISDIR"],
    ["an unknown option", ["x.jsonl", "--max-misrate", "1"], "no option `--max-misrate`"],
    [
      "a limit that is no number",
      ["x.jsonl", "--max-miss-rate", "low"],
      "`--max-miss-rate` to be a number",
    ],
    ["a limit out of range", ["x.jsonl", "--max-miss-rate", "1"], "a number above 0 and below 1"],
    ["looks below 1", ["x.jsonl", "--looks", "0"], "an integer from 1"],
    ["another gate", ["x.jsonl", "--gate", "both"], "shadow or enforced"],
    ["a bad duration", ["x.jsonl", "--since", "1 fortnight"], "a duration like 24h"],
    ["missing labels", ["x.jsonl", "--labels", "none.csv"], "Cannot read none.csv: ENOENT"],
    ["missing prices", ["x.jsonl", "--prices", "none.json"], "Cannot read none.json: ENOENT"],
    ["files and a database", ["x.jsonl", "--postgres", "postgres://x"], "got both"],
    ["a table without a database", ["x.jsonl", "--table", "t"], "together with `--postgres`"],
  ])("2 for %s, in one line on stderr", async (_, args, message) => {
    const { exitCode, stderr, stdout } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("2 for a page that cannot be written", async () => {
    const path = await writeLog("log.jsonl", threads(3));
    const { exitCode, stderr } = await run(path, "--out", inFolder("no/such/folder.html"));
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Cannot write");
  });
});

describe("--json", () => {
  it("is the summary itself", async () => {
    const path = await writeLog("log.jsonl", threads(40, 2));
    const { stdout } = await run(path, "--json", "--max-miss-rate", "0.05", "--looks", "2");
    const summary = await summarize(readRecords(path), { maxMissRate: 0.05, looks: 2 });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(summary)));
  });

  it("has what programs rely on", async () => {
    const path = await writeLog("log.jsonl", [...threads(2), { v: 2 }]);
    await writeFile(path, `${await readFile(path, "utf8")}{"v":1,`);
    expect(printed(await run(path, "--json"))).toMatchObject({
      verdict: "no-evidence",
      exitCode: 3,
      reasons: [expect.any(String)],
      judged: {
        cohort: { policyFingerprint: "f00d" },
        units: 2,
        missedUnits: 0,
        upperBound: expect.any(Number),
        lowerBound: 0,
        unit: "thread",
        judgedShare: 1,
        fallbackShare: 0,
        netSaving: { mean: 1600, lowerBound: 1600, perUnit: { count: 2 }, assumesNoCaching: false },
        tools: [{ name: "query" }],
        suggestedAlwaysInclude: [],
      },
      agents: { support: { verdict: "no-evidence" } },
      cohorts: [{ judged: true }],
      records: 2,
      malformedLines: 1,
      foreignRecords: 1,
      uncountedRecords: 0,
    });
  });
});

describe("options", () => {
  it("reads several files and globs, packed or not", async () => {
    const [one, two, three] = threads(3).map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(inFolder("a.jsonl"), one ?? "");
    await writeFile(inFolder("b-1.jsonl.gz"), gzipSync(two ?? ""));
    await writeFile(inFolder("b-2.jsonl"), three ?? "");
    const summary = printed(await run(inFolder("a.jsonl"), inFolder("b-*"), "--json"));
    expect(summary.records).toBe(3);
  });

  it("--critical may be repeated", async () => {
    const path = await writeLog("log.jsonl", threads(2));
    const args = [path, "--json", "--critical", "quer*", "--critical=refund"];
    expect(printed(await run(...args)).judged?.suggestedAlwaysInclude).toEqual(["query", "refund"]);
  });

  it("--expect-policy refuses another policy", async () => {
    const path = await writeLog("log.jsonl", threads(299));
    expect((await run(path, "--expect-policy", "f00d")).exitCode).toBe(0);
    expect((await run(path, "--expect-policy", "beef")).exitCode).toBe(1);
  });

  it("--since takes a date or a duration", async () => {
    const path = await writeLog("log.jsonl", [
      ...threads(3),
      shadowRecord({ threadId: "now", time: new Date().toISOString() }),
    ]);
    expect(printed(await run(path, "--json", "--since", "1h")).records).toBe(1);
    expect(printed(await run(path, "--json", "--since", at(60))).records).toBe(3);
  });

  it("--gate enforced takes labels", async () => {
    const records = threads(20, 0, (index) =>
      index % 2 === 0 ? { mode: "enforce", enforced: true } : {},
    );
    const path = await writeLog("log.jsonl", records);
    const labels = records.map(
      ({ threadId }, index) => `"${threadId}",${index % 2 === 0 ? "no" : "TRUE"}`,
    );
    await writeFile(inFolder("labels.csv"), ["threadId,success", ...labels, ""].join("\r\n"));
    const args = [path, "--gate", "enforced", "--labels", inFolder("labels.csv")];
    const summary = printed(await run(...args, "--json"));
    expect(summary).toMatchObject({ gate: "enforced", exitCode: 1 });
    expect(summary.agents["support"]?.comparison?.harms.at(-1)).toMatchObject({
      harm: "labelled-failure",
      enforced: { units: 10, withHarm: 10 },
      control: { units: 9, withHarm: 0 },
    });
    await writeFile(inFolder("labels.csv"), "threadId,success\nt-1,perhaps\n");
    expect((await run(...args)).stderr).toContain("Expected line 2 to be a thread id");
  });

  it("--prices makes money of it", async () => {
    const path = await writeLog("log.jsonl", threads(3));
    await writeFile(inFolder("prices.json"), JSON.stringify({ models: { "*": { input: 2 } } }));
    const args = [path, "--prices", inFolder("prices.json")];
    expect(printed(await run(...args, "--json")).judged?.netSaving.money?.currency).toBe("USD");
    expect((await run(...args)).stdout).toContain("USD");
    await writeFile(inFolder("prices.json"), JSON.stringify({ models: { "*": { input: -2 } } }));
    expect((await run(...args)).stderr).toContain("a price above 0");
    await writeFile(inFolder("prices.json"), "input: 2");
    expect(await run(...args)).toMatchObject({ exitCode: 2 });
  });
});

describe("text", () => {
  it("says the verdict first, then reasons, what would change it, figures and tools", async () => {
    const path = await writeLog("log.jsonl", threads(400, 1));
    const { stdout } = await run(path);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("NOT READY");
    expect(lines[1]).toMatch(/1 of 400 conversations would have missed a tool/);
    expect(stdout).toContain("→ 73 conversations more without a miss would change it.");
    expect(lines.map((line) => line.split(/\s{2,}/))).toContainEqual([
      "refund",
      "1",
      "1",
      "100 %",
      "unproven",
    ]);
    expect(stdout).toContain("Units are taken to be independent");
    expect(stdout).not.toContain("\u001B");
  });

  it("names every agent where there are several", async () => {
    const other = threads(3, 3, (index) => ({ agent: "billing", threadId: `b-${index}` }));
    const { stdout } = await run(await writeLog("log.jsonl", [...threads(3), ...other]));
    expect(stdout).toContain("agent support");
    expect(stdout).toContain("agent billing");
  });

  it("lets nothing hostile through to the terminal", async () => {
    const name = "\u001B[2J\u202Eevil\u200B";
    const path = await writeLog("log.jsonl", [
      shadowRecord({ agent: name, tools: [tool(name, 0.05)], outcome: { called: [name] } }),
    ]);
    for (const { stdout } of [await run(path), await run(path, "--json")]) {
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });
});

describe("the page", () => {
  it("is written whole, with nothing beside it, and its path is told on stderr", async () => {
    const path = await writeLog("log.jsonl", threads(3));
    const { stderr, exitCode } = await run(path, "--out", inFolder("report.html"));
    expect(exitCode).toBe(3);
    expect(stderr).toContain("report.html");
    expect(await readFile(inFolder("report.html"), "utf8")).toMatch(/^<!doctype html>/i);
    expect((await readdir(folder)).sort()).toEqual(["log.jsonl", "report.html"]);
  });

  it("leaves an old page alone if the log cannot be read", async () => {
    await writeFile(inFolder("report.html"), "old");
    expect((await run(inFolder("none.jsonl"), "--out", inFolder("report.html"))).exitCode).toBe(2);
    expect(await readFile(inFolder("report.html"), "utf8")).toBe("old");
  });
});

/** The real command, in a process of its own. */
function start(...args: readonly string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const end = new Promise<{
    code: number | null;
    signal: string | null;
    output: string;
    errors: string;
  }>((resolve) => child.on("close", (code, signal) => resolve({ code, signal, output, errors })));
  return { child, end };
}

describe("the process", () => {
  it("reads standard input, and exits with the verdict", async () => {
    const { child, end } = start("report", "-", "--json");
    child.stdin.end(
      threads(299)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(""),
    );
    const { code, output } = await end;
    expect(code).toBe(0);
    expect((JSON.parse(output) as ReportSummary).records).toBe(299);
  }, 60_000);

  it("Ctrl-C during a read ends it and leaves no file", async () => {
    const page = inFolder("report.html");
    const { child, end } = start("report", "-", "--out", page);
    child.stdin.on("error", () => undefined);
    child.stdin.write(`${JSON.stringify(shadowRecord())}\n`);
    setTimeout(() => child.kill("SIGINT"), 3000);
    const { code, signal } = await end;
    expect([code, signal]).not.toContain(0);
    expect(await readdir(folder)).toEqual([]);
  }, 60_000);

  it.runIf(existsSync("/dev/full"))(
    "exits with 2 where standard output cannot be written, not with a verdict",
    async () => {
      const path = await writeLog("log.jsonl", threads(299));
      const full = await open("/dev/full", "w");
      const child = spawn(
        process.execPath,
        ["--import", "tsx", "src/cli/main.ts", "report", path],
        {
          stdio: ["ignore", full.fd, "pipe"],
        },
      );
      let errors = "";
      child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
      const code = await new Promise((resolve) => child.on("close", resolve));
      await full.close();
      expect(code).toBe(2);
      expect(errors).toBe("error Cannot write to standard output: ENOSPC.\n");
    },
    60_000,
  );

  it.each([
    { args: ["--version"], code: 0, text: /^\d+\.\d+\.\d+/ },
    { args: ["--help"], code: 0, text: /report.*\n.*tune.*\n.*try.*\n.*eval/ },
    { args: ["report", "--help"], code: 0, text: /--max-miss-rate/ },
    { args: [], code: 2, text: /Expected a command/ },
    { args: ["constructor"], code: 2, text: /There is no command "constructor"/ },
  ])(
    "toolsieve $args exits with $code",
    async ({ args, code, text }) => {
      const result = await start(...args).end;
      expect(result.code).toBe(code);
      expect(code === 0 ? result.output : result.errors).toMatch(text);
    },
    60_000,
  );
});
