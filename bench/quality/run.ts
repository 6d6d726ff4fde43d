/** Measures the embedded judge, and what one would pick instead, on public data; writes RESULTS.md and results.json beside itself. */

import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Judge } from "../../src/core/types.js";
import { localJudge } from "../../src/judges/local/local-judge.js";
import { leaveOneOut } from "../../training/leave-one-out.js";
import { readSources } from "../../training/sources.js";
import {
  bm25Judge,
  hiddenInHindsight,
  measureAttacks,
  measureRanking,
  measureSelection,
} from "./measure.js";
import type { AttackRow, Part, RankingRow, SelectionRow } from "./measure.js";
import { bm25Ranker, judgeRanker, mastraRanker, miniSearchRanker } from "./rankers.js";
import { renderResults } from "./results-text.js";
import type { HindsightRow, Results } from "./results-text.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    only: { type: "string" },
    "skip-mastra": { type: "boolean", default: false },
  },
});
if (values.data === undefined || !["selection", "ranking", undefined].includes(values.only)) {
  process.stderr.write(
    "Usage: npm run bench:quality -- --data FOLDER [--only selection|ranking] [--skip-mastra]\n",
  );
  process.exit(2);
}

const parts: readonly Part[] = readSources(values.data).flatMap(({ parts }) =>
  parts.map(({ name, source, catalog, cases }) => ({
    name,
    source,
    catalog,
    cases: cases.map(({ labelled }) => labelled),
  })),
);

/** The definitions of BFCL are ranked as one catalog. */
const rankingParts: readonly Part[] = [
  ...parts.filter(({ name }) => ["Seal-Tools", "StableToolBench", "MetaTool"].includes(name)),
  ...parts
    .filter(({ name }) => name === "BFCL")
    .map((part) => ({
      ...part,
      cases: [...(parts.find(({ name }) => name === "BFCL live")?.cases ?? []), ...part.cases],
    })),
];

const start = performance.now();
function log(step: string): void {
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s  ${step}\n`);
}

const shippedJudge = localJudge();
const judgeWithout = await leaveOneOut(values.data, log);
const judges = new Map<string, Promise<Judge>>();

/** The judge that has not seen the source of a part. */
function unseenJudge(part: string): Promise<Judge> {
  const source = parts.find(({ name }) => name === part)?.source ?? part;
  const judge = judges.get(source) ?? judgeWithout(source);
  judges.set(source, judge);
  return judge;
}

async function selectionResults(): Promise<
  Omit<Results, "command" | "node" | "judge" | "ranking">
> {
  const leftOut: SelectionRow[] = [];
  const shipped: SelectionRow[] = [];
  const hindsight: HindsightRow[] = [];
  const attacks: AttackRow[] = [];
  for (const part of parts) {
    const unseen = await unseenJudge(part.name);
    const row = await measureSelection(part, unseen);
    leftOut.push(row);
    shipped.push(await measureSelection(part, shippedJudge));
    for (const [judge, one] of [
      ["embedded judge, unseen", unseen],
      ["plain BM25", bm25Judge],
    ] as const) {
      const hidden = await hiddenInHindsight(part, one, 0.99);
      hindsight.push({ part: part.name, judge, hidden });
    }
    const { recallPerTool, hidden } = row.metrics.policies.keep;
    log(
      `${part.name}: kept ${recallPerTool?.value.toFixed(4)}, hidden ${hidden?.value.toFixed(4)}`,
    );
  }
  for (const part of parts.filter(({ name }) => ["BFCL live", "Seal-Tools"].includes(name))) {
    attacks.push(...(await measureAttacks(part, await unseenJudge(part.name), [1, 8])));
    log(`${part.name} attacked`);
  }
  return { leftOut, shipped, hindsight, attacks };
}

async function rankingResults(): Promise<Pick<Results, "ranking">> {
  const rankers = [
    judgeRanker("embedded judge, as shipped", () => Promise.resolve(shippedJudge)),
    bm25Ranker,
    miniSearchRanker,
    ...(values["skip-mastra"] ? [] : [mastraRanker]),
    judgeRanker("embedded judge, unseen", unseenJudge),
  ];
  const ranking: RankingRow[] = [];
  for (const ranker of rankers) {
    ranking.push(...(await measureRanking(ranker, rankingParts)));
    log(`${ranker.name} ranked`);
  }
  return { ranking };
}

const resultsFile = join(import.meta.dirname, "results.json");

/** The other half of an earlier run of the same weights. */
function earlierResults(): Partial<Results> {
  if (values.only === undefined || !existsSync(resultsFile)) return {};
  const earlier = JSON.parse(readFileSync(resultsFile, "utf8")) as Results;
  return earlier.judge === shippedJudge.id ? earlier : {};
}

const measured = {
  ...(values.only === "ranking" ? {} : await selectionResults()),
  ...(values.only === "selection" ? {} : await rankingResults()),
};
const results: Results = {
  leftOut: [],
  shipped: [],
  hindsight: [],
  ranking: [],
  attacks: [],
  ...earlierResults(),
  ...measured,
  command: "npm run bench:quality -- --data FOLDER",
  node: process.versions.node,
  judge: shippedJudge.id,
};
const json = JSON.stringify(
  results,
  (_, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(5)) : value),
  1,
);
await writeFile(resultsFile, `${json}\n`);
await writeFile(join(import.meta.dirname, "RESULTS.md"), renderResults(results));
log("written");
