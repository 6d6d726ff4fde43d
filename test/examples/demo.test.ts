/** The demo, run as a user would run it: real MCP servers, a real agent, no network and no keys. */

import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseSelectionRecord } from "toolsieve";
import type { SelectionRecord } from "toolsieve";
import { demoServers, startServers } from "../../examples/demo/servers.js";
import { createStory } from "../../examples/demo/story.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Interrupts the demo, as Ctrl-C does, once this was printed. */
  readonly interruptAt?: string;
}

/** Runs the demo in a folder; it has to end by itself. */
async function runDemo(folder: string, { env = {}, interruptAt }: RunOptions = {}): Promise<Run> {
  const args = ["--import", at("node_modules/tsx/dist/loader.mjs"), at("examples/demo/main.ts")];
  const options = {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      TSX_TSCONFIG_PATH: at("tsconfig.json"),
      ...env,
    },
    timeout: 60_000,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
    child.stdout?.on("data", (chunk: string) => {
      if (interruptAt !== undefined && chunk.includes(interruptAt)) child.kill("SIGINT");
    });
  });
}

/** Processes that were started with this folder as their home and still run, by /proc; none where there is no /proc. */
async function leftProcesses(folder: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")),
  );
  return environments.filter((text) => text.split("\0").includes(`HOME=${folder}`));
}

interface CompletionRequest {
  readonly tools?: readonly unknown[];
}

/** A service that speaks chat completions and always says the same. */
async function startOpenAI(): Promise<{ url: string; requests: readonly CompletionRequest[] }> {
  const requests: CompletionRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(JSON.parse(await text(request)) as CompletionRequest);
    const message = { role: "assistant", content: "That is what I know." };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1,
        model: "gpt-5-mini",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

async function readLog(folder: string): Promise<readonly SelectionRecord[]> {
  const text = await readFile(join(folder, "shadow.jsonl"), "utf8");
  return text.trimEnd().split("\n").map(parseSelectionRecord);
}

describe("the demo", { timeout: 90_000 }, () => {
  it("runs a story over at least 120 real tools, in shadow and in enforce, and shows a real miss", async () => {
    const folder = await temporaryDirectory();
    const { code, stdout, stderr } = await runDemo(folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

    expect(Number(/together +(\d+) tools/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(120);
    expect(stdout).toContain("SCRIPTED model");
    expect(stdout).toMatch(
      /MISS +\S+ was called, and enforce would have hidden it \(\S+ at 0\.\d{3}\)/,
    );
    expect(stdout).toContain("toolsieve -- report shadow.jsonl");
    // No colour where there is no terminal.
    expect(stdout).not.toContain("\u001B");

    const records = await readLog(folder);
    const shadow = records.filter(({ enforced }) => !enforced);
    const enforced = records.filter((record) => record.enforced);
    expect(shadow.length).toBeGreaterThan(10);
    expect(enforced).toHaveLength(shadow.length);
    expect(shadow.every(({ offered, catalog }) => offered.tools === catalog.tools)).toBe(true);
    expect(enforced.some(({ offered, catalog }) => offered.tools < catalog.tools / 4)).toBe(true);
    expect(shadow.flatMap(({ outcome }) => outcome?.missed ?? [])).not.toEqual([]);
    // The tools were really executed.
    expect(stdout).toContain("# Release 4.2");
    expect(stdout).toContain("1250 and 890 is 2140");
    expect(stdout).toContain("Successfully wrote to");

    const log = await readFile(join(folder, "shadow.jsonl"), "utf8");
    for (const { user, answer } of createStory(folder)) {
      expect(log).not.toContain(user.slice(0, 20));
      expect(log).not.toContain(answer.slice(0, 20));
    }
    expect(log).not.toContain("Dana");
    expect(await leftProcesses(folder)).toEqual([]);
    // A record is written when its judge is done: in shadow the order of the steps is not that of the lines.
    const called = shadow.flatMap(({ outcome }) => outcome?.called ?? []);
    const scripted = createStory(folder).flatMap(({ steps }) => steps.flat());
    expect(called.toSorted()).toEqual(scripted.map(({ name }) => name).toSorted());
  });

  it("asks the real model where a key is set, with as many tools as the provider takes", async () => {
    const folder = await temporaryDirectory();
    const { url, requests } = await startOpenAI();
    const { code, stdout } = await runDemo(folder, {
      env: { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: url },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("gpt-5-mini of openai");
    expect(stdout).not.toContain("SCRIPTED");
    expect(stdout).toContain("agent  That is what I know.");
    const offered = requests.map(({ tools }) => tools?.length ?? 0);
    expect(Math.max(...offered)).toBeGreaterThanOrEqual(120);
    expect(Math.max(...offered)).toBeLessThanOrEqual(128);
    expect(Math.min(...offered)).toBeLessThan(60);
  });

  it("ends its servers when it is interrupted", async () => {
    const folder = await temporaryDirectory();
    const { code, stdout, stderr } = await runDemo(folder, { interruptAt: "step 1" });
    expect(code).toBe(1);
    expect(stderr).toContain("The demo stopped: interrupted");
    expect(stdout).not.toContain("What it comes to");
    expect(await leftProcesses(folder)).toEqual([]);
  });

  it("stops with one clear sentence where a key is set and the package of its provider is missing", async () => {
    const folder = await temporaryDirectory();
    const { code, stderr } = await runDemo(folder, { env: { ANTHROPIC_API_KEY: "test-key" } });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(
      "The demo stopped: ANTHROPIC_API_KEY is set, but @langchain/anthropic is not installed: run `npm install --no-save @langchain/anthropic`, or unset the key.",
    );
    expect(await leftProcesses(folder)).toEqual([]);
  });
});

describe("the servers of the demo", () => {
  it("go on without one that does not start, and say which and why", async () => {
    const folder = await temporaryDirectory();
    const silent = join(folder, "silent.mjs");
    await writeFile(silent, "setInterval(() => {}, 1000);");
    const [, memory] = demoServers(folder, join(folder, "memory.jsonl"));
    if (memory === undefined) throw new Error("no memory server");
    const servers = await startServers(
      [{ name: "absent", script: "no-such-server.js" }, { name: "silent", script: silent }, memory],
      { timeoutMs: 6000 },
    );
    onTestFinished(() => servers.close());
    expect(servers.running.map(({ name }) => name)).toEqual(["memory"]);
    expect(servers.running[0]?.tools.map(({ name }) => name)).toContain("memory__search_nodes");
    expect(servers.failed.map(({ name }) => name)).toEqual(["absent", "silent"]);
    expect(servers.failed[1]?.reason).toContain("no answer in 6 s");
  });
});
