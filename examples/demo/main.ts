/**
 * The demo: a real `createAgent` agent with more than 120 tools of real MCP servers, first in shadow, then in enforce.
 * `npm run demo`; offline, and without credentials. Writes `shadow.jsonl` into the current folder.
 */

import { randomUUID } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SelectionRecord, Sink } from "toolsieve";
import { jsonlSink } from "toolsieve/node";
import { startConversation } from "./conversation.js";
import { chooseModel } from "./model.js";
import type { DemoModel } from "./model.js";
import { count, describePolicy, describeStep, describeTotals, heading, paint } from "./print.js";
import { demoServers, startServers } from "./servers.js";
import type { RunningServer, Servers } from "./servers.js";
import { createStory, writeWorkspace } from "./story.js";
import type { StoryTurn } from "./story.js";

const fewestTools = 120;
const logFile = "shadow.jsonl";

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const countTools = (servers: readonly RunningServer[]): number =>
  servers.reduce((total, { tools }) => total + tools.length, 0);

/** Says which servers run; a demo of a few tools would show nothing. */
function checkServers({ running, failed }: Servers): void {
  for (const { name, tools } of running) print(`  ${name.padEnd(12)} ${tools.length} tools`);
  for (const { name, reason } of failed) {
    print(paint("red", `  ${name.padEnd(12)} did not start: ${reason}`));
  }
  const total = countTools(running);
  print(`  ${"together".padEnd(12)} ${total} tools`);
  if (total < fewestTools) {
    throw new Error(
      `The demo needs at least ${fewestTools} tools, and got ${total}. Did \`npm ci\` install everything?`,
    );
  }
}

/** Leaves out whole servers, the last first, until a provider takes what is left. */
function withinLimit(
  servers: readonly RunningServer[],
  maxTools: number,
): readonly RunningServer[] {
  if (countTools(servers) <= maxTools) return servers;
  const dropped = servers.at(-1);
  print(`  without ${dropped?.name}: the provider takes at most ${maxTools} tools`);
  return withinLimit(servers.slice(0, -1), maxTools);
}

interface Talk {
  readonly mode: "shadow" | "enforce";
  readonly story: readonly StoryTurn[];
  readonly model: DemoModel["model"];
  readonly servers: readonly RunningServer[];
  readonly folder: string;
  readonly sink: Sink;
  readonly signal: AbortSignal;
}

/** Has the conversation of the story in one mode, and prints it. */
async function talk({ story, servers, ...rest }: Talk): Promise<readonly SelectionRecord[]> {
  const conversation = startConversation({
    ...rest,
    tools: servers.flatMap(({ tools }) => tools),
    threadId: `${rest.mode}-${randomUUID()}`,
  });
  print(`  ${describePolicy(conversation.policy)}`);
  const all: SelectionRecord[] = [];
  for (const { user } of story) {
    print(`\n  ${paint("bold", `user   ${user}`)}`);
    const { answer, steps } = await conversation.ask(user);
    for (const [index, step] of steps.entries()) print(describeStep(step, steps[index - 1]));
    print(`  ${paint("green", `agent  ${answer}`)}`);
    all.push(...steps.map(({ record }) => record));
  }
  return all;
}

/** Runs the story in both modes, on the same files and memory. */
async function demonstrate(root: string, signal: AbortSignal): Promise<void> {
  print(heading("Starting MCP servers"));
  const folder = await mkdtemp(join(root, "workspace-"));
  await writeWorkspace(folder);
  const servers = await startServers(demoServers(folder, join(root, "memory.jsonl")));
  const sink = jsonlSink(logFile);
  try {
    checkServers(servers);
    const story = createStory(folder);
    const { model, label, maxTools } = await chooseModel(story, process.env);
    const offered = withinLimit(servers.running, maxTools);
    print(`\nThe model: ${paint("bold", label)}`);
    const shared = { story, model, servers: offered, folder, sink, signal };

    print(heading("Shadow: the model gets every tool; the selection is only recorded"));
    const shadow = await talk({ ...shared, mode: "shadow" });
    print(heading("Enforce: the model gets what was kept"));
    const enforce = await talk({ ...shared, mode: "enforce" });

    print(heading("What it comes to"));
    print(describeTotals("shadow", shadow));
    print(describeTotals("enforce", enforce));
    print("  A miss in enforce runs, if the model names the tool: hiding is not authorisation.");
    printNextSteps(shadow.length + enforce.length);
  } finally {
    await Promise.all([servers.close(), sink.close?.()]);
  }
}

function printNextSteps(records: number): void {
  print(heading("Next"));
  print(
    `  ${count(records)} records went to ${resolve(logFile)}: names and numbers, no message text.`,
  );
  print("  May this agent enforce? The report says so, or why not yet:");
  print(`    ${paint("bold", `npm run toolsieve -- report ${logFile} --out report.html`)}`);
}

async function main(): Promise<void> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("interrupted")));
  // A reader that leaves early (`| head`) ends the demo too.
  process.stdout.once("error", () => interrupt.abort(new Error("nobody reads the output")));
  // Resolved, because the filesystem server compares real paths.
  const root = await mkdtemp(join(await realpath(tmpdir()), "toolsieve-demo-"));
  try {
    await demonstrate(root, interrupt.signal);
  } catch (error) {
    process.stderr.write(`\n${paint("red", `The demo stopped: ${(error as Error).message}`)}\n`);
    process.exitCode = 1;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

await main();
