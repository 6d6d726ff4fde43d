/** Measures the embedded judge, and what one would use instead, on servers left out, the demo and public sets; writes RESULTS.md and results.json beside itself. */

import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Judge } from "../../src/core/types.js";
import type { PackedEncoder } from "../../src/encoder/packed-model.js";
import { createTextEncoder } from "../../src/encoder/text-encoder.js";
import { localJudge } from "../../src/judges/local/local-judge.js";
import { readCorpus } from "../../training/corpus/read-corpus.js";
import { readSources, shrinkPart } from "../../training/sources.js";
import { listAgentTurns, listPartTurns, type LabelledTurn } from "../../training/turns.js";
import { bm25Judge, encoderJudge } from "./baselines.js";
import { readDemoTurns } from "./demo-turns.js";
import { measureJudge, summarizeTurns, type MeasuredTurn } from "./measure.js";
import { renderResults, type PartRow, type ResultRow, type Results } from "./results-text.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    previous: { type: "string" },
    untouched: { type: "string" },
    cases: { type: "string", default: "150" },
    only: { type: "string" },
  },
});
if (values.data === undefined) {
  process.stderr.write(
    "Usage: npm run bench:quality -- --data FOLDER [--previous CHECKOUT] [--untouched PACKED-MODULE] [--cases COUNT] [--only corpus|demo|public]\n",
  );
  process.exit(2);
}

interface TurnSet {
  readonly name: string;
  readonly turns: readonly LabelledTurn[];
  /** What the embedded judge has learned from it. */
  readonly seen: string;
}

const catalogSize = 128;
const start = performance.now();

function log(step: string): void {
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s  ${step}\n`);
}

async function listSets(dataFolder: string): Promise<readonly TurnSet[]> {
  const isWanted = (name: string): boolean => values.only === undefined || values.only === name;
  const sets: TurnSet[] = [];
  if (isWanted("corpus")) {
    const turns = readCorpus()
      .filter(({ split }) => split === "test")
      .flatMap((agent) => listAgentTurns(agent));
    sets.push({ name: "Corpus, test servers", turns, seen: "no" });
  }
  if (isWanted("demo")) sets.push({ name: "Demo", turns: await readDemoTurns(), seen: "no" });
  if (isWanted("public")) {
    for (const part of readSources(dataFolder).flatMap(({ parts }) => parts)) {
      const small = shrinkPart(part, { cases: Number(values.cases), tools: 300, seed: 2 });
      const turns = listPartTurns(small, { size: catalogSize, seed: 2, count: Infinity });
      sets.push({ name: part.name, turns, seen: "yes" });
    }
  }
  return sets;
}

async function listJudges(): Promise<readonly Judge[]> {
  const judges: Judge[] = [bm25Judge];
  if (values.untouched !== undefined) {
    const { packedEncoder } = (await import(pathToFileURL(resolve(values.untouched)).href)) as {
      readonly packedEncoder: PackedEncoder;
    };
    judges.push(encoderJudge("untouched MiniLM-L6", await createTextEncoder(packedEncoder)));
  }
  if (values.previous !== undefined) {
    const file = resolve(values.previous, "src/judges/local/local-judge.ts");
    const previous = (await import(pathToFileURL(file).href)) as { localJudge(): Judge };
    judges.push(previous.localJudge());
  }
  return [...judges, localJudge()];
}

function splitBy(
  set: string,
  measured: readonly MeasuredTurn[],
  partFor: (turn: LabelledTurn) => string,
): readonly PartRow[] {
  const parts = [...new Set(measured.map(({ turn }) => partFor(turn)))];
  return parts.map((part) => ({
    set,
    part,
    figures: summarizeTurns(measured.filter(({ turn }) => partFor(turn) === part)),
  }));
}

const isEnglish = ({ turn }: MeasuredTurn): boolean => turn.language === "en";
const rows: ResultRow[] = [];
const kinds: PartRow[] = [];
const languages: PartRow[] = [];
const judges = await listJudges();
const shipped = judges.at(-1)?.id ?? "";

for (const { name, turns, seen } of await listSets(values.data)) {
  for (const judge of judges) {
    const measured = await measureJudge(judge, turns);
    const figures = summarizeTurns(measured.filter(isEnglish));
    rows.push({ set: name, judge: judge.id, seen: judge.id === shipped ? seen : "–", figures });
    log(
      `${name}, ${judge.id}: ${JSON.stringify({ recall: figures.recall?.value, hidden: figures.hidden?.value, none: figures.noneShown })}`,
    );
    if (judge.id !== shipped || seen === "yes") continue;
    kinds.push(...splitBy(name, measured.filter(isEnglish), ({ kind }) => kind));
    languages.push(...splitBy(name, measured, ({ language }) => language));
  }
}

const results: Results = {
  command: `npm run bench:quality -- --data FOLDER --previous CHECKOUT --untouched PACKED-MODULE --cases ${values.cases}`,
  node: process.versions.node,
  judge: shipped,
  rows,
  kinds,
  languages,
};
const json = JSON.stringify(
  results,
  (_, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(5)) : value),
  1,
);
await writeFile(join(import.meta.dirname, "results.json"), `${json}\n`);
await writeFile(join(import.meta.dirname, "RESULTS.md"), `${renderResults(results)}\n`);
log("written");
