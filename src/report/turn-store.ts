/** Keeps the facts of every turn in about 100 bytes each, and gives them back unit by unit, in the order of time. */

import { Column, Texts } from "./column.js";
import type { Exposure } from "./exposures.js";
import type { TurnFacts } from "./turn-facts.js";

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

type Flags = Record<(typeof flagNames)[number], boolean>;

function packFlags(flags: Flags): number {
  let bits = 0;
  for (const [index, name] of flagNames.entries()) if (flags[name]) bits |= 1 << index;
  return bits;
}

/** Logs have few combinations of flags; each is unpacked once. */
const unpacked = new Map<number, Flags>();

function unpackFlags(bits: number): Flags {
  const known = unpacked.get(bits);
  if (known !== undefined) return known;
  const flags = Object.fromEntries(
    flagNames.map((name, index) => [name, (bits & (1 << index)) !== 0]),
  ) as Flags;
  unpacked.set(bits, flags);
  return flags;
}

/** Appends turns in any order; reads them grouped by cohort and unit. */
export class TurnStore {
  readonly #texts = new Texts();
  readonly #rows = new Map<number, Column>();
  #size = 0;
  readonly #units = new Column(Uint32Array);
  readonly #threads = new Column(Uint32Array);
  readonly #reasons = new Column(Uint32Array);
  /** 0: no model. */
  readonly #models = new Column(Uint32Array);
  readonly #flags = new Column(Uint16Array);
  readonly #times = new Column(Float64Array);
  readonly #requests = new Column(Float64Array);
  readonly #blocks = new Column(Float64Array);
  readonly #doubts = new Column(Float64Array);
  readonly #steps = new Column(Float32Array);
  readonly #fullTokens = new Column(Float32Array);
  readonly #suggestedTokens = new Column(Float32Array);
  readonly #inputTokens = new Column(Float32Array);
  readonly #cacheReadTokens = new Column(Float32Array);
  readonly #cacheWriteTokens = new Column(Float32Array);
  readonly #judgeInputTokens = new Column(Float32Array);
  readonly #judgeOutputTokens = new Column(Float32Array);
  readonly #judgeRequests = new Column(Float32Array);
  readonly #judgeLatencies = new Column(Float32Array);
  readonly #modelLatencies = new Column(Float32Array);
  /** Where the exposures of a turn begin; they end where those of the next one begin. */
  readonly #firstExposures = new Column(Uint32Array);
  readonly #exposureTools = new Column(Uint32Array);
  readonly #exposureReasons = new Column(Uint32Array);
  readonly #exposureRanks = new Column(Uint32Array);
  readonly #exposureProbabilities = new Column(Float64Array);
  readonly #exposureHidden = new Column(Uint16Array);

  add(cohort: number, unit: number, facts: TurnFacts): void {
    const rows = this.#rows.get(cohort) ?? new Column(Uint32Array);
    this.#rows.set(cohort, rows);
    rows.push(this.#size++);
    this.#units.push(unit);
    this.#threads.push(this.#texts.indexOf(facts.thread));
    this.#reasons.push(this.#texts.indexOf(facts.reason));
    this.#models.push(facts.model === null ? 0 : this.#texts.indexOf(facts.model) + 1);
    this.#flags.push(packFlags(facts));
    this.#times.push(facts.time);
    this.#requests.push(facts.request);
    this.#blocks.push(facts.block);
    this.#doubts.push(facts.doubts);
    this.#steps.push(facts.step);
    this.#fullTokens.push(facts.fullTokens);
    this.#suggestedTokens.push(facts.suggestedTokens);
    this.#inputTokens.push(facts.inputTokens);
    this.#cacheReadTokens.push(facts.cacheReadTokens);
    this.#cacheWriteTokens.push(facts.cacheWriteTokens);
    this.#judgeInputTokens.push(facts.judgeInputTokens);
    this.#judgeOutputTokens.push(facts.judgeOutputTokens);
    this.#judgeRequests.push(facts.judgeRequests);
    this.#judgeLatencies.push(facts.judgeLatencyMs);
    this.#modelLatencies.push(facts.modelLatencyMs);
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
   * @param cohorts numbers of the cohorts whose turns are wanted.
   */
  *units(cohorts: ReadonlySet<number>): Generator<UnitTurns> {
    const byUnit = new Map<number, number[]>();
    for (const cohort of cohorts) {
      const rows = this.#rows.get(cohort);
      for (let index = 0; index < (rows?.length ?? 0); index++) {
        const row = rows?.at(index) ?? NaN;
        const unit = this.#units.at(row);
        const known = byUnit.get(unit);
        if (known === undefined) byUnit.set(unit, [row]);
        else known.push(row);
      }
    }
    for (const [unit, rows] of byUnit) {
      rows.sort((one, other) => this.#times.at(one) - this.#times.at(other) || one - other);
      yield { unit, copies: rows.map((row) => this.#factsAt(row)) };
    }
  }

  #factsAt(row: number): TurnFacts {
    const model = this.#models.at(row);
    return {
      thread: this.#texts.at(this.#threads.at(row)),
      reason: this.#texts.at(this.#reasons.at(row)),
      model: model === 0 ? null : this.#texts.at(model - 1),
      ...unpackFlags(this.#flags.at(row)),
      time: this.#times.at(row),
      request: this.#requests.at(row),
      block: this.#blocks.at(row),
      doubts: this.#doubts.at(row),
      step: this.#steps.at(row),
      fullTokens: this.#fullTokens.at(row),
      suggestedTokens: this.#suggestedTokens.at(row),
      inputTokens: this.#inputTokens.at(row),
      cacheReadTokens: this.#cacheReadTokens.at(row),
      cacheWriteTokens: this.#cacheWriteTokens.at(row),
      judgeInputTokens: this.#judgeInputTokens.at(row),
      judgeOutputTokens: this.#judgeOutputTokens.at(row),
      judgeRequests: this.#judgeRequests.at(row),
      judgeLatencyMs: this.#judgeLatencies.at(row),
      modelLatencyMs: this.#modelLatencies.at(row),
      exposures: this.#exposuresAt(row),
    };
  }

  #exposuresAt(row: number): readonly Exposure[] {
    const end =
      row + 1 < this.#size ? this.#firstExposures.at(row + 1) : this.#exposureTools.length;
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
