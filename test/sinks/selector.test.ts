/** Sinks behind a selector: turns are unaffected by a disk or a server that fails, and nothing but records gets out. */

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createToolSelector,
  JudgeHttpError,
  memorySink,
  parseSelectionRecord,
} from "../../src/index.js";
import type { Sink, ToolSelectorOptions } from "../../src/index.js";
import { jsonlSink } from "../../src/node.js";
import { postgresSink } from "../../src/postgres.js";
import { fakeJudge, type FakeJudgeOptions } from "../../src/testing/fake-judge.js";
import { postgresServers } from "../support/postgres.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { assistant, toolResult, toolsNamed, turnOf, user } from "../support/turns.js";

const tools = toolsNamed("query", "refund");

function setUp(sink: Sink, options: ToolSelectorOptions = {}, judge: FakeJudgeOptions = {}) {
  const warn = vi.fn<(message: string) => void>();
  const selector = createToolSelector({
    judge: fakeJudge({ probabilities: { query: 0.95, refund: 0.05 }, ...judge }),
    mode: "enforce",
    sinks: sink,
    logger: { warn },
    ...options,
  });
  const run = () =>
    selector.run(turnOf(tools), {
      callModel: async (offered) => offered.map(({ name }) => name),
      readOutcome: (called) => ({ called }),
    });
  return { selector, run, warn };
}

describe.each(["shadow", "enforce"] as const)("a disk that fails, in %s", (mode) => {
  it.skipIf(!existsSync("/dev/full")).each([
    ["a full disk", async () => "/dev/full"],
    ["a path that cannot be written", temporaryDirectory],
  ])("%s: every turn gets its answer, one warning, all losses counted", async (_, path) => {
    const sink = jsonlSink(await path());
    const { selector, run, warn } = setUp(sink, { mode });
    const expected = mode === "enforce" ? ["query"] : ["query", "refund"];
    for (let turn = 0; turn < 5; turn += 1) await expect(run()).resolves.toEqual(expected);
    await selector.close();
    expect(sink.stats()).toEqual({ written: 0, dropped: 0, failed: 5, queued: 0 });
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe("a content-free log", () => {
  const canary = "xCANARYx";

  it("holds nothing of texts, arguments, results, keys and error bodies, and is its owner's alone", async () => {
    const path = join(await temporaryDirectory(), "shadow.jsonl");
    const beside = memorySink();
    const failing = new JudgeHttpError(`body: ${canary}`, {
      status: 500,
      cause: new Error(canary),
    });
    for (const judge of [{}, { error: failing }, { error: new Error(canary) }]) {
      const selector = createToolSelector({
        judge: fakeJudge({ probabilities: { query: 0.95, refund: 0.05 }, ...judge }),
        sinks: [jsonlSink(path), beside],
      });
      const messages = [
        { role: "system", text: canary },
        user(`${canary} please`),
        {
          ...assistant(canary, "query"),
          toolCalls: [{ id: "1", name: "query", args: { key: canary } }],
        },
        toolResult("query", canary),
        user(`and ${canary}`),
      ];
      const step = {
        callModel: async () => ({ text: canary, calls: ["query"] }),
        readOutcome: ({ calls }: { readonly calls: readonly string[] }) => ({ called: calls }),
      };
      await selector.run(turnOf(tools, { messages }), step);
      const failed = { ...step, callModel: () => Promise.reject(new Error(canary)) };
      await expect(selector.run(turnOf(tools, { messages }), failed)).rejects.toThrow(canary);
      await selector.close();
    }
    const log = await readFile(path, "utf8");
    expect(log.split("\n").slice(0, -1).map(parseSelectionRecord)).toEqual(beside.records);
    expect(beside.records).toHaveLength(6);
    expect(log).not.toContain(canary);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe.each(postgresServers)("agents that run while %s is stopped and started", (_, open) => {
  it("lose no record and are never delayed", { timeout: 60_000 }, async () => {
    const server = await open();
    onTestFinished(server.dispose);
    const table = `records_${process.pid}_${Date.now()}`;
    const sink = postgresSink({ connectionString: server.url, table });
    const { selector, run } = setUp(sink);
    let turns = 0;
    let slowestMs = 0;
    const runSome = async (count: number): Promise<void> => {
      for (const end = turns + count; turns < end; turns += 1) {
        const start = performance.now();
        await expect(run()).resolves.toEqual(["query"]);
        slowestMs = Math.max(slowestMs, performance.now() - start);
      }
    };
    await runSome(50);
    await server.stop();
    await runSome(50);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await runSome(50);
    expect(sink.stats().queued).toBeGreaterThanOrEqual(100);
    await server.start();
    await runSome(50);
    await selector.flush({ timeoutMs: 20_000 });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(DISTINCT record->>'id')::int AS count FROM ${table}`,
    );
    await client.end();
    await selector.close();
    expect(rows).toEqual([{ count: 200 }]);
    expect(sink.stats()).toEqual({ written: 200, dropped: 0, failed: 0, queued: 0 });
    // Far below any time-out or pause of the sink.
    expect(slowestMs).toBeLessThan(1000);
  });
});
