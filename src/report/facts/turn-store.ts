/**
 * Keeps the facts of every turn in about 150 bytes each, and gives them back unit by unit, in the
 * order of time.
 */

import { Column, Texts } from "./column.js";
import type { Exposure } from "./exposures.js";
import { Table } from "./table.js";
import type { TableFields } from "./table.js";
import type { TurnFacts } from "./turn-facts.js";

/** All copies of all turns of one unit in one cohort, oldest first. */
export interface UnitTurns {
  /** Its number, the same in every cohort. */
  readonly unit: number;
  readonly copies: readonly TurnFacts[];
}

/**
 * Where a turn belongs; its lists are rows of their own, and end where those of the next turn
 * begin.
 */
interface TurnPlace {
  readonly unit: number;
  readonly firstExposure: number;
  readonly firstCall: number;
}

const placeFields: TableFields<TurnPlace> = {
  unit: Uint32Array,
  firstExposure: Uint32Array,
  firstCall: Uint32Array,
};

type TurnRow = Omit<TurnFacts, "exposures" | "called">;

const turnFields: TableFields<TurnRow> = {
  thread: "text",
  reason: "text",
  model: "text",
  enforced: "flag",
  asked: "flag",
  failed: "flag",
  abstained: "flag",
  fallback: "flag",
  returned: "flag",
  modelError: "flag",
  strayCall: "flag",
  revealed: "flag",
  time: Float64Array,
  request: Float64Array,
  suggestedBlock: Float64Array,
  offeredBlock: Float64Array,
  step: Float32Array,
  fullTokens: Float32Array,
  suggestedTokens: Float32Array,
  inputTokens: Float32Array,
  cacheReadTokens: Float32Array,
  cacheWriteTokens: Float32Array,
  judgeInputTokens: Float32Array,
  judgeOutputTokens: Float32Array,
  judgeRequests: Float32Array,
  judgeLatencyMs: Float32Array,
  modelLatencyMs: Float32Array,
  exposedUnder: Uint16Array,
  missedUnder: Uint16Array,
  searches: Uint16Array,
  foundTools: Uint16Array,
  recoveredCalls: Uint16Array,
  stoppedCalls: Uint16Array,
};

const exposureFields: TableFields<Exposure> = {
  tool: "text",
  reason: "text",
  hidden: "flag",
  probability: "number or null",
  rank: Uint32Array,
};

const callFields: TableFields<{ readonly tool: string }> = { tool: "text" };

/** Appends turns in any order; reads them grouped by cohort and unit. */
export class TurnStore {
  readonly #texts = new Texts();
  readonly #turns = new Table(turnFields, this.#texts);
  readonly #places = new Table(placeFields);
  readonly #exposures = new Table(exposureFields, this.#texts);
  readonly #calls = new Table(callFields, this.#texts);
  readonly #rowsByCohort = new Map<number, Column>();

  add(cohort: number, unit: number, facts: TurnFacts): void {
    const rows = this.#rowsByCohort.get(cohort) ?? new Column(Uint32Array);
    this.#rowsByCohort.set(cohort, rows);
    rows.push(this.#turns.push(facts));
    this.#places.push({
      unit,
      firstExposure: this.#exposures.length,
      firstCall: this.#calls.length,
    });
    for (const exposure of facts.exposures) this.#exposures.push(exposure);
    for (const tool of facts.called) this.#calls.push({ tool });
  }

  /**
   * The turns of some cohorts as one, unit by unit; each unit's copies by time, equal times in the
   * order they came in.
   *
   * @param cohorts numbers of the cohorts whose turns are wanted.
   */
  *readUnits(cohorts: ReadonlySet<number>): Generator<UnitTurns> {
    const rowsByUnit = new Map<number, number[]>();
    for (const cohort of cohorts) {
      const rows = this.#rowsByCohort.get(cohort);
      for (let index = 0; index < (rows?.length ?? 0); index++) {
        const row = rows?.at(index) ?? NaN;
        const unit = this.#places.read(row, "unit");
        const known = rowsByUnit.get(unit);
        if (known === undefined) rowsByUnit.set(unit, [row]);
        else known.push(row);
      }
    }
    for (const [unit, rows] of rowsByUnit) {
      const copies = rows.map((row) => ({ row, facts: this.#readFacts(row) }));
      copies.sort((one, other) => one.facts.time - other.facts.time || one.row - other.row);
      yield { unit, copies: copies.map(({ facts }) => facts) };
    }
  }

  #readFacts(row: number): TurnFacts {
    const turn = this.#turns.at(row);
    const exposures = this.#readList(row, "firstExposure", this.#exposures);
    const calls = this.#readList(row, "firstCall", this.#calls);
    return { ...turn, exposures, called: calls.map(({ tool }) => tool) };
  }

  #readList<Row extends object>(
    row: number,
    first: "firstExposure" | "firstCall",
    table: Table<Row>,
  ): readonly Row[] {
    const isLast = row + 1 === this.#turns.length;
    const end = isLast ? table.length : this.#places.read(row + 1, first);
    const start = this.#places.read(row, first);
    return Array.from({ length: end - start }, (_, index) => table.at(start + index));
  }
}
