import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEvalCommand } from "../../src/cli/eval.js";
import type { Evaluation } from "../../src/evaluation/evaluate.js";
import { createHostileServer, type HostileServer } from "../support/hostile-server.js";
import { answerJev } from "../support/jev-service.js";
import { runToEnd, type CommandRun } from "../support/run-command.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const tools = ["query_order", "refund", "get_weather", "send_mail"].map((name) => ({
  name,
  description: `Does ${name}`,
}));
const cases = [
  { id: "1", set: "orders", text: "Where is A1001?", gold: ["query_order"] },
  { id: "2", set: "orders", text: "Money back!", gold: ["refund"] },
  { id: "3", set: "none", text: "What is love?", gold: [] },
].map(({ id, set, text, gold }) => ({
  id,
  set,
  messages: [{ role: "user", content: text }],
  candidates: gold.length === 0 ? ["refund"] : [...gold, "send_mail"],
  gold,
}));
const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

let server: HostileServer;
let folder: string;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await temporaryDirectory();
  await writeFile(join(folder, "tools.jsonl"), jsonLines(tools));
  await writeFile(join(folder, "cases.jsonl"), jsonLines(cases));
  server.play(answerJev("query_order"));
});

const run = (...more: readonly string[]): Promise<CommandRun> =>
  runToEnd(
    createEvalCommand,
    "--catalog",
    join(folder, "tools.jsonl"),
    "--cases",
    join(folder, "cases.jsonl"),
    ...more,
  );
const jev = (...more: readonly string[]): Promise<CommandRun> =>
  run("--judge", "jev", "--base-url", server.url, ...more);

describe("toolsieve eval", () => {
  it("prints recall beside what is hidden, under all three policies, by set and over all", async () => {
    const { stdout, stderr, exitCode } = await jev();
    expect(exitCode).toBe(0);
    expect(stderr).toBe("");
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
    const orders = lines.findIndex(([set]) => set === "orders");
    expect(lines[orders - 1]).toEqual([
      "set",
      "cases",
      "policy",
      "cases with all needed kept",
      "needed kept",
      "hidden",
      "fell back",
    ]);
    expect(lines[orders]).toEqual([
      "orders",
      "2",
      "keep",
      "50.0 % (0.0–100.0)",
      "50.0 %",
      "75.0 % (75.0–75.0)",
      "0.0 %",
    ]);
    expect(lines.slice(orders + 1, orders + 3).map((line) => line[1])).toEqual([
      "default",
      "keep, max 8",
    ]);
    expect(stdout).toContain("jev:jev-1.13.0");
    expect(stdout).not.toContain("\u001B");
  });

  it("prints the whole evaluation as JSON", async () => {
    const { stdout } = await jev("--json", "--catalog-size", "3", "--seed", "7");
    const evaluation = JSON.parse(stdout) as Evaluation;
    expect(evaluation).toMatchObject({
      judge: "jev:jev-1.13.0",
      catalogSize: 3,
      seed: 7,
      failures: 0,
    });
    expect(evaluation.sets.map(({ set, cases }) => [set, cases])).toEqual([
      ["orders", 2],
      ["none", 1],
      [null, 3],
    ]);
  });

  it("records a paid judge once, goes on where it stopped, and replays without it", async () => {
    const file = join(folder, "judgments.jsonl");
    const first = await jev("--json", "--record", file, "--limit", "1");
    expect(first.exitCode).toBe(0);
    const paidFor = server.requests.length;
    const { stdout: recorded } = await jev("--json", "--record", file);
    const asked = server.requests.length;
    expect(paidFor).toBeLessThan(asked);
    expect(
      JSON.parse(await readFile(file, "utf8").then((text) => text.split("\n")[0] ?? "")),
    ).toMatchObject({
      v: 1,
      judge: "jev:jev-1.13.0",
    });
    await jev("--record", file);
    const { stdout: replayed } = await run("--json", "--replay", file);
    expect(server.requests).toHaveLength(asked);
    expect(JSON.parse(replayed)).toEqual(JSON.parse(recorded));
  });

  it("survives a recording that was cut in the middle of a line", async () => {
    const file = join(folder, "judgments.jsonl");
    await jev("--record", file);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.slice(0, -30));
    const asked = server.requests.length;
    await jev("--record", file);
    expect(server.requests).toHaveLength(asked + 1);
    expect((await run("--replay", file)).exitCode).toBe(0);
  });

  it("takes several case files, and a JSON list of tools for a catalog", async () => {
    await writeFile(join(folder, "more.jsonl"), jsonLines([{ ...cases[0], id: "4", set: "more" }]));
    await writeFile(join(folder, "tools.jsonl"), JSON.stringify({ tools }));
    await writeFile(join(folder, "most.jsonl"), jsonLines([{ ...cases[0], id: "5", set: "most" }]));
    const { stdout } = await jev(
      "--json",
      "--cases",
      join(folder, "most.jsonl"),
      join(folder, "more.jsonl"),
    );
    expect((JSON.parse(stdout) as Evaluation).sets.map(({ set }) => set)).toEqual([
      "orders",
      "none",
      "most",
      "more",
      null,
    ]);
  });

  it("counts calls that failed, and says so", async () => {
    server.play({ status: 400 }, answerJev("query_order"));
    const { stdout, exitCode } = await jev();
    expect(exitCode).toBe(0);
    expect(stdout).toContain("1 judge calls failed; their tools count as unjudged.");
  });

  it.each([
    {
      title: "no catalog",
      args: ["--cases", "x"],
      message: "Expected `--catalog` to be a file of tools",
    },
    {
      title: "no cases",
      args: ["--catalog", "x"],
      message: "Expected `--cases` to be a file of labelled cases",
    },
    {
      title: "a file that is not there",
      args: ["--catalog", "/nowhere", "--cases", "/x"],
      message: "Cannot read /nowhere: ENOENT.",
    },
    {
      title: "a misspelt option",
      args: ["--catalogue", "x"],
      message: "There is no option `--catalogue`",
    },
  ])("exits with 2 and says why: $title", async ({ args, message }) => {
    const { stdout, stderr, exitCode } = await runToEnd(createEvalCommand, ...args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([
    {
      title: "an unknown judge",
      args: ["--judge", "oracle"],
      message: 'Expected `--judge` to be local, jev or openai, got `"oracle"`.',
    },
    {
      title: "no model",
      args: ["--judge", "openai"],
      message: "Expected `--model` with `--judge openai`, got none.",
    },
    {
      title: "a size out of range",
      args: ["--catalog-size", "0"],
      message: "Expected `--catalog-size` to be an integer from 1",
    },
    {
      title: "an unknown context strategy",
      args: ["--context", "all"],
      message: "Expected `--context` to be recent-window, latest-user-message or full-conversation",
    },
    {
      title: "both recording and replay",
      args: ["--record", "a", "--replay", "b"],
      message: "Expected `--record` or `--replay`, got both.",
    },
    {
      title: "a recording that is none",
      args: ["--replay", import.meta.filename],
      message: "Expected the first line of a recording",
    },
    {
      title: "a place it cannot write to",
      args: ["--judge", "local", "--record", "/nowhere/x"],
      message: "Cannot write /nowhere/x: ENOENT.",
    },
  ])("exits with 2 and says why: $title", async ({ args, message }) => {
    const { stderr, exitCode } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it("exits with 2 and names file and line of a case that is wrong", async () => {
    await writeFile(
      join(folder, "cases.jsonl"),
      `${jsonLines(cases)}{"id":"9","messages":"secret"}\n`,
    );
    const { stderr, exitCode } = await jev();
    expect(exitCode).toBe(2);
    expect(stderr).toContain("cases.jsonl: Line 4: field `messages` missing or wrong.");
    expect(stderr).not.toContain("secret");
  });

  it("exits with 2 when the judge never answered", async () => {
    server.play({ status: 401 });
    const { stderr, exitCode } = await jev();
    expect(exitCode).toBe(2);
    expect(stderr).toContain("No judge call succeeded. The first failure: ");
  });

  it("exits with 2 at a request that the recording does not hold", async () => {
    const file = join(folder, "judgments.jsonl");
    await jev("--record", file);
    const { stderr, exitCode } = await run("--replay", file, "--seed", "99", "--catalog-size", "3");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("The recording does not hold this request");
  });
});
