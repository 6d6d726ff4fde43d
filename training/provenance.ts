/** What the shipped head comes from: data, licences, split, seed and settings. */

import type { CorpusAgent } from "./corpus/read-corpus.js";
import type { Source } from "./sources.js";

/** All that `provenance.json` tells. */
export interface ProvenanceInput {
  readonly id: string;
  /** The encoder that the head stands on. */
  readonly encoder: string;
  /** The encoder that it learned with, which has seen none of the requests. */
  readonly learningEncoder: string;
  readonly seed: number;
  readonly settings: Readonly<Record<string, number>>;
  readonly sources: readonly Source[];
  readonly agents: readonly CorpusAgent[];
  readonly calibration: Readonly<Record<string, unknown>>;
}

/** Builds the content of `provenance.json`. */
export function buildProvenance(input: ProvenanceInput): Readonly<Record<string, unknown>> {
  const { id, encoder, learningEncoder, seed, settings, sources, agents, calibration } = input;
  return {
    judge: id,
    encoder,
    learningEncoder,
    command: "npm run train -- --data FOLDER",
    seed,
    settings,
    corpus: agents.map((agent) => ({
      group: agent.id,
      split: agent.split,
      tools: agent.tools.length,
      requests: agent.requests.length,
    })),
    publicSets: sources.map(({ name, origin, commit, licence }) => ({
      name,
      origin,
      commit,
      licence,
      use: "training of the head; no source is left out",
    })),
    calibration,
    demo: "examples/demo servers and bench/quality/demo-cases.jsonl: for measuring only",
  };
}
