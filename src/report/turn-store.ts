/** Keeps the facts of every turn in about 100 bytes each, and gives them back unit by unit, in the order of time. */

import { Column, Texts } from "./column.js";
import type { Exposure, TurnFacts } from "./turn-facts.js";

/** All copies of all turns of one unit in one cohort, oldest first. */
export interface UnitTurns {
  /** Its number, the same in every cohort. */
  readonly unit: number;
  readonly copies: readonly TurnFacts[];
}

const flagNames = [
  "enforced",
  "asked",
  "failed",
  "abstained",
  "skipped",
  "fallback",
  "returned",
  "modelError",
  "strayCall",
  "revealed",
  "calledTool",
] as const satisfies readonly (keyof TurnFacts)[];

type FlagName = (typeof flagNames)[number];

const numberNames = [
  "step",
  "fullTokens",
  "suggestedTokens",
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "judgeInputTokens",
  "judgeOutputTokens",
  "judgeRequests",
  "judgeLatencyMs",
  "modelLatencyMs",
] as const satisfies readonly (keyof TurnFacts)[];

type NumberName = (typeof numberNames)[number];

const exactNames = [
  "time",
  "request",
  "block",
  "doubts",
] as const satisfies readonly (keyof TurnFacts)[];

type ExactName = (typeof exactNames)[number];

const packFlags = (facts: TurnFacts): number =>
  flagNames.reduce((bits, name, index) => bits | (facts[name] ? 1 << index : 0), 0);

const unpackFlags = (bits: number): Record<FlagName, boolean> =>
  Object.fromEntries(flagNames.map((name, index) => [name, (bits & (1 << index)) !== 0])) as Record<
    FlagName,
    boolean
  >;

/** Appends turns in any order; reads them grouped by cohort and unit. */
export class TurnStore {
  readonly #texts = new Texts();
  readonly #cohorts = new Column(Uint32Array);
  readonly #units = new Column(Uint32Array);
  readonly #threads = new Column(Uint32Array);
  readonly #reasons = new Column(Uint32Array);
  /** 0: no model. */
  readonly #models = new Column(Uint32Array);
  readonly #flags = new Column(Uint16Array);
  readonly #exact = new Map<ExactName, Column>(
    exactNames.map((name) => [name, new Column(Float64Array)]),
  );
  readonly #numbers = new Map<NumberName, Column>(
    numberNames.map((name) => [name, new Column(Float32Array)]),
  );
  /** Where the exposures of a turn begin; they end where those of the next one begin. */
  readonly #firstExposures = new Column(Uint32Array);
  readonly #exposureTools = new Column(Uint32Array);
  readonly #exposureReasons = new Column(Uint32Array);
  readonly #exposureRanks = new Column(Uint32Array);
  readonly #exposureProbabilities = new Column(Float64Array);
  readonly #exposureHidden = new Column(Uint16Array);

  get size(): number {
    return this.#cohorts.length;
  }

  add(cohort: number, unit: number, facts: TurnFacts): void {
    this.#cohorts.push(cohort);
    this.#units.push(unit);
    this.#threads.push(this.#texts.indexOf(facts.thread));
    this.#reasons.push(this.#texts.indexOf(facts.reason));
    this.#models.push(facts.model === null ? 0 : this.#texts.indexOf(facts.model) + 1);
    this.#flags.push(packFlags(facts));
    for (const [name, column] of this.#exact) column.push(facts[name]);
    for (const [name, column] of this.#numbers) column.push(facts[name]);
    this.#firstExposures.push(this.#exposureTools.length);
    for (const exposure of facts.exposures) this.#addExposure(exposure);
  }

  #addExposure({ tool, hidden, reason, probability, rank }: Exposure): void {
    this.#exposureTools.push(this.#texts.indexOf(tool));
    this.#exposureReasons.push(this.#texts.indexOf(reason));
    this.#exposureRanks.push(rank);
    this.#exposureProbabilities.push(probability ?? NaN);
    this.#exposureHidden.push(hidden ? 1 : 0);
  }

  /**
   * The turns of some cohorts as one, unit by unit; each unit's copies by time, equal times in the order they came in.
   *
   * @param isIncluded says for the number of a cohort whether its turns are wanted.
   */
  *units(isIncluded: (cohort: number) => boolean): Generator<UnitTurns> {
    const rows: number[] = [];
    for (let row = 0; row < this.size; row++) {
      if (isIncluded(this.#cohorts.at(row))) rows.push(row);
    }
    const times = this.#column("time");
    rows.sort(
      (a, b) => this.#units.at(a) - this.#units.at(b) || times.at(a) - times.at(b) || a - b,
    );
    for (let start = 0; start < rows.length;) {
      const unit = this.#units.at(rows[start] ?? NaN);
      let end = start + 1;
      while (end < rows.length && this.#units.at(rows[end] ?? NaN) === unit) end++;
      yield { unit, copies: rows.slice(start, end).map((row) => this.#factsAt(row)) };
      start = end;
    }
  }

  #column(name: ExactName): Column {
    return this.#exact.get(name) ?? new Column(Float64Array);
  }

  #factsAt(row: number): TurnFacts {
    const model = this.#models.at(row);
    const read = <Name extends string>(columns: ReadonlyMap<Name, Column>): Record<Name, number> =>
      Object.fromEntries([...columns].map(([name, column]) => [name, column.at(row)])) as Record<
        Name,
        number
      >;
    return {
      thread: this.#texts.at(this.#threads.at(row)),
      reason: this.#texts.at(this.#reasons.at(row)),
      model: model === 0 ? null : this.#texts.at(model - 1),
      ...unpackFlags(this.#flags.at(row)),
      ...read(this.#exact),
      ...read(this.#numbers),
      exposures: this.#exposuresAt(row),
    };
  }

  #exposuresAt(row: number): readonly Exposure[] {
    const end = row + 1 < this.size ? this.#firstExposures.at(row + 1) : this.#exposureTools.length;
    const exposures: Exposure[] = [];
    for (let index = this.#firstExposures.at(row); index < end; index++) {
      const probability = this.#exposureProbabilities.at(index);
      exposures.push({
        tool: this.#texts.at(this.#exposureTools.at(index)),
        hidden: this.#exposureHidden.at(index) === 1,
        reason: this.#texts.at(this.#exposureReasons.at(index)),
        probability: Number.isNaN(probability) ? null : probability,
        rank: this.#exposureRanks.at(index),
      });
    }
    return exposures;
  }
}
