/**
 * Takes records in any order and keeps what the report needs of them: cohorts, turns, when each
 * unit was first enforced.
 */

import type { SelectionRecord } from "../../core/record.js";
import { Cohorts } from "./cohorts.js";
import type { Cohort } from "./cohorts.js";
import { BlockStore } from "../facts/block-store.js";
import type { BlockTool } from "../facts/block-store.js";
import { Texts } from "../facts/column.js";
import { findExposures } from "../facts/exposures.js";
import type { UnitKind } from "../summary.js";
import { identifyCohort, identifyUnit, readTurnFacts } from "../facts/turn-facts.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import { TurnStore } from "../facts/turn-store.js";

/** The turns of one unit, oldest first. */
export interface Unit {
  /** The same number for the same unit in every cohort. */
  readonly number: number;
  readonly kind: UnitKind;
  readonly id: string;
  readonly copies: readonly TurnFacts[];
}

/** The enforced records of one policy of one agent. */
export interface EnforcedPolicy {
  readonly agent: string | null;
  readonly version: string | null;
  readonly policyFingerprint: string;
  readonly numbers: Set<number>;
  readonly enforceShares: Set<number>;
  from: number;
  to: number;
}

const noBits = { exposedUnder: 0, missedUnder: 0 };

/** Separates the kind of a unit from its id; kinds hold no colon. */
const separator = ":";

/** Turns outside `shadowShare`: enforce would judge them, so they show nothing of it. */
const notSampled = "not-sampled";

/** An append-only log of evidence. About 150 bytes stay of each turn. */
export class EvidenceLog {
  readonly #since: number;
  readonly #units = new Texts();
  readonly #enforcedAt = new Map<number, number>();
  readonly #cohorts = new Cohorts();
  readonly #turns = new TurnStore();
  readonly #blocks = new BlockStore();
  readonly #policies = new Map<string, EnforcedPolicy>();
  #from = Infinity;
  #to = -Infinity;
  records = 0;
  uncountedRecords = 0;

  /** @param since records before this time, in epoch milliseconds, do not count. */
  constructor(since = -Infinity) {
    this.#since = since;
  }

  add(record: SelectionRecord): void {
    const time = Date.parse(record.time);
    const unit = identifyUnit(record);
    if (unit !== null && record.enforced) this.#noteEnforced(this.#numberUnit(unit), time);
    if (time < this.#since) return;
    this.records++;
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    if (unit === null) {
      this.uncountedRecords++;
      return;
    }
    const { cohort, number } = this.#cohorts.find(identifyCohort(record));
    const exposures = findExposures(record);
    const bits = record.enforced ? noBits : cohort.addShadow(record, unit.id, exposures);
    const facts = readTurnFacts(record, { ...bits, unit: unit.id, exposures });
    this.#turns.add(number, this.#numberUnit(unit), facts);
    if (!record.enforced && facts.asked && !facts.fallback)
      this.#blocks.add(facts.suggestedBlock, record.tools);
    this.#notePolicy(record, number);
  }

  /** Evidence of a unit does not count from its first enforced record on. */
  #noteEnforced(unit: number, time: number): void {
    this.#enforcedAt.set(unit, Math.min(time, this.#enforcedAt.get(unit) ?? Infinity));
  }

  #numberUnit({ kind, id }: Pick<Unit, "kind" | "id">): number {
    return this.#units.number(`${kind}${separator}${id}`);
  }

  /**
   * Remembers which policies were enforced, when, and under which cohorts their turns and those of
   * control are stored.
   */
  #notePolicy(record: SelectionRecord, cohort: number): void {
    const { agent, version, policyFingerprint, enforceShare } = record;
    const key = JSON.stringify([agent, version, policyFingerprint]);
    const policy = this.#policies.get(key) ?? {
      agent,
      version,
      policyFingerprint,
      numbers: new Set<number>(),
      enforceShares: new Set<number>(),
      from: Infinity,
      to: -Infinity,
    };
    this.#policies.set(key, policy);
    policy.numbers.add(cohort);
    if (enforceShare !== null) policy.enforceShares.add(enforceShare);
    if (!record.enforced) return;
    const time = Date.parse(record.time);
    policy.from = Math.min(policy.from, time);
    policy.to = Math.max(policy.to, time);
  }

  /** The tools of a suggested block; `null` if they are unknown. */
  findBlock(block: number): readonly BlockTool[] | null {
    return this.#blocks.find(block);
  }

  /** Times of the first and last record; `null` without records. */
  get period(): { readonly from: number; readonly to: number } | null {
    return this.records === 0 ? null : { from: this.#from, to: this.#to };
  }

  /** Cohorts with shadow records, newest first. */
  finishCohorts(): readonly Cohort[] {
    return this.#cohorts.finish();
  }

  /** Policies with enforced records. */
  listEnforced(): readonly EnforcedPolicy[] {
    return [...this.#policies.values()].filter(({ from, to }) => from <= to);
  }

  /**
   * The shadow turns of a cohort, unit by unit, each only before the unit's first enforced record.
   */
  *readShadow({ numbers }: Cohort): Generator<Unit> {
    for (const unit of this.#readUnits(numbers)) {
      const enforcedAt = this.#enforcedAt.get(unit.number) ?? Infinity;
      const copies = unit.copies.filter(
        ({ enforced, time, reason }) => !enforced && time < enforcedAt && reason !== notSampled,
      );
      if (copies.length > 0) yield { ...unit, copies };
    }
  }

  /**
   * All turns of an enforced policy within its enforced period, unit by unit: enforced ones and
   * those of control.
   */
  *readCompared({ numbers, from, to }: EnforcedPolicy): Generator<Unit> {
    for (const unit of this.#readUnits(numbers)) {
      const copies = unit.copies.filter(({ time }) => time >= from && time <= to);
      if (copies.length > 0) yield { ...unit, copies };
    }
  }

  *#readUnits(numbers: ReadonlySet<number>): Generator<Unit> {
    for (const { unit, copies } of this.#turns.readUnits(numbers)) {
      const text = this.#units.at(unit);
      const end = text.indexOf(separator);
      yield {
        number: unit,
        kind: text.slice(0, end) as UnitKind,
        id: text.slice(end + separator.length),
        copies,
      };
    }
  }
}
