/** Judges that have not seen one source: what the embedded judge is worth on data that it does not know. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../src/judges/local/engine.js";
import { openModel, type PackedModel } from "../src/judges/local/packed-model.js";
import { trained } from "../src/judges/local/trained.js";
import type { Judge } from "../src/core/types.js";
import { readGlove } from "./glove.js";
import type { Thresholds } from "./measures.js";
import { packModel } from "./packing.js";
import { readSources } from "./sources.js";
import { defaultOptions, Trainer, type TrainedJudge } from "./trained-judge.js";

/** Folder for downloads and left-out judges, outside the repository. */
export const cacheFolder: string = join(homedir(), ".cache", "toolsieve-training");

/** Words of the general vectors that are read, the most frequent ones. */
export const gloveWords = 150_000;

interface LeftOutFile {
  readonly packed: PackedModel;
  readonly thresholds: Thresholds;
}

function fileOf(id: string, source: string): string {
  return join(cacheFolder, "left-out", `${id.replaceAll(/[^\w.-]/g, "-")}-${source}.json`);
}

/** Keeps a left-out judge for later measurements of the judge `id`. */
export function saveLeftOut(id: string, source: string, judge: TrainedJudge): void {
  const file: LeftOutFile = { packed: packModel(judge), thresholds: judge.thresholds };
  mkdirSync(join(cacheFolder, "left-out"), { recursive: true });
  writeFileSync(fileOf(id, source), JSON.stringify(file));
}

/** A judge from its packed form: what is measured is what would be shipped. */
export function packedJudge({ packed, thresholds }: LeftOutFile, id: string): Judge {
  const engine = createEngine(openModel(packed), new Map());
  return {
    id,
    thresholds,
    judge: async (request, { signal }) => ({
      probabilities: await engine(request, signal),
      usage: { inputTokens: 0, outputTokens: 0 },
      requests: 0,
    }),
  };
}

/**
 * Gives for each source a judge that has not seen it, with thresholds from the others. What `npm run train` left in the
 * cache is used if it belongs to the judge that is shipped; else it is trained now, with the shipped judge's seed.
 */
export async function leaveOneOut(
  dataFolder: string,
  log: (step: string) => void,
): Promise<(source: string) => Promise<Judge>> {
  let trainer: Trainer | undefined;
  return async (source) => {
    const file = fileOf(trained.id, source);
    if (!existsSync(file)) {
      const options = { ...defaultOptions, seed: trained.seed };
      trainer ??= new Trainer(
        readGlove(cacheFolder, gloveWords),
        readSources(dataFolder),
        options,
        log,
      );
      saveLeftOut(trained.id, source, await trainer.judgeWithout(source));
    }
    const saved = JSON.parse(readFileSync(file, "utf8")) as LeftOutFile;
    return packedJudge(saved, `${trained.id}-without-${source}`);
  };
}
