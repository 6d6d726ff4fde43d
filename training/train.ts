/** Trains the embedded judge: from public data to weights, thresholds and their provenance. See README.md beside this file. */

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readGlove } from "./glove.js";
import { cacheFolder, gloveWords, packedJudge, saveLeftOut } from "./leave-one-out.js";
import { figuresOf, judgePart, type PartFigures, type Thresholds } from "./measures.js";
import { packModel, weightsModule } from "./packing.js";
import { provenanceOf } from "./provenance.js";
import { readSources, type Source } from "./sources.js";
import { defaultOptions, Trainer, type TrainedJudge } from "./trained-judge.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    seed: { type: "string", default: "1" },
    weights: { type: "string", default: join(import.meta.dirname, "../src/judges/local") },
    provenance: { type: "string", default: import.meta.dirname },
    "skip-left-out": { type: "boolean", default: false },
  },
});
if (values.data === undefined || !Number.isInteger(Number(values.seed))) {
  process.stderr.write(
    "Usage: npm run train -- --data FOLDER [--seed INTEGER] [--weights FOLDER] [--provenance FOLDER] [--skip-left-out]\n",
  );
  process.exit(2);
}

const start = performance.now();
function log(step: string): void {
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s  ${step}\n`);
}

const options = { ...defaultOptions, seed: Number(values.seed) };
const sources = readSources(values.data);
const trainer = new Trainer(readGlove(cacheFolder, gloveWords), sources, options, log);

async function figuresFor(judge: TrainedJudge, source: Source): Promise<readonly PartFigures[]> {
  const asked = packedJudge({ packed: packModel(judge), thresholds: judge.thresholds }, "measured");
  const figures: PartFigures[] = [];
  for (const part of source.parts) {
    const judged = await judgePart(asked, part, { cases: Infinity, seed: options.seed });
    figures.push(figuresOf(judged, judge.thresholds));
    log(JSON.stringify(figures.at(-1)));
  }
  return figures;
}

/** Text of the module with what the light half of the judge needs. */
function trainedModule(id: string, thresholds: Thresholds): string {
  return [
    "/** What is known of the weights without loading them. Written by `npm run train`; do not edit. */",
    "",
    "/** Identity and thresholds of the weights beside this file. */",
    "export const trained = {",
    `  id: ${JSON.stringify(id)},`,
    `  seed: ${options.seed},`,
    `  thresholds: { confidence: ${thresholds.confidence}, rejection: ${thresholds.rejection} },`,
    "} as const;",
    "",
  ].join("\n");
}

const all = await trainer.judgeOfAll();
const weights = weightsModule(packModel(all));
const digest = createHash("sha256").update(weights).digest("hex").slice(0, 8);
const id = `local:1-${digest}`;
mkdirSync(values.weights, { recursive: true });
writeFileSync(join(values.weights, "weights.ts"), weights);
writeFileSync(join(values.weights, "trained.ts"), trainedModule(id, all.thresholds));
log(`${id} written, thresholds ${JSON.stringify(all.thresholds)}`);

if (!values["skip-left-out"]) {
  const leftOut: PartFigures[] = [];
  const known: PartFigures[] = [];
  for (const source of sources) {
    const judge = await trainer.judgeWithout(source.name);
    saveLeftOut(id, source.name, judge);
    leftOut.push(...(await figuresFor(judge, source)));
    known.push(...(await figuresFor(all, source)));
  }
  const provenance = provenanceOf({
    id,
    options,
    sources,
    thresholds: all.thresholds,
    leftOut,
    known,
  });
  mkdirSync(values.provenance, { recursive: true });
  writeFileSync(
    join(values.provenance, "provenance.json"),
    `${JSON.stringify(provenance, null, 2)}\n`,
  );
  log("provenance written");
}
