/**
 * What enforcing costs and saves under prompt caching: six turns with a toggling tool, and threads
 * of 30 requests over the demo's catalog. Writes RESULTS.md beside itself.
 */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoServers, startServers } from "../../examples/demo/servers.js";
import { describeLangChainTool } from "../../src/adapters/describe-langchain-tool.js";
import type { ToolSelectorOptions } from "../../src/core/options.js";
import type { Selection, ToolDescription, TurnMessage } from "../../src/core/types.js";
import { createToolSelector } from "../../src/index.js";
import { addUpCost, findBreakEven } from "./cost.js";
import type { CachePrices, ModelCall } from "./cost.js";

const prices: readonly CachePrices[] = [
  { name: "read 0.1, write 1.25", read: 0.1, write: 1.25 },
  { name: "read 0.25, write 1", read: 0.25, write: 1 },
];
const full = 25_000;
const selected = 5000;
const turnTokens = 300;

/** Six turns: the whole catalog, a block that toggles one tool of 200 tokens, and the same with `sticky`. */
function toggle(
  history: number,
): Readonly<Record<"unfiltered" | "toggling" | "sticky", ModelCall[]>> {
  const turns = [0, 1, 2, 3, 4, 5];
  const call = (turn: number, block: string, blockTokens: number): ModelCall => ({
    block,
    blockTokens,
    historyTokens: history + turn * turnTokens,
    newTokens: turnTokens,
  });
  return {
    unfiltered: turns.map((turn) => call(turn, "full", full)),
    toggling: turns.map((turn) => call(turn, String(turn % 2), selected + (turn % 2) * 200)),
    sticky: turns.map((turn) =>
      call(turn, turn === 0 ? "0" : "1", turn === 0 ? selected : selected + 200),
    ),
  };
}

const round = (value: number): string => Math.round(value).toLocaleString("en-US");

function writeToggleTable(): string {
  const rows = prices.flatMap((price) =>
    [2000, 10_000, 40_000].map((history) => {
      const calls = toggle(history);
      const [whole, toggling, sticky] = [calls.unfiltered, calls.toggling, calls.sticky].map(
        (list) => addUpCost(list, price),
      ) as [number, number, number];
      const breakEven = findBreakEven({ full, selected, history }, price);
      const best = Math.min(whole, toggling, sticky);
      const verdict =
        best === sticky
          ? "sticky"
          : best === whole
            ? "nothing pays in six turns: leave the catalog whole, or restrict with `allowed-tools`"
            : "no sticky";
      return `| ${price.name} | ${round(history)} | ${round(whole)} | ${round(toggling)} | ${round(sticky)} | ${round(Math.ceil(breakEven))} | ${verdict} |`;
    }),
  );
  return [
    "| cache prices | history | unfiltered | selector, toggling | selector + sticky | turns between block changes from which filtering pays | cheapest |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

interface DemoCase {
  readonly messages: readonly TurnMessage[];
  readonly needs: readonly (readonly string[])[];
}

interface ThreadResult {
  readonly calls: readonly ModelCall[];
  readonly blocks: number;
  readonly changes: number;
  /** Requests whose needed tool was neither offered nor found. */
  readonly lost: number;
  readonly searches: number;
}

const countTokens = (value: unknown): number => Math.ceil((JSON.stringify(value) ?? "").length / 4);

/** A request, the call of the needed tool, and the answer: two steps, or three with a search. */
async function runThread(
  cases: readonly DemoCase[],
  tools: readonly ToolDescription[],
  options: ToolSelectorOptions,
  threadId: string,
): Promise<ThreadResult> {
  const selector = createToolSelector(options);
  const calls: ModelCall[] = [];
  const messages: TurnMessage[] = [];
  let history = 1000;
  let lost = 0;
  let searches = 0;
  const step = async (called: string | null): Promise<Selection<ToolDescription> | undefined> => {
    let used: Selection<ToolDescription> | undefined;
    await selector.run(
      { messages: [...messages], tools, threadId, describe: (tool) => tool },
      {
        callModel: async (offered, selection) => {
          used = selection;
          const block = [...offered, ...(selection?.finder ? [selection.finder] : [])];
          const json = JSON.stringify(block.map(({ name }) => name));
          const blockTokens = countTokens(block);
          calls.push({ block: json, blockTokens, historyTokens: history, newTokens: 200 });
          history += 200;
        },
        readOutcome: () => ({ called: called === null ? [] : [called] }),
      },
    );
    if (called !== null) {
      messages.push({ role: "assistant", text: "", toolCalls: [{ name: called }] });
      messages.push({ role: "tool", text: "ok", toolName: called });
    } else messages.push({ role: "assistant", text: "Done." });
    return used;
  };
  for (const [index, { messages: asked, needs }] of cases.entries()) {
    messages.push(...asked.map((message, at) => ({ ...message, id: `m${index}-${at}` })));
    const wanted = needs.flat();
    const turn = {
      messages: [...messages],
      tools,
      threadId,
      describe: (tool: ToolDescription) => tool,
    };
    const preview = options.mode === "enforce" ? await selector.select(turn) : null;
    const offered = new Set((preview?.tools ?? tools).map(({ name }) => name));
    const found = wanted.find((name) => offered.has(name));
    if (found !== undefined || wanted.length === 0) {
      await step(found ?? null);
      if (found !== undefined) await step(null);
    } else if (preview?.finder) {
      searches += 1;
      await step(preview.finder.name);
      const [request = ""] = asked.slice(-1).map(({ text }) => text);
      const answer = await selector.find(turn, { query: request.slice(0, 1000) });
      const revealed = wanted.find((name) => answer.found.includes(name));
      if (revealed === undefined) lost += 1;
      await step(revealed ?? null);
      if (revealed !== undefined) await step(null);
    } else {
      lost += 1;
      await step(null);
    }
  }
  const changes = calls.filter(({ block }, at) => at > 0 && block !== calls[at - 1]?.block).length;
  return { calls, blocks: new Set(calls.map(({ block }) => block)).size, changes, lost, searches };
}

/** `keep` suits catalogs of this size; nothing is to depend on how busy the machine is. */
const enforced: ToolSelectorOptions = {
  mode: "enforce",
  onUncertain: "keep",
  timeoutMs: 60_000,
};

const variants: readonly (readonly [string, ToolSelectorOptions])[] = [
  ["unfiltered", { mode: "off" }],
  ["selector alone", enforced],
  ["+ sticky", { ...enforced, sticky: "thread" }],
  ["+ sticky + find_tools", { ...enforced, sticky: "thread", findTools: true }],
  [
    "+ sticky + find_tools + rejudge",
    { ...enforced, sticky: "thread", findTools: true, rejudge: "user-message" },
  ],
];

async function writeThreadTable(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolsieve-"));
  const servers = await startServers(demoServers(folder, join(folder, "memory.jsonl")));
  try {
    const catalog = servers.running.flatMap(({ tools }) => tools);
    const tools = catalog.flatMap((tool) => describeLangChainTool(tool) ?? []);
    const file = await readFile(new URL("../quality/demo-cases.jsonl", import.meta.url), "utf8");
    const cases = file
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as DemoCase);
    const threads = [0, 1, 2, 3, 4].map((thread) => cases.filter((_, at) => at % 5 === thread));
    const rows: string[] = [];
    for (const [name, options] of variants) {
      const results: ThreadResult[] = [];
      for (const [index, list] of threads.entries()) {
        results.push(await runThread(list.slice(0, 30), tools, options, `t${index}`));
      }
      const mean = (read: (result: ThreadResult) => number): number =>
        results.reduce((sum, result) => sum + read(result), 0) / results.length;
      const sent = mean(({ calls }) => calls.reduce((sum, call) => sum + call.blockTokens, 0));
      const costs = prices.map((price) => round(mean(({ calls }) => addUpCost(calls, price))));
      const uncached = mean(({ calls }) =>
        calls.reduce(
          (sum, call) => sum + call.blockTokens + call.historyTokens + call.newTokens,
          0,
        ),
      );
      rows.push(
        `| ${name} | ${mean(({ calls }) => calls.length).toFixed(1)} | ${round(sent)} | ${round(uncached)} | ${costs.join(" | ")} | ${mean(({ blocks }) => blocks).toFixed(1)} | ${mean(({ changes }) => changes).toFixed(1)} | ${mean(({ searches }) => searches).toFixed(1)} | ${mean(({ lost }) => lost).toFixed(1)} |`,
      );
    }
    return [
      `${tools.length} tools, ${threads.length} threads of ${Math.min(30, threads[0]?.length ?? 0)} requests; means per thread.`,
      "",
      `| | model calls | tool tokens sent | cost, no cache | ${prices.map(({ name }) => `cost, ${name}`).join(" | ")} | distinct tool blocks | block changes | searches | requests without their tool |`,
      `|---|---|---|---|${prices.map(() => "---|").join("")}---|---|---|---|`,
      ...rows,
    ].join("\n");
  } finally {
    await servers.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const text = `# Enforcing under prompt caching

Made by \`npx tsx bench/enforce/run.ts\`. Costs are input-token equivalents (a fresh token is 1); the judge is the embedded
one, which costs nothing. The first call of a thread writes its whole prefix, filtered or not.

## Six turns in which the judged set toggles one tool (simulated)

Catalog ${round(full)} tokens, selected ${round(selected)} (+200 for the tool that toggles), ${turnTokens} new tokens per turn.

${writeToggleTable()}

## Threads of 30 requests over the demo's catalog

The selector is \`{ mode: "enforce", onUncertain: "keep" }\` with the embedded judge. The model is scripted: it calls the tool that the request needs if it is offered, searches once if there is a finder, and
gives up otherwise. Every call adds 200 tokens to a history that begins with 1,000. A search is made with the user's own words.

${await writeThreadTable()}

What the table says: where every request needs other tools, each of them brings a new block, and with it the whole prefix is
written again. \`sticky\` ends a set that toggles (above); a set that wanders it only makes larger. Under a cache such threads are
cheapest with the catalog left whole, restricted through \`enforcement: "allowed-tools"\` where the model takes it: the block
never changes, and the cost is that of the first row. Without a cache, filtering is cheapest.
`;
await writeFile(new URL("RESULTS.md", import.meta.url), text);
process.stdout.write(text);
