/**
 * The cohorts of a log: separated while records are read, joined and ranked at the end. Never
 * pooled.
 */

import type { SelectionRecord } from "../../core/record.js";
import type { Exposure } from "../facts/exposures.js";
import { wasAsked } from "../facts/turn-facts.js";
import type { CohortKey, CohortPolicy, Count } from "../summary.js";
import { WhatIfTally } from "../what-if/what-if-tally.js";
import type { VariantBits } from "../what-if/what-if-tally.js";
import { CallRateTally } from "./call-rate.js";
import { addCount, sortCounts } from "./counts.js";

/** Names kept beside a miss are remembered up to this many per tool. */
const keptNamesLimit = 200;
const shownKept = 5;
/** Catalogs whose names are already known; a log with more of them is only slower. */
const catalogsLimit = 10_000;
const fullListSize = 500;

/** What makes a cohort. */
export interface CohortIdentity {
  readonly key: CohortKey;
  readonly policy: CohortPolicy;
}

/** One cohort, with the sums that are made while records are read. */
export class Cohort implements CohortIdentity {
  readonly key: CohortKey;
  readonly policy: CohortPolicy;
  /** Its own number in the turn store, and those of the cohorts that joined it. */
  readonly numbers = new Set<number>();
  /** Times of its first and last shadow record. */
  from = Infinity;
  to = -Infinity;
  readonly whatIf: WhatIfTally;
  readonly callRate = new CallRateTally();
  readonly toolNames = new Set<string>();
  readonly #catalogs = new Set<string>();
  readonly #models = new Map<string, number>();
  readonly #keptInstead = new Map<string, Map<string, number>>();

  constructor(number: number, { key, policy }: CohortIdentity) {
    this.numbers.add(number);
    this.key = key;
    this.policy = policy;
    this.whatIf = new WhatIfTally(policy);
  }

  get hasShadow(): boolean {
    return this.to >= this.from;
  }

  /** Sums a shadow record. @returns the bits of the what-if. */
  addShadow(record: SelectionRecord, unit: string, exposures: readonly Exposure[]): VariantBits {
    const { outcome, fallback } = record;
    const time = Date.parse(record.time);
    this.from = Math.min(this.from, time);
    this.to = Math.max(this.to, time);
    this.#addNames(record);
    if (outcome !== null && !outcome.error) this.callRate.add(record, unit);
    const model = outcome?.model ?? null;
    if (model !== null) addCount(this.#models, model);
    const missed = fallback ? [] : exposures.filter(({ hidden }) => hidden);
    for (const { tool } of missed) this.#addKept(tool, record.tools);
    return wasAsked(record)
      ? this.whatIf.add(record, exposures)
      : { exposedUnder: 0, missedUnder: 0 };
  }

  #addKept(missed: string, tools: SelectionRecord["tools"]): void {
    const counts = this.#keptInstead.get(missed) ?? new Map<string, number>();
    this.#keptInstead.set(missed, counts);
    for (const { name, kept, verdict } of tools) {
      if (name === null || !kept || verdict === null) continue;
      if (counts.size < keptNamesLimit || counts.has(name)) addCount(counts, name);
    }
  }

  /** The model that most turns name; `null` if none does. */
  get mainModel(): string | null {
    return sortCounts(this.#models)[0]?.name ?? null;
  }

  /** The tools that were kept in turns that missed a tool. */
  listKeptInstead(tool: string): readonly Count[] {
    return sortCounts(this.#keptInstead.get(tool) ?? new Map()).slice(0, shownKept);
  }

  #addNames({ catalog, tools }: SelectionRecord): void {
    const { fingerprint } = catalog;
    if (fingerprint !== null && tools.length <= fullListSize) {
      if (this.#catalogs.has(fingerprint)) return;
      if (this.#catalogs.size < catalogsLimit) this.#catalogs.add(fingerprint);
    }
    for (const { name } of tools) if (name !== null) this.toolNames.add(name);
  }

  /** Takes over a cohort that belongs to this one. */
  absorb(other: Cohort): void {
    for (const number of other.numbers) this.numbers.add(number);
    this.from = Math.min(this.from, other.from);
    this.to = Math.max(this.to, other.to);
    this.whatIf.merge(other.whatIf);
    this.callRate.merge(other.callRate);
    for (const name of other.toolNames) this.toolNames.add(name);
    for (const [model, count] of other.#models) addCount(this.#models, model, count);
    for (const [tool, counts] of other.#keptInstead) {
      const own = this.#keptInstead.get(tool) ?? new Map<string, number>();
      this.#keptInstead.set(tool, own);
      for (const [name, count] of counts) addCount(own, name, count);
    }
  }
}

/** The cohorts in the order in which they appear. */
export class Cohorts {
  readonly #cohorts = new Map<string, Cohort>();

  /** The cohort of a record; `number` is the one to store its turns under. */
  find(identity: CohortIdentity): { readonly cohort: Cohort; readonly number: number } {
    const { key, policy } = identity;
    const text = JSON.stringify([...Object.values(key), ...Object.values(policy)]);
    const known = this.#cohorts.get(text);
    const cohort = known ?? new Cohort(this.#cohorts.size, identity);
    if (known === undefined) this.#cohorts.set(text, cohort);
    const [number = 0] = cohort.numbers;
    return { cohort, number };
  }

  /**
   * The cohorts with shadow records, newest first. Records without a judge model (the judge failed,
   * or was not asked) join the newest cohort with the same other keys, for good: to be called once,
   * after the last record.
   */
  finish(): readonly Cohort[] {
    const shadow = [...this.#cohorts.values()]
      .filter(({ hasShadow }) => hasShadow)
      .sort((one, other) => other.to - one.to);
    const whole = shadow.filter(({ key }) => key.judgeModel !== null);
    const open = shadow.filter(({ key }) => key.judgeModel === null);
    const named = open.filter(({ key }) => key.judgeId !== null);
    const unnamed = open.filter(({ key }) => key.judgeId === null);
    for (const cohort of [...named, ...unnamed]) {
      const target = whole.find((candidate) => isPartOf(cohort, candidate));
      if (target === undefined) whole.push(cohort);
      else target.absorb(cohort);
    }
    return whole.sort((one, other) => other.to - one.to);
  }
}

/**
 * True if a cohort without a judge model belongs to another one: all keys that it has are the same.
 */
function isPartOf({ key, policy }: Cohort, target: Cohort): boolean {
  const writeKey = ({ recordVersion, version, policyFingerprint, agent, overrides }: CohortKey) =>
    JSON.stringify([recordVersion, version, policyFingerprint, agent, overrides]);
  return (
    writeKey(key) === writeKey(target.key) &&
    JSON.stringify(Object.values(policy)) === JSON.stringify(Object.values(target.policy)) &&
    (key.judgeId === null || key.judgeId === target.key.judgeId)
  );
}
