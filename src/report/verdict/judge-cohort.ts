/** Builds the summary of one cohort from its units. */

import { nameMatcher } from "../../core/glob.js";
import {
  computeChanceOfReady,
  computeLowerBound,
  countUnitsNeeded,
  countUnitsWithoutMiss,
  computeUpperBound,
} from "./bounds.js";
import type { Cohort } from "../units/cohorts.js";
import { EvidenceTally } from "./evidence-tally.js";
import type { EvidenceLog } from "../units/evidence-log.js";
import type { ResolvedSummarizeOptions } from "../summarize-options.js";
import { StickySavings } from "../saving/sticky-savings.js";
import { SavingTally } from "../saving/net-saving.js";
import type { CohortSummary, JudgedCohort, PowerAdvice } from "../summary.js";
import { foldCopies } from "../units/fold-copies.js";
import { WhatIfUnits } from "../what-if/what-if-tally.js";

const isoTime = (time: number): string => new Date(time).toISOString();

/** The line of a cohort in the list of all cohorts; `judged` if a verdict is given on it. */
export function summarizeCohort(
  log: EvidenceLog,
  cohort: Cohort,
  judged: JudgedCohort | undefined,
): CohortSummary {
  const { turns, units, missedUnits } = judged ?? countEvidence(log, cohort);
  return {
    key: cohort.key,
    judged: judged !== undefined,
    from: isoTime(cohort.from),
    to: isoTime(cohort.to),
    turns,
    units,
    missedUnits,
  };
}

function countEvidence(log: EvidenceLog, cohort: Cohort): EvidenceTally {
  const evidence = new EvidenceTally();
  for (const { kind, copies } of log.readShadow(cohort)) evidence.add(foldCopies(copies), kind);
  return evidence;
}

/**
 * The tools that the user calls critical, by name where the log knows them; a pattern without a
 * match is kept as it is.
 */
function listCriticalTools(cohort: Cohort, critical: readonly string[]): readonly string[] {
  return critical.flatMap((glob) => {
    const isNamed = nameMatcher([glob]);
    const names = [...cohort.toolNames].filter(isNamed).sort();
    return names.length > 0 ? names : [glob];
  });
}

/** The chance to be found ready at 0.3 of the limit, for logs of three sizes. */
function advisePower(limit: number, alpha: number): readonly PowerAdvice[] {
  const least = countUnitsWithoutMiss(limit, alpha);
  const trueMissRate = 0.3 * limit;
  return [...new Set([least, 2 * least, Math.max(least, Math.round(10 / limit))])]
    .sort((a, b) => a - b)
    .map((units) => ({
      trueMissRate,
      units,
      chance: computeChanceOfReady(units, trueMissRate, { limit, alpha }),
    }));
}

/** Everything about the cohort that a verdict is given on. */
export function judgeCohort(
  log: EvidenceLog,
  cohort: Cohort,
  options: ResolvedSummarizeOptions,
): JudgedCohort {
  const { alpha, maxMissRate: limit } = options;
  const evidence = new EvidenceTally();
  const saving = new SavingTally(options.prices, cohort.mainModel);
  const sticky = new StickySavings(options.prices, cohort.mainModel, (block) =>
    log.findBlock(block),
  );
  const whatIfUnits = new WhatIfUnits();
  for (const { kind, copies } of log.readShadow(cohort)) {
    const counted = evidence.add(foldCopies(copies), kind);
    saving.add(counted);
    sticky.add(counted);
    whatIfUnits.add(copies);
  }
  const { units, missedUnits, missedTools } = evidence;
  return {
    cohort: cohort.key,
    policy: cohort.policy,
    from: isoTime(cohort.from),
    to: isoTime(cohort.to),
    units,
    missedUnits,
    upperBound: computeUpperBound(missedUnits, units, alpha),
    lowerBound: computeLowerBound(missedUnits, units, alpha),
    unit: evidence.unit,
    unitKinds: evidence.unitKinds,
    unitsNeeded: {
      withoutMiss: countUnitsWithoutMiss(limit, alpha),
      withMisses: countUnitsNeeded(missedUnits, limit, alpha),
    },
    exposures: evidence.exposures,
    turns: evidence.turns,
    askedTurns: evidence.askedTurns,
    duplicates: evidence.duplicates,
    judgedShare: evidence.judgedShare,
    fallbackShare: evidence.fallbackShare,
    abstainedTurns: evidence.abstainedTurns,
    fallbackReasons: evidence.fallbackReasons,
    netSaving: saving.finish(alpha, sticky.finish(alpha)),
    toolBlocks: evidence.toolBlocks,
    missReasons: evidence.missReasons,
    tools: evidence.tools(alpha, (tool) => cohort.listKeptInstead(tool)),
    unseen: evidence.unseen(cohort.toolNames),
    suggestedAlwaysInclude: [
      ...new Set([...missedTools, ...listCriticalTools(cohort, options.critical)]),
    ],
    whatIf: cohort.whatIf.finish(whatIfUnits, alpha),
    callRate: cohort.callRate.finish(),
    latency: evidence.latency,
    power: advisePower(limit, alpha),
  };
}
