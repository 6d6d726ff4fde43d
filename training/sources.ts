/** The public sources that training reads, each with its catalog and labelled cases. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contextOptionsSchema, buildContext } from "../src/core/context.js";
import type { JudgeContext } from "../src/core/types.js";
import { parseCases, type LabelledCase } from "../src/evaluation/cases.js";
import { parseCatalog, type Catalog } from "../src/evaluation/catalog.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";

/** One published data set. Sources are left out as a whole. */
export interface Source {
  readonly name: string;
  readonly origin: string;
  readonly commit: string;
  readonly licence: string;
  readonly parts: readonly Part[];
}

/** Cases that share a catalog and are reported as one line. */
export interface Part {
  readonly source: string;
  readonly name: string;
  readonly catalog: Catalog;
  readonly cases: readonly TrainingCase[];
}

/** A labelled case with the context that a judge would see. */
export interface TrainingCase {
  readonly labelled: LabelledCase;
  readonly context: JudgeContext;
}

const contextOptions = contextOptionsSchema.parse({});

function toTrainingCase(labelled: LabelledCase): TrainingCase {
  return { labelled, context: buildContext(labelled.messages, contextOptions, (text) => text) };
}

interface PartFile {
  readonly name: string;
  readonly catalog: string;
  readonly cases: readonly string[];
  readonly keep?: (labelled: LabelledCase) => boolean;
}

const isLive = ({ set }: LabelledCase): boolean => set.startsWith("live_");

const layout: readonly (Omit<Source, "parts"> & { readonly parts: readonly PartFile[] })[] = [
  {
    name: "bfcl",
    origin: "https://github.com/ShishirPatil/gorilla",
    commit: "6ea5797",
    licence: "Apache-2.0",
    parts: [
      {
        name: "BFCL live",
        catalog: "bfcl",
        cases: ["bfcl_select", "bfcl_none"],
        keep: isLive,
      },
      {
        name: "BFCL",
        catalog: "bfcl",
        cases: ["bfcl_select", "bfcl_none"],
        keep: (labelled) => !isLive(labelled),
      },
      { name: "BFCL multi-turn", catalog: "bfcl_mt", cases: ["bfcl_mt"] },
    ],
  },
  {
    name: "metatool",
    origin: "https://github.com/HowieHwong/MetaTool",
    commit: "35e81bb",
    licence: "MIT",
    parts: [
      {
        name: "MetaTool",
        catalog: "metatool",
        cases: ["metatool_single", "metatool_none_multi", "metatool_similar"],
      },
    ],
  },
  {
    name: "sealtools",
    origin: "https://github.com/fairyshine/Seal-Tools",
    commit: "ce753ec",
    licence: "Apache-2.0",
    parts: [{ name: "Seal-Tools", catalog: "sealtools", cases: ["sealtools"] }],
  },
  {
    name: "stabletoolbench",
    origin: "https://github.com/THUNLP-MT/StableToolBench",
    commit: "aa4ed9f",
    licence: "Apache-2.0",
    parts: [{ name: "StableToolBench", catalog: "stabletoolbench", cases: ["stabletoolbench"] }],
  },
  {
    name: "apibank",
    origin: "https://github.com/AlibabaResearch/DAMO-ConvAI",
    commit: "api-bank",
    licence: "Apache-2.0",
    parts: [{ name: "API-Bank", catalog: "apibank", cases: ["apibank"] }],
  },
];

const caseFile = (name: string): string => (name === "apibank" ? "apibank_traj" : `${name}_cases`);

/** Reads all sources from the data folder. */
export function readSources(dataFolder: string): readonly Source[] {
  const read = (file: string): string => readFileSync(join(dataFolder, `${file}.jsonl`), "utf8");
  const catalogs = new Map<string, Catalog>();
  const catalogOf = (name: string): Catalog => {
    const catalog = catalogs.get(name) ?? parseCatalog(read(`${name}_catalog`));
    catalogs.set(name, catalog);
    return catalog;
  };
  return layout.map((source) => ({
    ...source,
    parts: source.parts.map(({ name, catalog, cases, keep = () => true }) => ({
      source: source.name,
      name,
      catalog: catalogOf(catalog),
      cases: cases
        .flatMap((file) => parseCases(read(caseFile(file))))
        .filter(keep)
        .map(toTrainingCase),
    })),
  }));
}

/**
 * A part with some of its cases, on a smaller catalog: their own tools and others up to a number.
 */
export function shrinkPart(
  part: Part,
  { cases, tools, seed }: { readonly cases: number; readonly tools: number; readonly seed: number },
): Part {
  const random = seededRandom(`${seed}:${part.name}`);
  const drawn = shuffled(part.cases, random).slice(0, cases);
  const kept = new Set(
    drawn.flatMap(({ labelled }) => [...(labelled.candidates ?? []), ...(labelled.needed ?? [])]),
  );
  for (const id of shuffled([...part.catalog.keys()], random)) {
    if (kept.size >= tools) break;
    kept.add(id);
  }
  const catalog = new Map([...part.catalog].filter(([id]) => kept.has(id)));
  return { ...part, catalog, cases: drawn };
}
