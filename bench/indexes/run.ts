/**
 * Measures the tool indexes, and what one would pick instead, on public catalogs; writes RESULTS.md
 * beside itself.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadTextEncoder } from "../../src/encoder/load-text-encoder.js";
import { createHybridToolIndex, createLexicalToolIndex } from "../../src/index.js";
import type { ToolDescription, ToolIndex } from "../../src/index.js";
import { embeddingToolIndex } from "../../src/models.js";
import { readSources } from "../../training/sources.js";
import type { Part } from "../../training/sources.js";
import {
  bm25Ranker,
  mastraRanker,
  median,
  miniSearchRanker,
  type Ranker,
  type Ranking,
  type RankingTask,
} from "../quality/rankers.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    "skip-mastra": { type: "boolean", default: false },
    "skip-embedding": { type: "boolean", default: false },
    "skip-words": { type: "boolean", default: false },
    "embed-tools": { type: "string", default: "500" },
    "embed-cases": { type: "string", default: "200" },
  },
});
const { data } = values;
if (data === undefined) {
  process.stderr.write(
    "Usage: npm run bench:indexes -- --data FOLDER [--skip-mastra] [--skip-words] [--skip-embedding] [--embed-tools 500] [--embed-cases 200]\n",
  );
  process.exit(2);
}

interface Task extends RankingTask {
  readonly needed: readonly (readonly string[])[];
}

const parts = readSources(data).flatMap((source) => source.parts);

/** The cases over a whole catalog, by their first user message. */
function toTask(name: string, chosen: readonly Part[]): Task {
  const [first] = chosen;
  const labelled = chosen.flatMap(({ cases }) =>
    cases.flatMap(({ labelled: { needed, candidates, messages } }) =>
      needed === null || needed.length === 0 ? [] : [{ needed, candidates, messages }],
    ),
  );
  const whole = labelled.filter(({ candidates }) => candidates === null);
  const cases = whole.length > 0 ? whole : labelled;
  return {
    name,
    catalog: first?.catalog ?? new Map<string, ToolDescription>(),
    queries: cases.map(({ messages }) => messages.find(({ role }) => role === "user")?.text ?? ""),
    needed: cases.map(({ needed }) => [...new Set(needed)]),
  };
}

const partsNamed = (...names: readonly string[]): readonly Part[] =>
  parts.filter(({ name }) => names.includes(name));
const tasks: readonly Task[] = [
  toTask("Seal-Tools", partsNamed("Seal-Tools")),
  toTask("StableToolBench", partsNamed("StableToolBench")),
  toTask("MetaTool", partsNamed("MetaTool")),
  toTask("BFCL, pooled", partsNamed("BFCL live", "BFCL")),
];

async function rankWithIndex(
  create: () => ToolIndex,
  { catalog, queries }: RankingTask,
  limit: number,
): Promise<Ranking> {
  const index = create();
  const start = performance.now();
  // One name may have several definitions: the id tells them apart.
  const tools = Array.from(catalog, ([name, tool]) => ({ ...tool, name }));
  await index.indexTools("bench", tools);
  await index.search({ sessionId: "bench", query: "the first search sorts" });
  const indexMs = performance.now() - start;
  const latencies: number[] = [];
  const rankings: (readonly string[])[] = [];
  for (const query of queries) {
    const queryStart = performance.now();
    const request = { sessionId: "bench", query, maxResults: limit };
    const { matches } = await index.search(request);
    latencies.push(performance.now() - queryStart);
    rankings.push(matches.map(({ name }) => name));
  }
  return { rankings, indexMs, medianMs: median(latencies) };
}

function indexRanker(name: string, create: () => ToolIndex): Ranker {
  return {
    name,
    async rank(given, limit) {
      const results: Ranking[] = [];
      for (const task of given) results.push(await rankWithIndex(create, task, limit));
      return results;
    },
  };
}

const encoder = values["skip-embedding"] ? null : await loadTextEncoder();
/** Vectors of the encoder, once for the two indexes that use them. */
const known = new Map<string, Float32Array>();
const embeddings = {
  async embedDocuments(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const missing = texts.filter((text) => !known.has(text));
    const vectors = (await encoder?.encodeAll(missing)) ?? [];
    for (const [at, vector] of vectors.entries()) known.set(missing[at] ?? "", vector);
    return texts.map((text) => known.get(text) ?? new Float32Array());
  },
  async embedQuery(text: string): Promise<Float32Array> {
    return (await encoder?.encodeAll([text]))?.[0] ?? new Float32Array();
  },
};

const lexical = indexRanker("lexical index", () => createLexicalToolIndex());
const wordRankers: readonly Ranker[] = [
  lexical,
  bm25Ranker,
  miniSearchRanker,
  ...(values["skip-mastra"] ? [] : [mastraRanker]),
];
const meaningRankers: readonly Ranker[] = [
  lexical,
  indexRanker("embedding index", () => embeddingToolIndex({ embeddings, topK: 64 })),
  indexRanker("hybrid of both", () =>
    createHybridToolIndex(createLexicalToolIndex(), embeddingToolIndex({ embeddings, topK: 64 })),
  ),
];

/** Cases at even distances. */
function sampleCases(task: Task, count: number): Task {
  const step = Math.max(1, task.queries.length / count);
  const isChosen = (_: unknown, at: number): boolean =>
    Math.floor(at / step) !== Math.floor((at - 1) / step);
  return { ...task, queries: task.queries.filter(isChosen), needed: task.needed.filter(isChosen) };
}

/** The mean share of the needed tools among the first so many, in per cent. */
function recallAt(limit: number, { needed }: Task, { rankings }: Ranking): string {
  const shares = needed.map((wanted, at) => {
    const found = new Set(rankings[at]?.slice(0, limit));
    return wanted.filter((id) => found.has(id)).length / wanted.length;
  });
  return ((100 * shares.reduce((a, b) => a + b, 0)) / shares.length).toFixed(1);
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Two tables: what each ranker finds in each task, and how long it takes. */
async function measure(rankers: readonly Ranker[], tasks: readonly Task[]): Promise<string> {
  const header = tasks.map(
    ({ name, catalog, queries }) => `${name}: ${catalog.size} tools, ${queries.length} cases`,
  );
  const recallRows: string[] = [];
  const timeRows: string[] = [];
  for (const ranker of rankers) {
    const results = await ranker.rank(tasks, 64);
    const pairs = tasks.map((task, at) => [task, results[at] as Ranking] as const);
    const recalls = pairs.map(([task, result]) =>
      [20, 64].map((limit) => recallAt(limit, task, result)).join(" / "),
    );
    const times = pairs.map(
      ([, { medianMs, indexMs }]) => `${medianMs.toFixed(1)} / ${(indexMs / 1000).toFixed(2)} s`,
    );
    recallRows.push(row([ranker.name, ...recalls]));
    timeRows.push(row([ranker.name, ...times]));
    process.stderr.write(`${recallRows.at(-1)}\n`);
  }
  const table = (rows: readonly string[]): string =>
    [row(["", ...header]), row(["---", ...header.map(() => "---:")]), ...rows].join("\n");
  return `## Recall among the first 20 / 64, in per cent

${table(recallRows)}

## Median time of a search in ms / time to index

${table(timeRows)}
`;
}

const flags = Object.entries(values)
  .filter(([name, value]) => name !== "data" && value !== false)
  .map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`))
  .join(" ");
const command = `\`npm run bench:indexes -- --data FOLDER ${flags}\` on Node ${process.versions.node}, one process on two cores that other work shared: times are upper bounds.`;
const method =
  "The query is the first user message of a case. Recall is the mean share of the tools that a case needs among the first matches. Field weights and synonyms of the lexical index were chosen while looking at these four catalogs.";

if (!values["skip-words"]) {
  const text = `# Tool indexes: words

${command}

${method} BFCL holds many near-copies: 62 definitions of \`get_current_weather\` alone, of which a case needs one.

${await measure(wordRankers, tasks)}`;
  await writeFile(join(import.meta.dirname, "RESULTS.md"), text);
}
if (encoder !== null) {
  const small = tasks
    .filter(({ catalog }) => catalog.size <= Number(values["embed-tools"]))
    .map((task) => sampleCases(task, Number(values["embed-cases"])));
  const text = `# Tool indexes: words and meaning

${command} Encoder \`${encoder.id}\`.

${method} Catalogs of up to ${values["embed-tools"]} tools, ${values["embed-cases"]} cases at even distances. **The encoder was trained on requests of these sources** (training/encoder/provenance.json): expect less on others. The vectors are computed once, for the embedding index; the hybrid finds them.

${await measure(meaningRankers, small)}`;
  await writeFile(join(import.meta.dirname, "MEANING.md"), text);
}
