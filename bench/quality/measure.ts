/** Measures a judge on labelled turns through the selector at its default options, and how it ranks the tools that are needed. */

import type { Judge } from "../../src/core/types.js";
import { estimateShare, type Estimate } from "../../src/evaluation/estimate.js";
import { createToolSelector } from "../../src/selector/tool-selector.js";
import type { LabelledTurn } from "../../training/turns.js";

/** One turn as a judge decided it. */
export interface MeasuredTurn {
  readonly turn: LabelledTurn;
  /** Tools that the model sees, pinned ones included. */
  readonly shown: number;
  readonly isFallback: boolean;
  readonly needs: number;
  /** Needs of which a tool is shown. */
  readonly met: number;
  /** For each open need how many candidates score higher than the best tool that serves it; none if the judge gave no numbers. */
  readonly ranks: readonly number[];
  readonly ms: number;
}

/** Ranks from 0 on. */
function rankNeeds(
  { needs }: LabelledTurn,
  answers: readonly (number | null | undefined)[],
): readonly number[] {
  const scores = answers.map((answer) => answer ?? Number.NEGATIVE_INFINITY);
  if (!answers.some((answer) => typeof answer === "number")) return [];
  return needs.map((need) => {
    const best = Math.max(...need.map((tool) => scores[tool] ?? Number.NEGATIVE_INFINITY));
    return scores.filter((score) => score > best).length;
  });
}

/** Decides turns with `createToolSelector({ mode: "enforce", judge })` and nothing else. */
export async function measureJudge(
  judge: Judge,
  turns: readonly LabelledTurn[],
): Promise<readonly MeasuredTurn[]> {
  let answers: (number | null | undefined)[] = [];
  const watched: Judge = {
    ...judge,
    async judge(request, options) {
      const response = await judge.judge(request, options);
      answers.push(...response.probabilities);
      return response;
    },
  };
  const selector = createToolSelector({ mode: "enforce", judge: watched, timeoutMs: 60_000 });
  const measured: MeasuredTurn[] = [];
  for (const turn of turns) {
    answers = [];
    const start = performance.now();
    const selection = await selector.select({ messages: turn.messages, tools: turn.catalog });
    const ms = performance.now() - start;
    const visible = new Set(selection.tools.map(({ name }) => name));
    measured.push({
      turn,
      shown: visible.size,
      isFallback: selection.fallback,
      needs: turn.wanted.length,
      met: turn.wanted.filter((names) => names.some((name) => visible.has(name))).length,
      ranks: answers.length === turn.tools.length ? rankNeeds(turn, answers) : [],
      ms,
    });
  }
  return measured;
}

/** The figures of some turns; shares with intervals by unit. */
export interface Figures {
  readonly turns: number;
  /** Share of the needs of which a tool is shown. */
  readonly recall: Estimate | null;
  /** Share of the tools that are hidden on turns that need some; a fallback hides none. */
  readonly hidden: Estimate | null;
  readonly fallbacks: Estimate | null;
  /** Share of the needs among the best 1, 5, 10, 20. */
  readonly at: readonly (Estimate | null)[];
  /** Mean number of tools shown on turns that need none. */
  readonly noneShown: number | null;
}

const rankSteps = [1, 5, 10, 20] as const;

/** Sums measured turns up. */
export function summarizeTurns(measured: readonly MeasuredTurn[]): Figures {
  const wanting = measured.filter(({ needs }) => needs > 0);
  const idle = measured.filter(({ needs }) => needs === 0);
  const share = (
    turns: readonly MeasuredTurn[],
    part: (one: MeasuredTurn) => number,
    whole: (one: MeasuredTurn) => number,
  ): Estimate | null =>
    estimateShare(
      turns.map((one) => ({ unit: one.turn.unit, part: part(one), whole: whole(one) })),
      1,
    );
  return {
    turns: measured.length,
    recall: share(
      wanting,
      ({ met }) => met,
      ({ needs }) => needs,
    ),
    hidden: share(
      wanting,
      ({ turn, shown }) => turn.catalog.length - shown,
      ({ turn }) => turn.catalog.length,
    ),
    fallbacks: share(
      wanting,
      ({ isFallback }) => (isFallback ? 1 : 0),
      () => 1,
    ),
    at: rankSteps.map((step) =>
      share(
        wanting,
        ({ ranks }) => ranks.filter((rank) => rank < step).length,
        ({ ranks }) => ranks.length,
      ),
    ),
    noneShown:
      idle.length === 0 ? null : idle.reduce((sum, { shown }) => sum + shown, 0) / idle.length,
  };
}
