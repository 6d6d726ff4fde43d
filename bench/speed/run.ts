/** How long the embedded judge takes, beside two searches over the same tools in the same run; writes RESULTS.md beside itself. Needs `npm run build`. */

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import MiniSearch from "minisearch";
import type { Judge, ToolDescription } from "../../src/core/types.js";
import { parseCases } from "../../src/evaluation/cases.js";
import { parseCatalog } from "../../src/evaluation/catalog.js";
import { seededRandom, shuffled } from "../../src/evaluation/random.js";
import { createBm25, toolText } from "../quality/bm25.js";
import { median } from "../quality/rankers.js";

const { values } = parseArgs({ options: { data: { type: "string" } } });
if (values.data === undefined) {
  process.stderr.write("Usage: npm run bench:speed -- --data FOLDER\n");
  process.exit(2);
}
const folder = values.data;
const dist = new URL("../../dist/", import.meta.url).href;
const { localJudge } = (await import(`${dist}index.js`)) as { readonly localJudge: () => Judge };

const read = (file: string): Promise<string> => readFile(join(folder, file), "utf8");
const catalog = [...parseCatalog(await read("sealtools_catalog.jsonl")).values()];
const queries = shuffled(parseCases(await read("sealtools_cases.jsonl")), seededRandom("speed"))
  .slice(0, 200)
  .map(({ messages }) => messages[0]?.text ?? "");

type Ask = (query: string) => unknown;

const { signal } = new AbortController();

function judgeAsk(judge: Judge, candidates: readonly ToolDescription[]): Ask {
  return (text) =>
    judge.judge(
      { context: { request: text, messages: [{ role: "user", text }] }, candidates },
      { signal },
    );
}

function miniSearchAsk(tools: readonly ToolDescription[]): Ask {
  const index = new MiniSearch<{ readonly id: number; readonly text: string }>({
    fields: ["text"],
  });
  index.addAll(tools.map((tool, id) => ({ id, text: toolText(tool) })));
  return (query) => index.search(query);
}

/** Medians in milliseconds; the contenders take turns, so that a busy machine slows all alike. */
async function medians(
  contenders: Readonly<Record<string, Ask>>,
): Promise<ReadonlyMap<string, number>> {
  const latencies = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
  for (const query of [...queries, ...queries]) {
    for (const [name, ask] of Object.entries(contenders)) {
      const start = performance.now();
      await ask(query);
      latencies.get(name)?.push(performance.now() - start);
    }
  }
  return new Map(Array.from(latencies, ([name, all]) => [name, median(all.slice(queries.length))]));
}

/** The first judgment of a catalog reads every tool: fresh objects each time. */
async function firstJudgment(judge: Judge, tools: readonly ToolDescription[]): Promise<number> {
  const latencies: number[] = [];
  for (const query of queries.slice(0, 20)) {
    const ask = judgeAsk(judge, structuredClone(tools));
    const start = performance.now();
    await ask(query);
    latencies.push(performance.now() - start);
  }
  return median(latencies);
}

/** In a process of its own: importing the package, then the first judgment of one tool; and the memory after it. */
function load(): { readonly importMs: number; readonly loadMs: number; readonly rssMb: number } {
  const script = `
    const start = performance.now();
    const { localJudge } = await import(${JSON.stringify(`${dist}index.js`)});
    const imported = performance.now();
    await localJudge().judge(
      { context: { request: "weather in Oslo", messages: [] }, candidates: [{ name: "get_weather", description: "Weather of a city" }] },
      { signal: new AbortController().signal },
    );
    console.log(JSON.stringify({ importMs: imported - start, loadMs: performance.now() - imported, rssMb: process.memoryUsage().rss / 2 ** 20 }));`;
  const runs = Array.from({ length: 7 }, () => {
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    return JSON.parse(output) as { importMs: number; loadMs: number; rssMb: number };
  });
  return {
    importMs: median(runs.map(({ importMs }) => importMs)),
    loadMs: median(runs.map(({ loadMs }) => loadMs)),
    rssMb: median(runs.map(({ rssMb }) => rssMb)),
  };
}

const judge = localJudge();
const rows: string[] = [];
for (const size of [64, 1000]) {
  const tools = catalog.slice(0, size);
  const times = await medians({
    judge: judgeAsk(judge, tools),
    bm25: createBm25(tools.map(toolText)),
    miniSearch: miniSearchAsk(tools),
  });
  const own = times.get("judge") ?? Number.NaN;
  const beside = (name: string): string => {
    const time = times.get(name) ?? Number.NaN;
    return `${time.toFixed(2)} (×${(own / time).toFixed(1)})`;
  };
  const first = await firstJudgment(judge, tools);
  rows.push(
    `| ${size} | ${own.toFixed(2)} | ${first.toFixed(1)} | ${beside("bm25")} | ${beside("miniSearch")} |`,
  );
}
const { importMs, loadMs, rssMb } = load();

const text = `# Speed of the embedded judge

\`npm run bench:speed -- --data FOLDER\` on Node ${process.versions.node}, judge \`${judge.id}\`. Medians in milliseconds over ${queries.length} requests of Seal-Tools, one process, the contenders in turn; in brackets the judge's time as a multiple of the other's.
A judgment gives a calibrated probability for every tool; the two searches rank, over an index built beforehand.

| tools | one judgment | first judgment of a catalog | plain BM25 | MiniSearch |
| ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}

In a new process: importing the package ${importMs.toFixed(0)} ms, then loading the weights with the first judgment of one tool ${loadMs.toFixed(0)} ms, ${rssMb.toFixed(0)} MB resident after it.
`;
await writeFile(join(import.meta.dirname, "RESULTS.md"), text);
process.stdout.write(text);
