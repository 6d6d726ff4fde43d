/** Trains and calibrates the head of the embedded judge, and writes it beside its source with its provenance: `npm run train`. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { loadTextEncoder } from "../src/encoder/load-text-encoder.js";
import type { PackedEncoder } from "../src/encoder/packed-model.js";
import { createTextEncoder, type EmbeddedTextEncoder } from "../src/encoder/text-encoder.js";
import { headThresholds } from "../src/judges/local/head.js";
import { calibrateCuts, scoreNeeds } from "./calibrate.js";
import { readCorpus } from "./corpus/read-corpus.js";
import { ensureVectors, featurise, type TurnRows } from "./featurise.js";
import { packHead, trainedModule, weightsModule } from "./pack-head.js";
import { buildProvenance } from "./provenance.js";
import { readSources } from "./sources.js";
import { headSettings, trainHead } from "./train-head.js";
import { listTrainingTurns, shrinkParts } from "./training-set.js";
import { listMixedTurns, type LabelledTurn } from "./turns.js";
import { openVectors, type Vectors } from "./vectors.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    seed: { type: "string", default: "1" },
    learn: { type: "string" },
    cache: { type: "string", default: join(homedir(), ".cache/toolsieve-training") },
  },
});
if (values.data === undefined || !Number.isInteger(Number(values.seed))) {
  process.stderr.write(
    "Usage: npm run train -- --data FOLDER [--seed INTEGER] [--learn PACKED-MODULE] [--cache FOLDER]\n",
  );
  process.exit(2);
}

/** Sizes of the catalogs that the cut is calibrated on. */
const sizes = [32, 64, 135, 270, 540] as const;
/** Share of the needs that the cut may miss. */
const missed = 0.015;
/** The cap: three quarters of 130 tools stay hidden however many fit the request a little. */
const maxTools = 32;
const seed = Number(values.seed);
const start = performance.now();

function log(step: string): void {
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s  ${step}\n`);
}

function openCache(encoder: EmbeddedTextEncoder): Vectors {
  return openVectors(join(values.cache, "vectors", `${encoder.id}.bin`), encoder, (left) =>
    log(`${left} texts to encode`),
  );
}

/**
 * The head learns from an encoder that has seen none of its requests, and judges with the shipped one: features are
 * relative to the catalog, so that the scale of an encoder does not matter.
 */
async function loadLearningEncoder(shipped: EmbeddedTextEncoder): Promise<EmbeddedTextEncoder> {
  if (values.learn === undefined) return shipped;
  const module = (await import(pathToFileURL(resolve(values.learn)).href)) as {
    readonly packedEncoder: PackedEncoder;
  };
  return createTextEncoder(module.packedEncoder);
}

const encoder = await loadTextEncoder();
const learningEncoder = await loadLearningEncoder(encoder);
const shippedVectors = openCache(encoder);
const learningVectors = learningEncoder === encoder ? shippedVectors : openCache(learningEncoder);

async function prepare(
  turns: readonly LabelledTurn[],
  vectors: Vectors,
): Promise<readonly TurnRows[]> {
  await ensureVectors(turns, vectors);
  return turns.map((turn) => featurise(turn, vectors));
}

const agents = readCorpus();
const learning = agents.filter(({ split }) => split === "train");
const calibrating = agents.filter(({ split }) => split === "calibration");
const sources = readSources(values.data);
const parts = shrinkParts(
  sources.flatMap(({ parts }) => parts),
  seed,
);
const weighted = listTrainingTurns(learning, parts, { dataFolder: values.data, seed });
const rows = await prepare(
  weighted.map(({ turn }) => turn),
  learningVectors,
);
log(`${rows.length} turns to learn from`);
const trees = trainHead(
  rows.map((one, index) => ({ rows: one, weight: weighted[index]?.weight ?? 1 })),
  seed,
);
log("trees grown");

const calibration = await Promise.all(
  sizes.map(async (size) => {
    const others = [...calibrating, ...learning];
    const turns = calibrating
      .flatMap((agent) => listMixedTurns(agent, others, { size, seed }))
      .filter(({ language }) => language === "en");
    return { size, turns: await prepare(turns, shippedVectors) };
  }),
);
const cuts = calibrateCuts(trees, calibration, missed);
const needs = scoreNeeds(trees, calibration.find(({ size }) => size === 135)?.turns ?? []);
const beyondCap = needs.filter(({ rank }) => rank >= maxTools).length / needs.length;
log(`cuts ${JSON.stringify(cuts)}, ${needs.length} needs, ${beyondCap} beyond the cap`);

const head = packHead(trees, cuts);
const module = weightsModule(head);
const digest = createHash("sha256").update(`${encoder.id}\n${module}`).digest("hex").slice(0, 8);
const id = `local:2-${digest}`;
const folder = join(import.meta.dirname, "../src/judges/local");
writeFileSync(join(folder, "weights.ts"), module);
writeFileSync(
  join(folder, "trained.ts"),
  trainedModule({ id, seed, thresholds: headThresholds, maxTools }),
);
const provenance = buildProvenance({
  id,
  encoder: encoder.id,
  learningEncoder: learningEncoder.id,
  seed,
  settings: headSettings,
  sources,
  agents,
  calibration: { missed, cuts, maxTools, needs: needs.length, beyondCap },
});
writeFileSync(
  join(import.meta.dirname, "provenance.json"),
  `${JSON.stringify(provenance, null, 2)}\n`,
);
log(`${id} written`);
