/**
 * Counts the evidence of one cohort: units exposed and missed, tools, shares of turns, latency.
 * Pure; bounds are in bounds.ts.
 */

import { computeUpperBound } from "./bounds.js";
import { describeSample } from "../describe-sample.js";
import type {
  Count,
  Distribution,
  LatencyAdded,
  ToolSummary,
  UnitKind,
  UnseenTools,
} from "../summary.js";
import type { Exposure } from "../facts/exposures.js";
import { BlockCount } from "../units/block-count.js";
import { addCount, sortCounts } from "../units/counts.js";
import { cutAfterMiss } from "../units/fold-copies.js";
import type { Turn } from "../units/fold-copies.js";

/**
 * A tool with fewer units than this is unproven: 0 of 30 cannot exclude a miss rate of 9.5 %.
 */
const provenUnits = 30;
const shownThreads = 5;

interface ToolTally {
  units: number;
  missedUnits: number;
  calls: number;
  allMisses: number;
  readonly reasons: Map<string, number>;
  threads: readonly string[];
}

/**
 * The first names in the order of the alphabet, each once: the same few, whatever order they come
 * in.
 */
const listFirst = (threads: readonly string[]): readonly string[] =>
  [...new Set(threads)].sort().slice(0, shownThreads);

/** Collects the evidence of a cohort, unit by unit. */
export class EvidenceTally {
  units = 0;
  missedUnits = 0;
  exposures = 0;
  turns = 0;
  duplicates = 0;
  askedTurns = 0;
  abstainedTurns = 0;
  readonly unitKinds: Record<UnitKind, number> = { group: 0, thread: 0, run: 0 };
  readonly #tools = new Map<string, ToolTally>();
  readonly #missReasons = new Map<string, number>();
  readonly #toolBlocks = new BlockCount();
  readonly #fallbackReasons = new Map<string, number>();
  #failedTurns = 0;
  #fallbackTurns = 0;
  readonly #turnLatencies: number[] = [];
  readonly #requestLatencies: number[] = [];
  readonly #modelLatencies: number[] = [];

  /**
   * Adds all turns of one unit, in order. @returns those that count, each thread up to its first
   * miss.
   */
  add(turns: readonly Turn[], kind: UnitKind): readonly Turn[] {
    const counted = cutAfterMiss(turns);
    this.#addShares(turns);
    this.#toolBlocks.add(
      turns.map(({ last }) => last),
      "suggestedBlock",
    );
    this.#addLatencies(turns);
    this.#addMisses(turns);
    this.#addExposures(
      counted.flatMap(({ exposures }) => exposures),
      kind,
    );
    return counted;
  }

  #addExposures(exposures: readonly Exposure[], kind: UnitKind): void {
    if (exposures.length === 0) return;
    this.units++;
    this.unitKinds[kind]++;
    this.exposures += exposures.length;
    if (exposures.some(({ hidden }) => hidden)) this.missedUnits++;
    const missed = new Map<string, boolean>();
    for (const { tool, hidden } of exposures) {
      missed.set(tool, hidden || missed.get(tool) === true);
      this.#tool(tool).calls++;
    }
    for (const [tool, isMissed] of missed) {
      const tally = this.#tool(tool);
      tally.units++;
      if (isMissed) tally.missedUnits++;
    }
  }

  /** Misses of the whole log, also those after a thread's first. */
  #addMisses(turns: readonly Turn[]): void {
    for (const { exposures, last } of turns) {
      for (const { tool, hidden, reason } of exposures) {
        if (!hidden) continue;
        const tally = this.#tool(tool);
        tally.allMisses++;
        addCount(tally.reasons, reason);
        addCount(this.#missReasons, reason);
        tally.threads = listFirst([...tally.threads, last.thread]);
      }
    }
  }

  #addShares(turns: readonly Turn[]): void {
    for (const { last, copies } of turns) {
      this.turns++;
      this.duplicates += copies.length - 1;
      if (!last.asked) continue;
      this.askedTurns++;
      if (last.failed) this.#failedTurns++;
      if (last.abstained) this.abstainedTurns++;
      if (!last.fallback) continue;
      addCount(this.#fallbackReasons, last.reason);
      if (!last.abstained) this.#fallbackTurns++;
    }
  }

  #addLatencies(turns: readonly Turn[]): void {
    const requests = new Map<string, number>();
    for (const { last } of turns) {
      if (!Number.isNaN(last.modelLatencyMs)) this.#modelLatencies.push(last.modelLatencyMs);
      if (!last.asked || Number.isNaN(last.judgeLatencyMs)) continue;
      this.#turnLatencies.push(last.judgeLatencyMs);
      if (!Number.isNaN(last.request)) {
        addCount(requests, `${last.request} ${last.thread}`, last.judgeLatencyMs);
      }
    }
    for (const latency of requests.values()) this.#requestLatencies.push(latency);
  }

  #tool(name: string): ToolTally {
    const known = this.#tools.get(name) ?? {
      units: 0,
      missedUnits: 0,
      calls: 0,
      allMisses: 0,
      reasons: new Map<string, number>(),
      threads: [],
    };
    this.#tools.set(name, known);
    return known;
  }

  /** What most units are; threads where there are none. */
  get unit(): UnitKind {
    const { group, thread, run } = this.unitKinds;
    if (group > 0 && group >= thread && group >= run) return "group";
    return run > thread ? "run" : "thread";
  }

  /** `null` if no turn asked the judge. */
  get judgedShare(): number | null {
    return this.askedTurns === 0 ? null : 1 - this.#failedTurns / this.askedTurns;
  }

  /** All-abstained turns left out: small talk is no outage. `null` if nothing is left. */
  get fallbackShare(): number | null {
    const turns = this.askedTurns - this.abstainedTurns;
    return turns === 0 ? null : this.#fallbackTurns / turns;
  }

  get fallbackReasons(): readonly Count[] {
    return sortCounts(this.#fallbackReasons);
  }

  /** Misses over the whole log, later ones included. */
  get missReasons(): readonly Count[] {
    return sortCounts(this.#missReasons);
  }

  /** Different blocks per thread, as enforce would send them. */
  get toolBlocks(): Distribution | null {
    return this.#toolBlocks.finish();
  }

  get latency(): LatencyAdded {
    return {
      perTurn: describeSample(this.#turnLatencies),
      perRequest: describeSample(this.#requestLatencies),
      model: describeSample(this.#modelLatencies),
    };
  }

  /** Names of all tools missed, later misses included, in the order of the tool table. */
  get missedTools(): readonly string[] {
    return this.#sortedTools()
      .filter(([, { allMisses }]) => allMisses > 0)
      .map(([name]) => name);
  }

  /** @param keptInstead lists the tools that were kept in turns that missed a tool. */
  tools(alpha: number, keptInstead: (tool: string) => readonly Count[]): readonly ToolSummary[] {
    return this.#sortedTools().map(([name, tally]) => ({
      name,
      units: tally.units,
      missedUnits: tally.missedUnits,
      upperBound: computeUpperBound(tally.missedUnits, tally.units, alpha),
      unproven: tally.units < provenUnits,
      calls: tally.calls,
      allMisses: tally.allMisses,
      missReasons: sortCounts(tally.reasons),
      keptInstead: keptInstead(name),
      missedThreads: tally.threads,
    }));
  }

  /**
   * Good–Turing estimates.
   *
   * @param catalog names of all tools of the catalog.
   */
  unseen(catalog: ReadonlySet<string>): UnseenTools {
    const called = [...this.#tools].filter(([, { units }]) => units > 0);
    const once = called.filter(([, { units }]) => units === 1).length;
    const pairs = called.reduce((sum, [, { units }]) => sum + units, 0);
    return {
      calledInOneUnit: once,
      unitToolPairs: pairs,
      neverCalled: [...catalog].filter((name) => !this.#tools.has(name)).length,
      nextCallIsNew: pairs === 0 ? null : once / pairs,
      nextUnitBringsNew: this.units === 0 ? null : Math.min(1, once / this.units),
    };
  }

  #sortedTools(): readonly (readonly [string, ToolTally])[] {
    return [...this.#tools].sort(
      ([oneName, one], [otherName, other]) =>
        other.missedUnits - one.missedUnits ||
        other.allMisses - one.allMisses ||
        other.units - one.units ||
        (oneName < otherName ? -1 : 1),
    );
  }
}
