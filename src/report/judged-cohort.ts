/** From a cohort and its units to everything that is said about it. */

import { nameMatcher } from "../core/glob.js";
import { chanceOfReady, lowerBound, unitsNeeded, unitsWithoutMiss, upperBound } from "./bounds.js";
import type { Cohort } from "./cohorts.js";
import { EvidenceTally } from "./evidence.js";
import type { EvidenceLog } from "./evidence-log.js";
import { alphaOf } from "./report-options.js";
import type { ResolvedSummarizeOptions } from "./report-options.js";
import { SavingTally } from "./saving.js";
import type { CohortSummary, JudgedCohort, PowerAdvice } from "./summary.js";
import { foldCopies } from "./turns.js";
import { WhatIfUnits } from "./what-if-units.js";

const isoTime = (time: number): string => new Date(time).toISOString();

/** The line of a cohort in the list of all cohorts; `judged` if a verdict is given on it. */
export function cohortSummary(
  log: EvidenceLog,
  cohort: Cohort,
  judged: JudgedCohort | undefined,
): CohortSummary {
  const { turns, units, missedUnits } = judged ?? evidenceOf(log, cohort);
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

function evidenceOf(log: EvidenceLog, cohort: Cohort): EvidenceTally {
  const evidence = new EvidenceTally();
  for (const { kind, copies } of log.shadowUnits(cohort)) evidence.add(foldCopies(copies), kind);
  return evidence;
}

/** The tools that the user calls critical, by name where the log knows them; a pattern without a match is kept as it is. */
function criticalTools(cohort: Cohort, critical: readonly string[]): readonly string[] {
  return critical.flatMap((glob) => {
    const isNamed = nameMatcher([glob]);
    const names = [...cohort.toolNames].filter(isNamed).sort();
    return names.length > 0 ? names : [glob];
  });
}

/** The chance to be found ready at 0.3 of the limit, for logs of three sizes. */
function powerOf(limit: number, alpha: number): readonly PowerAdvice[] {
  const least = unitsWithoutMiss(limit, alpha);
  const trueMissRate = 0.3 * limit;
  return [...new Set([least, 2 * least, Math.max(least, Math.round(10 / limit))])]
    .sort((a, b) => a - b)
    .map((units) => ({
      trueMissRate,
      units,
      chance: chanceOfReady(units, trueMissRate, { limit, alpha }),
    }));
}

/** Everything about the cohort that a verdict is given on. */
export function judgedCohort(
  log: EvidenceLog,
  cohort: Cohort,
  options: ResolvedSummarizeOptions,
): JudgedCohort {
  const alpha = alphaOf(options);
  const limit = options.maxMissRate;
  const evidence = new EvidenceTally();
  const saving = new SavingTally(options.prices, cohort.mainModel);
  const whatIfUnits = new WhatIfUnits(cohort.whatIf.grid);
  for (const { kind, copies } of log.shadowUnits(cohort)) {
    saving.add(evidence.add(foldCopies(copies), kind));
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
    upperBound: upperBound(missedUnits, units, alpha),
    lowerBound: lowerBound(missedUnits, units, alpha),
    unit: evidence.unit,
    unitKinds: evidence.unitKinds,
    unitsNeeded: {
      withoutMiss: unitsWithoutMiss(limit, alpha),
      withMisses: unitsNeeded(missedUnits, limit, alpha),
    },
    exposures: evidence.exposures,
    turns: evidence.turns,
    askedTurns: evidence.askedTurns,
    duplicates: evidence.duplicates,
    judgedShare: evidence.judgedShare,
    fallbackShare: evidence.fallbackShare,
    abstainedTurns: evidence.abstainedTurns,
    fallbackReasons: evidence.fallbackReasons,
    netSaving: saving.finish(alpha),
    tools: evidence.tools(alpha, (tool) => cohort.keptInstead(tool)),
    unseen: evidence.unseen(cohort.toolNames),
    suggestedAlwaysInclude: [
      ...new Set([...missedTools, ...criticalTools(cohort, options.critical)]),
    ],
    whatIf: cohort.whatIf.finish(whatIfUnits, cohort.policy, alpha),
    callRate: cohort.callRate.finish(),
    latency: evidence.latency,
    power: powerOf(limit, alpha),
  };
}
