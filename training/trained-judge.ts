/** Training of a whole judge: tables, trees, thresholds; and of the judges that have not seen one source, to measure what they are worth. */

import type { Judge } from "../src/core/types.js";
import { seededRandom } from "../src/evaluation/random.js";
import { createEngine } from "../src/judges/local/engine.js";
import { featureDirections } from "../src/judges/local/feature-names.js";
import type { Trees } from "../src/judges/local/trees.js";
import { trainTrees } from "./boosting.js";
import { joinRows, rowsOf } from "./examples.js";
import type { Glove } from "./glove.js";
import { judgePart, thresholdsOf, type JudgedPart, type Thresholds } from "./measures.js";
import { asWordTable, type PlainTable } from "./plain-table.js";
import type { Source } from "./sources.js";
import { trainTable } from "./table-training.js";

/** What fixes a training run, beside the data. */
export interface TrainingOptions {
  readonly seed: number;
  readonly casesPerPart: number;
  readonly trees: number;
  readonly epochs: number;
  /** Cases of each part by which thresholds are set. */
  readonly thresholdCases: number;
}

export const defaultOptions: Omit<TrainingOptions, "seed"> = {
  casesPerPart: 800,
  trees: 150,
  epochs: 3,
  thresholdCases: 600,
};

/** A judge as trained, before it is packed. */
export interface TrainedJudge {
  readonly table: PlainTable;
  readonly trees: Trees;
  readonly thresholds: Thresholds;
}

/** The judge in process, as the package would run it. */
export function asJudge({ table, trees, thresholds }: TrainedJudge, id: string): Judge {
  const model = { table: asWordTable(table), trees };
  const engine = createEngine(model, new Map());
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

/** Trains with one set of data, glove and options; tables are trained once for each set of sources that is left out. */
export class Trainer {
  readonly #tables = new Map<string, PlainTable>();

  readonly glove: Glove;
  readonly sources: readonly Source[];
  readonly options: TrainingOptions;
  readonly log: (step: string) => void;

  constructor(
    glove: Glove,
    sources: readonly Source[],
    options: TrainingOptions,
    log: (step: string) => void,
  ) {
    this.glove = glove;
    this.sources = sources;
    this.options = options;
    this.log = log;
  }

  /** The table of all sources but some. */
  tableWithout(leftOut: readonly string[]): PlainTable {
    const key = leftOut.toSorted().join();
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const table = trainTable(
      this.glove,
      this.sources.filter(({ name }) => !leftOut.includes(name)),
      { seed: this.options.seed, epochs: this.options.epochs },
    );
    this.#tables.set(key, table);
    this.log(`table without ${key === "" ? "none" : key}`);
    return table;
  }

  /** Trees for all sources but some. No row comes from a table that was trained on its own source. */
  treesWithout(leftOut: readonly string[], casesPerPart: number): Trees {
    const { seed, trees } = this.options;
    const rows = this.sources
      .filter(({ name }) => !leftOut.includes(name))
      .map((source) => {
        const table = asWordTable(this.tableWithout([...tableScope(leftOut), source.name]));
        return rowsOf(source, table, { seed, casesPerPart });
      });
    const trained = trainTrees(joinRows(rows), {
      trees,
      depth: 4,
      learningRate: 0.1,
      leastWeight: 20,
      ridge: 2,
      featureShare: 0.6,
      random: seededRandom(`${seed}:trees`),
      directions: featureDirections,
    });
    this.log(`trees without ${leftOut.length === 0 ? "none" : leftOut.join()}`);
    return trained;
  }

  /** Judges the cases of a source by what was learned from others; `leftOut` names it first. */
  async judgedWithout(leftOut: readonly [string, ...string[]]): Promise<readonly JudgedPart[]> {
    const { casesPerPart, thresholdCases, seed } = this.options;
    const trees = this.treesWithout(leftOut, casesPerPart);
    const thresholds = { confidence: 1, rejection: 0 };
    const judge = asJudge({ table: this.tableWithout(leftOut), trees, thresholds }, "inner");
    const source = this.sources.find(({ name }) => name === leftOut[0]);
    const judged: JudgedPart[] = [];
    for (const part of source?.parts ?? []) {
      judged.push(await judgePart(judge, part, { cases: thresholdCases, seed }));
    }
    return judged;
  }

  /** A judge that has not seen a source at all: neither its words, nor its cases, nor its share in the thresholds. */
  async judgeWithout(name: string): Promise<TrainedJudge> {
    const judged: JudgedPart[] = [];
    for (const other of this.sources) {
      if (other.name !== name) judged.push(...(await this.judgedWithout([other.name, name])));
    }
    return {
      table: this.tableWithout([name]),
      trees: this.treesWithout([name], this.options.casesPerPart),
      thresholds: thresholdsOf(judged),
    };
  }

  /** The judge that is shipped: trained on all, with the thresholds that hold on each source when it is left out. */
  async judgeOfAll(): Promise<TrainedJudge> {
    const judged: JudgedPart[] = [];
    for (const { name } of this.sources) judged.push(...(await this.judgedWithout([name])));
    return {
      table: this.tableWithout([]),
      trees: this.treesWithout([], this.options.casesPerPart),
      thresholds: thresholdsOf(judged),
    };
  }
}

/** Of the sources left out, those that the tables of the rows must not have seen either: the one that is measured last. */
function tableScope(leftOut: readonly string[]): readonly string[] {
  return leftOut.slice(-1);
}
