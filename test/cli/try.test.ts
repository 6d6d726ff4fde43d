import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTryCommand } from "../../src/cli/try.js";
import { createHostileServer, type HostileServer } from "../support/hostile-server.js";
import { answerJev } from "../support/jev-service.js";
import { runToEnd, type CommandRun } from "../support/run-command.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const parameters = { type: "object", properties: { id: { type: "string" } } };
const mcp = [
  { name: "query_order", description: "Looks an order up", inputSchema: parameters },
  { name: "refund", description: "Returns money", inputSchema: parameters },
];
const anthropic = mcp.map(({ inputSchema, ...rest }) => ({ ...rest, input_schema: inputSchema }));
const openai = mcp.map(({ inputSchema, ...rest }) => ({
  type: "function",
  function: { ...rest, parameters: inputSchema },
}));
const responses = mcp.map(({ inputSchema, ...rest }) => ({
  type: "function",
  ...rest,
  parameters: inputSchema,
}));

let server: HostileServer;
let file: string;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  file = join(await temporaryDirectory(), "tools.json");
  await writeFile(file, JSON.stringify(mcp));
  server.play(answerJev("query_order"));
});

const run = (...more: readonly string[]): Promise<CommandRun> =>
  runToEnd(createTryCommand, "--tools", file, "--judge", "jev", "--base-url", server.url, ...more);

interface Printed {
  readonly reason: string;
  readonly fallback: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly kept: boolean;
    readonly tokens: number;
  }[];
}
const printed = ({ stdout }: CommandRun): Printed => JSON.parse(stdout) as Printed;

describe("toolsieve try", () => {
  it("says what would be offered, and shows probability, reason and tokens of every tool", async () => {
    const { stdout, stderr, exitCode } = await run("Where is A1001?");
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("1 of 2 tools would be offered.");
    const rows = stdout.split("\n").map((line) => line.split(/\s{2,}/));
    expect(rows).toContainEqual([
      "✓",
      "query_order",
      "0.970",
      expect.stringMatching(/^█+.?$/),
      "applicable",
      expect.stringMatching(/^\d+$/),
    ]);
    expect(rows).toContainEqual([
      "✗",
      "refund",
      "0.020",
      expect.any(String),
      "not-applicable",
      expect.stringMatching(/^\d+$/),
    ]);
    expect(stdout).toMatch(/About \d+ of \d+ tokens of tool definitions \(−\d+ %\)/);
    expect(stdout).not.toContain("\u001B");
  });

  it("says plainly that no tool applies", async () => {
    server.play(answerJev());
    expect((await run("What is love?")).stdout).toContain(
      "No tool applies: none would be offered.",
    );
  });

  it("says plainly that the judge failed, and that nothing is hidden", async () => {
    server.play({ status: 401 });
    const { stdout, exitCode } = await run("Where is A1001?");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/All 2 tools would be offered: the judge failed \(.*401\)\./);
    expect(stdout).toContain("Nothing is saved");
  });

  it.each([
    { title: "MCP", tools: mcp },
    { title: "Anthropic", tools: anthropic },
    { title: "OpenAI Chat", tools: openai },
    { title: "OpenAI Responses", tools: responses },
    { title: "{tools}", tools: { tools: anthropic } },
    { title: "an MCP reply", tools: { jsonrpc: "2.0", id: 1, result: { tools: mcp } } },
  ])("reads $title", async ({ tools }) => {
    await writeFile(file, JSON.stringify(tools));
    const { tools: judged } = printed(await run("--json", "Where is A1001?"));
    expect(judged).toEqual([
      expect.objectContaining({ name: "query_order", kept: true }),
      expect.objectContaining({ name: "refund", kept: false }),
    ]);
  });

  it("reads one tool a line", async () => {
    await writeFile(file, mcp.map((tool) => JSON.stringify(tool)).join("\n"));
    expect(printed(await run("--json", "Where is A1001?")).tools).toHaveLength(2);
  });

  it("lets no name steer the terminal", async () => {
    const names = ["\u001B[2Jwipe", "a\u009B31mred", "x\r\nforged line", "rtl\u202Egnp.exe"];
    await writeFile(file, JSON.stringify(names.map((name) => ({ name, description: "d" }))));
    for (const args of [["x"], ["--json", "x"]]) {
      const { stdout } = await run(...args);
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(stdout).not.toMatch(/^forged line/m);
    }
    expect(printed(await run("--json", "x")).tools.map(({ name }) => name)).toEqual(names);
  });

  it("shows the best of thousands of tools, and all with --all", async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      name: `t${index}`,
      description: "d",
    }));
    await writeFile(file, JSON.stringify(many));
    const { stdout } = await run("x");
    expect(stdout).toContain("285 more hidden; --all shows them");
    expect(stdout.split("\n").length).toBeLessThan(40);
    expect((await run("--all", "x")).stdout.split("\n").length).toBeGreaterThan(300);
  });

  it("restores the whole catalog in doubt where it is told to", async () => {
    server.play((request) => {
      const reply = answerJev("query_order")(request) as {
        json: { answers: Record<string, { noul: number }> };
      };
      for (const answer of Object.values(reply.json.answers))
        if (answer.noul < 0.5) answer.noul = 0.5;
      return reply;
    });
    expect(printed(await run("--json", "--on-uncertain", "fallback", "x")).fallback).toBe(true);
    expect(
      printed(await run("--json", "--max-tools", "1", "x")).tools.filter(({ kept }) => kept),
    ).toHaveLength(1);
  });

  it("works offline by default", async () => {
    const { stdout, exitCode } = await runToEnd(
      createTryCommand,
      "--tools",
      file,
      "--json",
      "Look my order up",
    );
    expect(exitCode).toBe(0);
    expect(printed({ stdout, stderr: "", exitCode }).reason).not.toBe("judge-error");
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    { title: "no request", args: [], message: "Expected `the request` to be what a user asks" },
    { title: "a blank request", args: ["  "], message: "Expected `the request`" },
    {
      title: "a wrong number",
      args: ["--max-tools", "many", "x"],
      message: "Expected `--max-tools` to be an integer from 1",
    },
    {
      title: "a wrong word",
      args: ["--on-uncertain", "panic", "x"],
      message: "Expected `--on-uncertain` to be keep or fallback",
    },
    {
      title: "a misspelt option",
      args: ["--maxtools", "3", "x"],
      message: "There is no option `--maxtools`",
    },
  ])("exits with 2 and says why: $title", async ({ args, message }) => {
    const { stdout, stderr, exitCode } = await run(...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it.each(["", "null", "[]", '{"servers":[]}', "[1"])(
    "exits with 2 at a file of %j",
    async (text) => {
      await writeFile(file, text);
      const { stderr, exitCode } = await run("x");
      expect(exitCode).toBe(2);
      expect(stderr).toContain("Expected a JSON list of tools");
    },
  );
});
