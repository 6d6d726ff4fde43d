/** What is measured of a judge: recall beside what is hidden, none-detection, calibration, ranking, and attacks. */

import type { Judge } from "../../src/core/types.js";
import type { LabelledCase } from "../../src/evaluation/cases.js";
import type { Catalog } from "../../src/evaluation/catalog.js";
import { estimateShare } from "../../src/evaluation/estimate.js";
import type { Estimate } from "../../src/evaluation/estimate.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import type { SetMetrics } from "../../src/evaluation/evaluate.js";
import { judgeCases } from "../../src/evaluation/judge-cases.js";
import {
  measureCalibration,
  measurePolicy,
  standardPolicies,
} from "../../src/evaluation/metrics.js";
import type { CalibrationMetrics, PolicyMetrics } from "../../src/evaluation/metrics.js";
import { attackNames, judgeUnderAttack } from "./adversarial.js";
import type { AttackName } from "./adversarial.js";
import { createBm25, toolText } from "./bm25.js";
import type { Ranker, RankingTask } from "./rankers.js";

/** A part of the data that gets a line of its own. */
export interface Part {
  readonly name: string;
  /** The source that is left out when this part is measured. */
  readonly source: string;
  readonly catalog: Catalog;
  readonly cases: readonly LabelledCase[];
}

export interface SelectionRow {
  readonly part: string;
  readonly thresholds: { readonly confidence: number; readonly rejection: number };
  readonly metrics: SetMetrics;
  /** On each case's own candidates: without the many easy distractors. */
  readonly ownCalibration: CalibrationMetrics | null;
}

/** Measures a judge on one part in catalogs of 64. */
export async function measureSelection(part: Part, judge: Judge): Promise<SelectionRow> {
  const { catalog, cases } = part;
  const { sets, failures, firstFailure } = await evaluate({ judge, catalog, cases });
  const metrics = sets.at(-1);
  if (failures > 0 || metrics === undefined) {
    throw new Error(`${failures} judge calls failed on ${part.name}: ${firstFailure ?? ""}`);
  }
  const own = await judgeCases({
    judge,
    catalog,
    cases: cases.filter(({ candidates }) => candidates !== null),
    size: null,
    seed: 1,
    concurrency: 1,
    signal: new AbortController().signal,
  });
  return {
    part: part.name,
    thresholds: judge.thresholds ?? { confidence: 0.8, rejection: 0.2 },
    metrics,
    ownCalibration: measureCalibration(own.judged),
  };
}

/** BM25 as a judge: scores as a share of the best one, so that a threshold means the same for every request. */
export const bm25Judge: Judge = {
  id: "bm25",
  judge: ({ context, candidates }) => {
    const scores = createBm25(candidates.map(toolText))(context.request);
    const best = Math.max(...scores);
    return Promise.resolve({
      probabilities: Array.from(scores, (score) => (best === 0 ? 0 : score / best)),
    });
  },
};

/** What can be hidden with the one threshold that, in hindsight, keeps this share of the needed tools of a part. */
export async function hiddenInHindsight(
  { catalog, cases }: Part,
  judge: Judge,
  recall: number,
): Promise<Estimate | null> {
  const { judged } = await judgeCases({
    judge,
    catalog,
    cases,
    size: 64,
    seed: 1,
    concurrency: 1,
    signal: new AbortController().signal,
  });
  const scoreOf = (answer: unknown): number => (typeof answer === "number" ? answer : 1);
  const neededScores = judged
    .flatMap(({ answers, needed }) => answers.filter((_, index) => needed?.[index]).map(scoreOf))
    .sort((a, b) => a - b);
  const threshold = neededScores[Math.floor((1 - recall) * neededScores.length)] ?? 0;
  return estimateShare(
    judged
      .filter(({ needed }) => needed?.includes(true))
      .map(({ unit, answers }) => ({
        unit,
        part: answers.filter((answer) => scoreOf(answer) < threshold).length,
        whole: answers.length,
      })),
    1,
  );
}

export interface RankingRow {
  readonly ranker: string;
  readonly task: string;
  /** Mean over the cases of the share of their needed tools among the first 10 and 20. */
  readonly recallAt10: Estimate | null;
  readonly recallAt20: Estimate | null;
  readonly medianMs: number;
}

/** The cases that rank the whole catalog of a part: those of which the needed tools are known, by their first user message. */
function rankingCases(cases: readonly LabelledCase[]): readonly LabelledCase[] {
  const labelled = cases.filter(({ needed }) => needed !== null && needed.length > 0);
  const whole = labelled.filter(({ candidates }) => candidates === null);
  return whole.length > 0 ? whole : labelled;
}

export async function measureRanking(
  ranker: Ranker,
  parts: readonly Part[],
): Promise<readonly RankingRow[]> {
  const tasks = parts.map(
    ({ name, catalog, cases }): RankingTask & { readonly cases: readonly LabelledCase[] } => {
      const ranked = rankingCases(cases);
      const queries = ranked.map(
        ({ messages }) => messages.find(({ role }) => role === "user")?.text ?? "",
      );
      return { name, catalog, queries, cases: ranked };
    },
  );
  const results = await ranker.rank(tasks, 20);
  return tasks.map(({ name, cases }, taskIndex) => {
    const result = results[taskIndex];
    const recallAt = (limit: number): Estimate | null =>
      estimateShare(
        cases.map(({ unit, needed }, index) => {
          const first = new Set(result?.rankings[index]?.slice(0, limit));
          const wanted = [...new Set(needed)];
          return {
            unit,
            part: wanted.filter((id) => first.has(id)).length / wanted.length,
            whole: 1,
          };
        }),
        1,
      );
    return {
      ranker: ranker.name,
      task: name,
      recallAt10: recallAt(10),
      recallAt20: recallAt(20),
      medianMs: result?.medianMs ?? Number.NaN,
    };
  });
}

export interface AttackRow {
  readonly part: string;
  /** `null`: no attack. */
  readonly attack: AttackName | null;
  readonly count: number;
  readonly keep: PolicyMetrics;
  readonly keep8: PolicyMetrics;
}

/** Recall without hostile tools in the catalog, and with so many of them. */
export async function measureAttacks(
  part: Part,
  judge: Judge,
  counts: readonly number[],
): Promise<readonly AttackRow[]> {
  const thresholds = judge.thresholds ?? { confidence: 0.8, rejection: 0.2 };
  const policies = standardPolicies({
    confidenceThreshold: thresholds.confidence,
    rejectionThreshold: thresholds.rejection,
  });
  const { catalog, cases, name } = part;
  const measure = async (attack: AttackName | null, count: number): Promise<AttackRow> => {
    const judged = await judgeUnderAttack({ judge, cases, catalog, attack, count });
    const keep = measurePolicy(judged, policies.keep);
    return { part: name, attack, count, keep, keep8: measurePolicy(judged, policies.keep8) };
  };
  const rows = [await measure(null, 0)];
  for (const attack of attackNames) {
    for (const count of counts) rows.push(await measure(attack, count));
  }
  return rows;
}
