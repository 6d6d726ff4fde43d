/**
 * `tuneThresholds`: thresholds and cap for a stated recall, fitted on one part of the units and
 * checked on the other.
 */

import * as z from "zod";
import { parseOptions } from "../../core/parse-options.js";
import { findNewestByAgent } from "../verdict/judge-agents.js";
import type { Cohort } from "../units/cohorts.js";
import type { EvidenceLog } from "../units/evidence-log.js";
import { progressSchema, sinceSchema } from "../summarize-options.js";
import { collectEvidence } from "../summarize.js";
import type { RecordSource } from "../summarize.js";
import type { CohortKey, CohortPolicy, ToolPair } from "../summary.js";
import { PrerequisiteTally } from "./find-prerequisites.js";
import {
  checkTuned,
  fitShare,
  findHardestCalls,
  isFitted,
  fitOptions,
  findPlace,
  findQuantiles,
  countUnitsToFit,
} from "./fit-thresholds.js";
import type { HardestCalls, TuneCheck, TunedOptions } from "./fit-thresholds.js";
import { formatPercent } from "../../core/format.js";

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
  since: sinceSchema,
  onProgress: progressSchema,
});

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
  readonly check: TuneCheck | null;
  readonly options: TunedOptions | null;
  /**
   * Tools to keep together: the first is called before the other in most threads, five at least.
   */
  readonly keepTogether: readonly ToolPair[];
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

type Outcome = Pick<TunedAgent, "verdict" | "exitCode" | "reasons" | "check" | "options">;

function tooLittleData(fit: TunedAgent["fit"], units: number, targetRecall: number): Outcome {
  const inAll = Math.ceil(fit.unitsNeeded / fitShare);
  return {
    verdict: "too-little-data",
    exitCode: 3,
    reasons: [
      `Too little data: a recall of ${formatPercent(targetRecall)} needs ${fit.unitsNeeded} units to fit on (about ${inAll} in all), the log has ${fit.units} (${units} in all).`,
    ],
    check: null,
    options: null,
  };
}

function unreachable(tool: string): Outcome {
  return {
    verdict: "unreachable",
    exitCode: 1,
    reasons: [
      `Unreachable: ${JSON.stringify(tool)} was called at a probability of 0, which every threshold rejects. Add it to alwaysInclude, or state a lower recall.`,
    ],
    check: null,
    options: null,
  };
}

function tuned(options: TunedOptions, check: TuneCheck): Outcome {
  const { units, missedUnits, upperBound } = check;
  return {
    verdict: "tuned",
    exitCode: 0,
    reasons: [
      `Of ${units} units that were not fitted, ${missedUnits} would have missed a tool; up to ${formatPercent(upperBound)} cannot be excluded.`,
    ],
    check,
    options,
  };
}

function tuneCohort(log: EvidenceLog, cohort: Cohort, targetRecall: number): TunedAgent {
  const units: HardestCalls[] = [];
  const prerequisites = new PrerequisiteTally();
  for (const unit of log.readShadow(cohort)) {
    const hardest = findHardestCalls(unit);
    if (hardest !== null) units.push(hardest);
    prerequisites.add(unit.copies);
  }
  const fitted = units.filter(({ unit }) => isFitted(unit));
  const held = units.filter(({ unit }) => !isFitted(unit));
  const k = findPlace(targetRecall, fitted.length);
  const fit = { units: fitted.length, unitsNeeded: countUnitsToFit(targetRecall), k };
  const outcome = ((): Outcome => {
    const quantiles = findQuantiles(fitted, k);
    if (quantiles === null) return tooLittleData(fit, units.length, targetRecall);
    if (quantiles.hardest.probability === 0) return unreachable(quantiles.hardest.tool);
    const options = fitOptions(quantiles, cohort.policy);
    return tuned(options, checkTuned(held, options));
  })();
  const { key, policy } = cohort;
  return {
    agent: key.agent,
    ...outcome,
    cohort: key,
    policy,
    targetRecall,
    fit,
    keepTogether: prerequisites.finish(),
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
    fit: { units: 0, unitsNeeded: countUnitsToFit(targetRecall), k: 0 },
    check: null,
    options: null,
    keepTogether: [],
  };
}

/**
 * Finds thresholds and a cap that keep every called tool in the stated share of units, by the
 * newest cohort of each agent.
 *
 * Units are split by a hash of their id: 60 % fit, 40 % check. The bound needs exchangeable units,
 * not a calibrated judge.
 *
 * @param records any iterable of records, such as `readRecords("logs/*.jsonl")`.
 * @returns the options to paste, and how they do on units that were not fitted; or why there are
 * none.
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
  const agents = [...findNewestByAgent(log.finishCohorts()).values()].map((cohort) =>
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
