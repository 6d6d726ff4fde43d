/** `tuneThresholds`: thresholds and cap for a stated recall, fitted on one part of the units and checked on the other. */

import * as z from "zod";
import { shareOf } from "../core/fingerprint.js";
import { parseOptions } from "../core/parse-options.js";
import { upperBound } from "./bounds.js";
import type { Cohort } from "./cohorts.js";
import type { EvidenceLog, Unit } from "./evidence-log.js";
import type { CohortKey, CohortPolicy } from "./summary.js";
import { collectEvidence, newestByAgent } from "./summarize.js";
import type { RecordSource } from "./summarize.js";
import { countUnits, percent } from "./verdict.js";

/** Options of `tuneThresholds`. */
export interface TuneOptions {
  /**
   * The share of units that shall miss nothing, above 0 and below 1.
   * @default 0.995
   */
  readonly targetRecall?: number | undefined;
  /** Counts records from this time on: a date, or epoch milliseconds. */
  readonly since?: Date | number | undefined;
  /** Called with the number of records read so far, every 10,000 records. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

const share = "a number above 0 and below 1";

const tuneOptionsSchema = z.strictObject({
  targetRecall: z.number(share).gt(0, share).lt(1, share).default(0.995),
  since: z
    .union([z.date(), z.number("a date or epoch milliseconds")], "a date or epoch milliseconds")
    .transform(Number)
    .optional(),
  onProgress: z
    .custom<(records: number) => void>((value) => typeof value === "function", "a function")
    .optional(),
});

/** Options to paste into `createToolSelector`. */
export type TunedOptions = Pick<
  CohortPolicy,
  "confidenceThreshold" | "rejectionThreshold" | "maxTools"
>;

/** What tuning one agent came to. */
export interface TunedAgent {
  readonly agent: string | null;
  /** `unreachable`: no threshold keeps a called tool whose probability is 0. */
  readonly verdict: "tuned" | "unreachable" | "too-little-data";
  /** 0 tuned, 1 unreachable, 3 too little data. */
  readonly exitCode: 0 | 1 | 3;
  readonly reasons: readonly string[];
  readonly cohort: CohortKey | null;
  /** The policy that was recorded. */
  readonly policy: CohortPolicy | null;
  readonly targetRecall: number;
  readonly fit: {
    readonly units: number;
    /** Units that the target needs at least. */
    readonly unitsNeeded: number;
    /** The quantile taken is the k-th smallest; 0: too few units. */
    readonly k: number;
  };
  /** How the tuned options do on units that were not fitted; `null` without options. */
  readonly check: {
    readonly units: number;
    readonly missedUnits: number;
    /** `null` without units. */
    readonly recall: number | null;
    readonly upperBound: number;
  } | null;
  readonly options: TunedOptions | null;
}

/** What `tuneThresholds` returns: the worst agent's result, and every agent's. */
export interface TuneSummary extends TunedAgent {
  /** By agent name; agents without a name under `(unnamed)`. */
  readonly agents: Readonly<Record<string, TunedAgent>>;
  readonly records: number;
  readonly malformedLines: number;
  readonly foreignRecords: number;
  readonly uncountedRecords: number;
}

/** The hardest calls of one unit. */
interface HardestCalls {
  readonly unit: Unit;
  /** The smallest probability of a called tool, and that tool. */
  readonly probability: number;
  readonly tool: string;
  /** The worst place of a called tool by probability. */
  readonly rank: number;
  /** A called tool was not even judged. */
  readonly isOutsideShortlist: boolean;
}

/** The part of the units that thresholds are fitted on. */
const fitShare = 0.6;

/** Splits by a hash of its own, so that it is independent of which threads are enforced. */
const isFitted = ({ kind, id }: Unit): boolean => shareOf(`tune:${kind}:${id}`) < fitShare;

/** Over all exposures, in fallbacks and after a miss too; `null` if none has a probability. */
function hardestOf(unit: Unit): HardestCalls | null {
  const exposures = unit.copies.flatMap((copy) => copy.exposures);
  const judged = exposures.filter(({ probability }) => probability !== null);
  const [first, ...rest] = judged;
  if (first === undefined) return null;
  const least = rest.reduce(
    (lowest, next) => ((next.probability ?? 1) < (lowest.probability ?? 1) ? next : lowest),
    first,
  );
  return {
    unit,
    probability: least.probability ?? 0,
    tool: least.tool,
    rank: judged.reduce((worst, { rank }) => Math.max(worst, rank), 1),
    isOutsideShortlist: judged.length < exposures.length,
  };
}

/** The largest number of four digits below a positive probability: short to paste, and it keeps that probability. */
export function justBelow(probability: number): number {
  const step = 10 ** (Math.floor(Math.log10(probability)) - 3);
  const below = Number(((Math.ceil(probability / step - 1e-9) - 1) * step).toPrecision(4));
  return below > 0 && below < probability ? below : 0;
}

/** Half of the misses that the target allows go to the threshold, half to the cap. */
const shareOfEach = (targetRecall: number): number => (1 - targetRecall) / 2;

/** k: the place of the quantile among n units, by split-conformal prediction. */
const placeOf = (targetRecall: number, units: number): number =>
  Math.floor(shareOfEach(targetRecall) * (units + 1) + 1e-9);

const unitsFor = (targetRecall: number): number =>
  Math.ceil(1 / shareOfEach(targetRecall) - 1 - 1e-9);

type Fitted = { readonly hardest: HardestCalls; readonly maxTools: number };

function fit(units: readonly HardestCalls[], k: number): Fitted | null {
  const byProbability = units.toSorted((one, other) => one.probability - other.probability);
  const byRank = units.toSorted((one, other) => other.rank - one.rank);
  const hardest = byProbability[k - 1];
  const widest = byRank[k - 1];
  return hardest === undefined || widest === undefined ? null : { hardest, maxTools: widest.rank };
}

/** A threshold at or above the confidence threshold raises that too. */
function optionsOf({ hardest, maxTools }: Fitted, policy: CohortPolicy): TunedOptions {
  const rejectionThreshold = justBelow(hardest.probability);
  const confidenceThreshold =
    rejectionThreshold < policy.confidenceThreshold
      ? policy.confidenceThreshold
      : hardest.probability;
  return { confidenceThreshold, rejectionThreshold, maxTools };
}

/** Counts a unit as missed where the options would hide one of its calls; fallbacks, which save some, are not counted on. */
function checkOptions(
  units: readonly HardestCalls[],
  { rejectionThreshold, maxTools }: TunedOptions,
): NonNullable<TunedAgent["check"]> {
  const missed = units.filter(
    ({ probability, rank, isOutsideShortlist }) =>
      probability <= rejectionThreshold || rank > maxTools || isOutsideShortlist,
  ).length;
  return {
    units: units.length,
    missedUnits: missed,
    recall: units.length === 0 ? null : 1 - missed / units.length,
    upperBound: upperBound(missed, units.length, 0.05),
  };
}

function tuneCohort(log: EvidenceLog, cohort: Cohort, targetRecall: number): TunedAgent {
  const units = [...log.shadowUnits(cohort)].map(hardestOf).filter((unit) => unit !== null);
  const fitted = units.filter(({ unit }) => isFitted(unit));
  const held = units.filter(({ unit }) => !isFitted(unit));
  const k = placeOf(targetRecall, fitted.length);
  const unitsNeeded = unitsFor(targetRecall);
  const common = {
    agent: cohort.key.agent,
    cohort: cohort.key,
    policy: cohort.policy,
    targetRecall,
    fit: { units: fitted.length, unitsNeeded, k },
    check: null,
    options: null,
  };
  const result = k === 0 ? null : fit(fitted, k);
  if (result === null) {
    return {
      ...common,
      verdict: "too-little-data",
      exitCode: 3,
      reasons: [
        `Too little data: a recall of ${percent(targetRecall)} needs ${unitsNeeded} units to fit on (about ${Math.ceil(unitsNeeded / fitShare)} in all), the log has ${fitted.length} (${units.length} in all).`,
      ],
    };
  }
  const { hardest } = result;
  if (hardest.probability === 0) {
    return {
      ...common,
      verdict: "unreachable",
      exitCode: 1,
      reasons: [
        `Unreachable: ${JSON.stringify(hardest.tool)} was called at a probability of 0, which every threshold rejects. Add it to alwaysInclude, or state a lower recall.`,
      ],
    };
  }
  const options = optionsOf(result, cohort.policy);
  const check = checkOptions(held, options);
  return {
    ...common,
    verdict: "tuned",
    exitCode: 0,
    reasons: [
      `On ${countUnits(check.units, "thread")} that were not fitted, ${check.missedUnits} would have missed a tool; up to ${percent(check.upperBound)} cannot be excluded.`,
    ],
    check,
    options,
  };
}

const severity = [1, 3, 0] as const;

function worstAgent(agents: readonly TunedAgent[]): TunedAgent | undefined {
  return severity.flatMap((code) => agents.filter(({ exitCode }) => exitCode === code))[0];
}

function withoutRecords(targetRecall: number): TunedAgent {
  return {
    agent: null,
    verdict: "too-little-data",
    exitCode: 3,
    reasons: ["Too little data: no shadow record with a group, thread or run."],
    cohort: null,
    policy: null,
    targetRecall,
    fit: { units: 0, unitsNeeded: unitsFor(targetRecall), k: 0 },
    check: null,
    options: null,
  };
}

/**
 * Finds thresholds and a cap that keep every called tool in the stated share of units, by the newest cohort of each agent.
 *
 * Units are split by a hash of their id: 60 % fit, 40 % check. The bound needs exchangeable units, not a calibrated judge.
 *
 * @param records any iterable of records, such as `readRecords("logs/*.jsonl")`.
 * @returns the options to paste, and how they do on units that were not fitted; or why there are none.
 * @throws {InvalidOptionsError} if an option is wrong; and whatever the iterable throws.
 * @example
 * ```ts
 * const { options, check, reasons } = await tuneThresholds(readRecords("logs/*.jsonl"), { targetRecall: 0.99 });
 * console.log(options, check?.recall, reasons);
 * ```
 */
export async function tuneThresholds(
  records: RecordSource,
  options?: TuneOptions,
): Promise<TuneSummary> {
  const { targetRecall, since, onProgress } = parseOptions(
    tuneOptionsSchema,
    options,
    "tuneThresholds",
  );
  const log = await collectEvidence(records, { since, onProgress });
  const agents = [...newestByAgent(log.cohorts()).values()].map((cohort) =>
    tuneCohort(log, cohort, targetRecall),
  );
  return {
    ...(worstAgent(agents) ?? withoutRecords(targetRecall)),
    agents: Object.fromEntries(agents.map((agent) => [agent.agent ?? "(unnamed)", agent])),
    records: log.records,
    malformedLines: records.counts?.malformedLines ?? 0,
    foreignRecords: records.counts?.foreignRecords ?? 0,
    uncountedRecords: log.uncountedRecords,
  };
}
