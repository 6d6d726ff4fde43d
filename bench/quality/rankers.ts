/** Rankers of whole catalogs: what a user would pick instead, and a judge asked about every tool at once. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MiniSearch from "minisearch";
import type { Catalog } from "../../src/evaluation/catalog.js";
import { createBm25, toolText } from "./bm25.js";

/** Requests against one catalog. */
export interface RankingTask {
  readonly name: string;
  readonly catalog: Catalog;
  readonly queries: readonly string[];
}

/** For each query the ids of the best tools, the best first; and how long one query took. */
export interface Ranking {
  readonly rankings: readonly (readonly string[])[];
  readonly indexMs: number;
  readonly medianMs: number;
}

export interface Ranker {
  readonly name: string;
  rank(tasks: readonly RankingTask[], limit: number): Promise<readonly Ranking[]>;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Positions of the highest scores; ties in catalog order. */
function best(scores: ArrayLike<number>, limit: number): readonly number[] {
  return Array.from(scores, (score, index) => ({ score, index }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, limit)
    .map(({ index }) => index);
}

type Search = (query: string) => Promise<readonly string[]> | readonly string[];

/** A ranker from a function that prepares a search over a catalog. */
function inProcess(
  name: string,
  prepare: (catalog: Catalog, limit: number) => Promise<Search> | Search,
): Ranker {
  async function rankOne({ catalog, queries }: RankingTask, limit: number): Promise<Ranking> {
    const start = performance.now();
    const search = await prepare(catalog, limit);
    const indexMs = performance.now() - start;
    const latencies: number[] = [];
    const rankings: (readonly string[])[] = [];
    for (const query of queries) {
      const queryStart = performance.now();
      rankings.push(await search(query));
      latencies.push(performance.now() - queryStart);
    }
    return { rankings, indexMs, medianMs: median(latencies) };
  }
  return {
    name,
    async rank(tasks, limit) {
      const results: Ranking[] = [];
      for (const task of tasks) results.push(await rankOne(task, limit));
      return results;
    },
  };
}

/** BM25 over names, descriptions and parameters. */
export const bm25Ranker = inProcess("BM25", (catalog, limit) => {
  const ids = [...catalog.keys()];
  const score = createBm25(Array.from(catalog.values(), toolText));
  return (query) => best(score(query), limit).map((index) => ids[index] ?? "");
});

/** MiniSearch over the same text, with its own defaults. */
export const miniSearchRanker = inProcess("MiniSearch", (catalog, limit) => {
  const index = new MiniSearch<{ readonly id: string; readonly text: string }>({
    fields: ["text"],
  });
  index.addAll(
    Array.from(catalog, ([id, tool]) => ({
      id,
      text: toolText(tool).replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2"),
    })),
  );
  return (query) =>
    index
      .search(query)
      .slice(0, limit)
      .map(({ id }) => String(id));
});

const peers = { "@mastra/core": "1.71.0", node: "22.23.3" } as const;

/** Installs the peers that need another Node, once, outside the repository. */
function installPeers(): string {
  const folder = join(tmpdir(), "toolsieve-bench");
  const manifest = join(folder, "package.json");
  const wanted = JSON.stringify({
    private: true,
    dependencies: peers,
    allowScripts: { node: true },
  });
  const isInstalled = existsSync(manifest) && readFileSync(manifest, "utf8") === wanted;
  if (isInstalled && existsSync(join(folder, "node_modules", ".bin", "node"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, wanted);
  execFileSync(
    "npm",
    ["install", "--prefix", folder, "--no-audit", "--no-fund", "--no-package-lock"],
    {
      stdio: ["ignore", 2, 2],
    },
  );
  return folder;
}

/** The tool search of @mastra/core, through its own search tool, in a process of its own. */
export const mastraRanker: Ranker = {
  name: `Mastra ${peers["@mastra/core"]}`,
  async rank(tasks, limit) {
    const folder = installPeers();
    const input = join(folder, "input.json");
    const output = join(folder, "output.json");
    const jobs = tasks.map(({ catalog, queries }) => ({
      tools: Array.from(catalog, ([key, { description }]) => ({
        key,
        description: description ?? "",
      })),
      queries,
      limit,
    }));
    writeFileSync(input, JSON.stringify(jobs));
    const node = createRequire(join(folder, "package.json")).resolve("node/bin/node");
    const worker = join(import.meta.dirname, "mastra-worker.mjs");
    execFileSync(node, [worker, folder, input, output], { stdio: ["ignore", 2, 2] });
    return JSON.parse(readFileSync(output, "utf8")) as readonly Ranking[];
  },
};
