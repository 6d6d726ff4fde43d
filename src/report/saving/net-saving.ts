/**
 * Net saving in input-token equivalents: what the hidden definitions would have cost, less broken
 * caches and the judge.
 */

import { sum } from "../../core/sum.js";
import { describeSample } from "../describe-sample.js";
import { findRatios } from "./prices.js";
import type { ResolvedPrices, TurnRatios } from "./prices.js";
import type { BreakEven, CacheRatios, Money, NetSaving } from "../summary.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import { computeBreakEven, boundMean, computeTurnSaving } from "./turn-saving.js";
import type { Turn } from "../units/fold-copies.js";

/**
 * The sums of one unit; judge requests without known usage are priced at the end, at the cohort's
 * mean.
 */
interface UnitSaving {
  known: number;
  money: number;
  unknownRequests: number;
}

/** A judge's cost per request, from the requests whose usage is known; `null` if there are none. */
interface JudgeMean {
  readonly tokens: number | null;
  readonly money: number;
}

/** Sums the savings of a cohort, unit by unit. */
export class SavingTally {
  readonly #prices: ResolvedPrices;
  /** Prices the judge of turns without a model. */
  readonly #mainModel: string | null;
  readonly #ratios = new Map<string | null, TurnRatios>();
  readonly #models = new Map<string | null, number>();
  readonly #units: UnitSaving[] = [];
  #turns = 0;
  #withoutUsage = 0;
  #removed = 0;
  #cacheBreaks = 0;
  #full = 0;
  #suggested = 0;
  #history = 0;
  #withHistory = 0;
  #blockChanges = 0;
  #brokenPrefixes = 0;
  #following = 0;
  #judge = { cost: 0, money: 0, requests: 0, unknownRequests: 0 };
  #hasPrices = true;

  constructor(prices: ResolvedPrices, mainModel: string | null) {
    this.#prices = prices;
    this.#mainModel = mainModel;
  }

  /** Adds the turns of a unit that count: each thread up to its first miss. */
  add(turns: readonly Turn[]): void {
    const unit: UnitSaving = { known: 0, money: 0, unknownRequests: 0 };
    const threads = new Set<string>();
    let previous: TurnFacts | null = null;
    for (const { last, copies } of turns) {
      for (const copy of copies) this.#payJudge(unit, copy);
      if (!last.returned) continue;
      const isFirst = !threads.has(last.thread);
      threads.add(last.thread);
      this.#addTurn(unit, last, { isFirst, previous });
      previous = last;
    }
    this.#units.push(unit);
  }

  #findRatios(model: string | null): TurnRatios {
    const known = this.#ratios.get(model) ?? findRatios(model, this.#prices);
    this.#ratios.set(model, known);
    return known;
  }

  #payJudge(unit: UnitSaving, copy: TurnFacts): void {
    const ratios = this.#findRatios(copy.model ?? this.#mainModel);
    const cost =
      copy.judgeInputTokens * ratios.judgeInput + copy.judgeOutputTokens * ratios.judgeOutput;
    if (Number.isNaN(cost)) {
      if (ratios.judgeInput === 0 && ratios.judgeOutput === 0) return;
      unit.unknownRequests += copy.judgeRequests;
      this.#judge.unknownRequests += copy.judgeRequests;
      return;
    }
    const money = cost * (ratios.inputPrice ?? 0);
    unit.known -= cost;
    unit.money -= money;
    this.#judge.cost += cost;
    this.#judge.money += money;
    this.#judge.requests += copy.judgeRequests;
  }

  #addTurn(
    unit: UnitSaving,
    turn: TurnFacts,
    { isFirst, previous }: { readonly isFirst: boolean; readonly previous: TurnFacts | null },
  ): void {
    const ratios = this.#findRatios(turn.model);
    const hasChanged = previous !== null && turn.suggestedBlock !== previous.suggestedBlock;
    const isLate =
      previous !== null && turn.time - previous.time > this.#prices.cacheLifetimeSeconds * 1000;
    const isBroken = isFirst || hasChanged || isLate;
    const saving = computeTurnSaving(turn, ratios, isBroken);
    if (isBroken) this.#brokenPrefixes++;
    unit.known += saving.removed - saving.cacheBreak;
    unit.money += (saving.removed - saving.cacheBreak) * (ratios.inputPrice ?? 0);
    this.#removed += saving.removed;
    this.#cacheBreaks += saving.cacheBreak;
    if (ratios.inputPrice === null) this.#hasPrices = false;
    if (previous !== null) this.#following++;
    if (hasChanged) this.#blockChanges++;
    this.#countTurn(turn);
  }

  #countTurn(turn: TurnFacts): void {
    this.#turns++;
    this.#models.set(turn.model, (this.#models.get(turn.model) ?? 0) + 1);
    this.#full += turn.fullTokens || 0;
    this.#suggested += turn.suggestedTokens || 0;
    if (Number.isNaN(turn.inputTokens)) {
      this.#withoutUsage++;
      return;
    }
    this.#history += Math.max(0, turn.inputTokens - (turn.fullTokens || 0));
    this.#withHistory++;
  }

  /** The cost of a request of unknown usage; `null` if it must be known and is not. */
  #meanRequest(): JudgeMean {
    const { cost, money, requests, unknownRequests } = this.#judge;
    if (unknownRequests === 0) return { tokens: 0, money: 0 };
    return requests === 0
      ? { tokens: null, money: 0 }
      : { tokens: cost / requests, money: money / requests };
  }

  /** @param sticky the same turns with `sticky`. */
  finish(alpha: number, sticky: NetSaving["sticky"] = []): NetSaving {
    const mean = this.#meanRequest();
    const { tokens } = mean;
    const perUnit =
      tokens === null ? [] : this.#units.map((unit) => unit.known - unit.unknownRequests * tokens);
    const judge = tokens === null ? null : this.#judge.cost + this.#judge.unknownRequests * tokens;
    const turns = Math.max(1, this.#turns);
    return {
      mean: perUnit.length === 0 ? null : sum(perUnit) / perUnit.length,
      lowerBound: boundMean(perUnit, alpha),
      perUnit: describeSample(perUnit),
      assumesNoCaching: this.#withoutUsage > 0,
      units: this.#units.length,
      turns: this.#turns,
      unproven: explainUnproven(tokens, this.#units.length),
      parts: { removed: this.#removed, cacheBreaks: this.#cacheBreaks, judge },
      definitionTokens: { full: this.#full / turns, suggested: this.#suggested / turns },
      blockChanges: this.#blockChanges,
      followingTurns: this.#following,
      brokenPrefixes: this.#brokenPrefixes,
      sticky,
      breakEven: this.#breakEven((judge ?? 0) / turns),
      ratios: this.#ratiosSeen(),
      cacheLifetimeSeconds: this.#prices.cacheLifetimeSeconds,
      judgeRatios: this.#judgeRatios(),
      money: tokens === null ? null : this.#money(mean, alpha),
    };
  }

  #breakEven(judge: number): BreakEven {
    const turns = Math.max(1, this.#turns);
    return {
      turns: computeBreakEven({
        full: this.#full / turns,
        selected: this.#suggested / turns,
        history: this.#history / Math.max(1, this.#withHistory),
        judge,
        ratios: this.#findRatios(this.#mainModel),
      }),
      observed: this.#blockChanges === 0 ? null : this.#following / this.#blockChanges,
    };
  }

  #ratiosSeen(): readonly CacheRatios[] {
    return [...this.#models]
      .sort((one, other) => other[1] - one[1])
      .map(([model, turns]) => {
        const { cacheRead, cacheWrite, source } = this.#findRatios(model);
        return { model, turns, cacheRead, cacheWrite, source };
      });
  }

  #judgeRatios(): NetSaving["judgeRatios"] {
    const { judgeInput, judgeOutput } = this.#findRatios(this.#mainModel);
    return { input: judgeInput, output: judgeOutput };
  }

  #money(mean: JudgeMean, alpha: number): Money | null {
    if (!this.#hasPrices || this.#turns === 0) return null;
    const perUnit = this.#units.map(
      (unit) => (unit.money - unit.unknownRequests * mean.money) / 1_000_000,
    );
    const total = sum(perUnit);
    return {
      currency: this.#prices.currency,
      mean: total / perUnit.length,
      lowerBound: boundMean(perUnit, alpha),
      total,
    };
  }
}

function explainUnproven(judgeMean: number | null, units: number): string | null {
  if (judgeMean === null) {
    return "Saving unproven: the judge reported no usage at all, so what it costs is unknown.";
  }
  return units < 2 ? "Saving unproven: a bound needs at least two units." : null;
}
