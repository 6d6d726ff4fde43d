/**
 * The summary of a shadow log: everything the page shows, and the shape of `toolsieve report
 * --json`. Plain JSON, definitions in docs/report.md.
 */

/** `ready` means: ready for a first enforced share, never "safe". */
export type ReportVerdict = "ready" | "not-ready" | "no-evidence";

/** Which gate decided: shadow evidence, or enforced units against control units. */
export type ReportGate = "shadow" | "enforced";

/** What one unit of evidence is: the application's `groupId`, else the thread, else the run. */
export type UnitKind = "group" | "thread" | "run";

/**
 * Turns that may be counted together: one record version, policy, judge, model and agent; never
 * pooled with another.
 */
export interface CohortKey {
  readonly recordVersion: number;
  /** The application's own `version` option. */
  readonly version: string | null;
  readonly policyFingerprint: string;
  readonly judgeId: string | null;
  readonly judgeModel: string | null;
  readonly agent: string | null;
  /** Turns with per-call overrides are a cohort of their own. */
  readonly overrides: boolean;
}

/** The policy that a cohort ran with. */
export interface CohortPolicy {
  readonly confidenceThreshold: number;
  readonly rejectionThreshold: number;
  readonly maxTools: number;
  readonly onUncertain: "fallback" | "keep";
}

/** One cohort in the list of all cohorts, judged or not. */
export interface CohortSummary {
  readonly key: CohortKey;
  /** The newest cohort of its agent: the one that the verdict is about. */
  readonly judged: boolean;
  /** Times of its first and last record, ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Turns after duplicates are folded. */
  readonly turns: number;
  readonly units: number;
  readonly missedUnits: number;
}

/** One row of the per-tool table, over exposures up to the first miss of each thread. */
export interface ToolSummary {
  readonly name: string;
  /** Units in which the tool was called and could have been hidden. */
  readonly units: number;
  /** Units in which it would have been hidden. */
  readonly missedUnits: number;
  /** One-sided upper bound of its miss rate. */
  readonly upperBound: number;
  /** Fewer than 30 units: no statement about this tool alone. */
  readonly unproven: boolean;
  /** Calls that could have been hidden, turns counted once. */
  readonly calls: number;
  /** Misses over the whole log, those after a thread's first miss included. */
  readonly allMisses: number;
  /**
   * Why it would have been hidden (`not-applicable`, `over-cap`, `not-shortlisted`) and how often.
   */
  readonly missReasons: readonly Count[];
  /** Tools that were kept in turns that missed it, the most frequent first; at most five. */
  readonly keptInstead: readonly Count[];
  /** Some threads that missed it, at most five: the first by name. */
  readonly missedThreads: readonly string[];
}

/** Two tools of which the first is called before the other in most threads that call the other. */
export interface ToolPair {
  readonly first: string;
  readonly then: string;
  /** Threads that called them in this order. */
  readonly threads: number;
  /** Threads that called the second. */
  readonly threadsWithThen: number;
}

/** A name and how often it occurred. */
export interface Count {
  readonly name: string;
  readonly count: number;
}

/** Good–Turing estimates of tools that the log has not shown yet. */
export interface UnseenTools {
  /** Tools called in exactly one unit. */
  readonly calledInOneUnit: number;
  readonly unitToolPairs: number;
  /** Tools of the catalog that were never called where they could have been hidden. */
  readonly neverCalled: number;
  /** Chance that the next call is of a tool never called so far; `null` without calls. */
  readonly nextCallIsNew: number | null;
  /** Chance that the next unit brings such a tool; `null` without units. */
  readonly nextUnitBringsNew: number | null;
}

/** Price ratios applied to the turns of one model; a fresh input token is 1. */
export interface CacheRatios {
  /** `null`: the records name no model. */
  readonly model: string | null;
  readonly turns: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** `option`: stated by the user; `preset`: known by model name; `default`: assumed. */
  readonly source: "option" | "preset" | "default";
}

/** Net saving in input-token equivalents; positive is cheaper. */
export interface NetSaving {
  /** Mean per unit; `null` when it cannot be proven (no judge usage known at all). */
  readonly mean: number | null;
  /** One-sided lower bound of the mean per unit; `null`: unproven. */
  readonly lowerBound: number | null;
  /** Distribution over units; `null` when unproven or empty. */
  readonly perUnit: Distribution | null;
  /** Some turns carry no usage of the model, so no caching is assumed for them: the best case. */
  readonly assumesNoCaching: boolean;
  readonly units: number;
  readonly turns: number;
  /** Why it is unproven, as one sentence. */
  readonly unproven: string | null;
  /** Sums over the counted turns, in input-token equivalents: `removed − cacheBreaks − judge`. */
  readonly parts: {
    readonly removed: number;
    readonly cacheBreaks: number;
    readonly judge: number | null;
  };
  /** Definition tokens per turn, in full and as suggested. */
  readonly definitionTokens: { readonly full: number; readonly suggested: number };
  /**
   * Turns whose suggested tools block differs from the one before in the same unit; first turns not
   * included.
   */
  readonly blockChanges: number;
  /** Turns that followed another one in the same unit. */
  readonly followingTurns: number;
  /**
   * Turns whose cached prefix would have been lost: first turns, changed blocks, and pauses beyond
   * the cache's lifetime.
   */
  readonly brokenPrefixes: number;
  /** The same turns with `sticky`; empty if the tools of some block are unknown. */
  readonly sticky: readonly StickySaving[];
  readonly breakEven: BreakEven;
  readonly ratios: readonly CacheRatios[];
  readonly cacheLifetimeSeconds: number;
  /** Judge tokens at this share of the model's input price. */
  readonly judgeRatios: { readonly input: number; readonly output: number };
  /** With prices: the same in money; `null` without prices for every model seen. */
  readonly money: Money | null;
}

/**
 * What recorded turns would have saved if their tools block only grew, within a run or a thread.
 */
export interface StickySaving {
  readonly sticky: "run" | "thread";
  /** Mean net saving per unit, and its one-sided lower bound; `null`: unproven. */
  readonly mean: number | null;
  readonly lowerBound: number | null;
  readonly blockChanges: number;
  readonly brokenPrefixes: number;
  /** Definition tokens per turn. */
  readonly suggestedTokens: number;
}

/** How long a tools block must stay the same, under caching, for the selection to pay. */
export interface BreakEven {
  /** Turns between two changes of the tools block; `null`: it never pays. */
  readonly turns: number | null;
  /** The observed number; `null` if the block never changed. */
  readonly observed: number | null;
}

export interface Money {
  readonly currency: string;
  readonly mean: number;
  readonly lowerBound: number | null;
  /** Sum over the counted turns. */
  readonly total: number;
}

/** Quantiles of a sample. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p05: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** One policy of the what-if; exploration, never part of the verdict. */
export interface WhatIfRow extends CohortPolicy {
  /** The option in which it differs from the recorded policy; `null`: it is the recorded one. */
  readonly changed: keyof CohortPolicy | null;
  /** The policy that was recorded. */
  readonly current: boolean;
  readonly units: number;
  readonly missedUnits: number;
  readonly upperBound: number;
  /** Share of the turns that would restore the full catalog. */
  readonly fallbackShare: number;
  /** Mean number of tools offered, pinned ones included. */
  readonly meanTools: number;
  /** Mean share of the definition tokens that would not be sent. */
  readonly removedShare: number;
}

/**
 * The recorded policy and its neighbours, one option changed at a time, recomputed from recorded
 * probabilities.
 */
export interface WhatIf {
  /**
   * Turns with a probability for every candidate, duplicates included; the others cannot be
   * recomputed.
   */
  readonly turns: number;
  /** Turns left out because some answer was missing. */
  readonly leftOut: number;
  /** The recorded policy first. A threshold that would pass the other one has taken it along. */
  readonly rows: readonly WhatIfRow[];
}

/**
 * How often tools of one probability range were called within the same user request: a lower bound
 * of "applicable".
 */
export interface CallRateBin {
  /** Range of probabilities: `from` included, `to` excluded (the last range includes 1). */
  readonly from: number;
  readonly to: number;
  readonly judged: number;
  readonly called: number;
  /** `called / judged`; `null` without any. */
  readonly rate: number | null;
}

/** What enforce would add before the first token, in milliseconds. */
export interface LatencyAdded {
  readonly perTurn: Distribution | null;
  /** Sum over the turns of one user request. */
  readonly perRequest: Distribution | null;
  /** The model's own latency per turn, for comparison. */
  readonly model: Distribution | null;
}

/** The chance to be found ready, at a stated true miss rate. */
export interface PowerAdvice {
  readonly trueMissRate: number;
  readonly units: number;
  readonly chance: number;
}

/** The judged cohort of an agent, on which its verdict is based. */
export interface JudgedCohort {
  readonly cohort: CohortKey;
  readonly policy: CohortPolicy;
  readonly from: string;
  readonly to: string;
  /** N: units with at least one exposure. */
  readonly units: number;
  /** K: units with a miss. */
  readonly missedUnits: number;
  readonly upperBound: number;
  readonly lowerBound: number;
  /** What most units are. */
  readonly unit: UnitKind;
  /** Units of each kind. */
  readonly unitKinds: Readonly<Record<UnitKind, number>>;
  /** Units that a verdict needs: with no miss, and with the misses seen so far. */
  readonly unitsNeeded: { readonly withoutMiss: number; readonly withMisses: number };
  /** Exposures up to the first miss of each thread. */
  readonly exposures: number;
  /** Turns after duplicates are folded; how many asked the judge. */
  readonly turns: number;
  readonly askedTurns: number;
  readonly duplicates: number;
  /** Of the asked turns, those without an unjudged answer; `null` if none asked. */
  readonly judgedShare: number | null;
  /**
   * Of the asked turns without all-abstained ones, those that restored the full catalog; `null` if
   * none.
   */
  readonly fallbackShare: number | null;
  readonly abstainedTurns: number;
  /** Why the full catalog was restored, most frequent first. */
  readonly fallbackReasons: readonly Count[];
  readonly netSaving: NetSaving;
  /** Different tools blocks per thread, as enforce would send them. */
  readonly toolBlocks: Distribution | null;
  /**
   * Misses over the whole log by the reason to hide: `not-applicable`, `over-cap`,
   * `not-shortlisted`, `fallback-cap`.
   */
  readonly missReasons: readonly Count[];
  /** Most missed first, then most units. */
  readonly tools: readonly ToolSummary[];
  readonly unseen: UnseenTools;
  readonly suggestedAlwaysInclude: readonly string[];
  readonly whatIf: WhatIf;
  readonly callRate: readonly CallRateBin[];
  readonly latency: LatencyAdded;
  readonly power: readonly PowerAdvice[];
}

/** The verdict on one agent. */
export interface AgentSummary {
  readonly agent: string | null;
  readonly verdict: ReportVerdict;
  readonly exitCode: 0 | 1 | 3;
  /** One sentence each, the decisive ones first. */
  readonly reasons: readonly string[];
  /** What would change the verdict, one sentence each. */
  readonly changes: readonly string[];
  /** `null`: no shadow record with a unit. */
  readonly judged: JudgedCohort | null;
  /** Enforced against control units; `null` without enforced records. */
  readonly comparison: EnforcedComparison | null;
}

/** Which harm is compared between enforced and control units. */
export type HarmName =
  | "model-error"
  | "hidden-or-unknown-call"
  | "find-tools-reveal"
  | "no-tool-call"
  | "labelled-failure";

/** The share of units with one harm, enforced against control. */
export interface HarmComparison {
  readonly harm: HarmName;
  readonly enforced: { readonly units: number; readonly withHarm: number };
  readonly control: { readonly units: number; readonly withHarm: number };
  /** Enforced minus control; `null` if either side is empty. */
  readonly difference: number | null;
  /** Newcombe interval, each end one-sided at 95 %. */
  readonly lowerBound: number | null;
  readonly upperBound: number | null;
  readonly verdict: ReportVerdict;
  /** Enforced units that a verdict would need at this ratio and rate; `null` if unknown. */
  readonly enforcedUnitsNeeded: number | null;
}

/** Searches, recoveries and stopped calls of hidden tools, over all enforced turns. */
export interface RecoverySummary {
  readonly turns: number;
  /** Calls of `find_tools`. */
  readonly searches: number;
  /** Tools that they revealed. */
  readonly foundTools: number;
  /** Calls of a tool that was revealed earlier. */
  readonly recoveredCalls: number;
  /** Calls of hidden tools that the guard did not execute. */
  readonly stoppedCalls: number;
}

/** The second gate. */
export interface EnforcedComparison {
  readonly verdict: ReportVerdict;
  readonly exitCode: 0 | 1 | 3;
  readonly reasons: readonly string[];
  /** Non-inferior below this difference. */
  readonly margin: number;
  readonly from: string;
  readonly to: string;
  readonly version: string | null;
  readonly policyFingerprint: string;
  /** Configured shares seen in the records, ascending. */
  readonly enforceShares: readonly number[];
  readonly enforcedUnits: number;
  readonly controlUnits: number;
  /** Units with enforced and control records: on neither side. */
  readonly mixedUnits: number;
  readonly harms: readonly HarmComparison[];
  readonly recovery: RecoverySummary;
  /** Different tools blocks per thread, as they were sent. */
  readonly toolBlocks: {
    readonly enforced: Distribution | null;
    readonly control: Distribution | null;
  };
}

/** What `summarize` returns and `renderReport` shows. */
export interface ReportSummary {
  readonly verdict: ReportVerdict;
  /** 0 ready, 1 not ready, 3 no evidence. */
  readonly exitCode: 0 | 1 | 3;
  readonly reasons: readonly string[];
  readonly changes: readonly string[];
  readonly gate: ReportGate;
  /** Of the agent with the worst verdict; `null` if no shadow record counts. */
  readonly judged: JudgedCohort | null;
  /** By agent name; agents without a name under `(unnamed)`. */
  readonly agents: Readonly<Record<string, AgentSummary>>;
  /** All cohorts, newest first. */
  readonly cohorts: readonly CohortSummary[];
  /** Assumptions of the figures, as sentences on the page. */
  readonly assumptions: readonly string[];
  readonly options: {
    /** The limit m, a share of units. */
    readonly maxMissRate: number;
    readonly looks: number;
    /** One-sided error of each bound: 0.05 / looks. */
    readonly alpha: number;
    readonly since: string | null;
    readonly expectPolicy: string | null;
    readonly critical: readonly string[];
  };
  /** Times of the first and last record, ISO 8601. */
  readonly period: { readonly from: string; readonly to: string } | null;
  readonly records: number;
  readonly malformedLines: number;
  /** JSON that is not a selection record of a known version. */
  readonly foreignRecords: number;
  /** Records with neither group, thread nor run. */
  readonly uncountedRecords: number;
}
