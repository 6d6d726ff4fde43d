/** RESULTS.md: one table for each set, one line for each judge, then kinds and languages of the embedded judge. */

import type { Estimate } from "../../src/evaluation/estimate.js";
import type { Figures } from "./measure.js";

/** The figures of one judge on one set. */
export interface ResultRow {
  readonly set: string;
  readonly judge: string;
  /** Whether this judge has learned from this set. */
  readonly seen: string;
  readonly figures: Figures;
}

/** The figures of the embedded judge on a part of a set. */
export interface PartRow {
  readonly set: string;
  readonly part: string;
  readonly figures: Figures;
}

/** All that a run measured. */
export interface Results {
  readonly command: string;
  readonly node: string;
  readonly judge: string;
  readonly rows: readonly ResultRow[];
  readonly kinds: readonly PartRow[];
  readonly languages: readonly PartRow[];
}

function percent(estimate: Estimate | null, isWithInterval: boolean): string {
  if (estimate === null) return "–";
  const text = (value: number): string => (100 * value).toFixed(1);
  const { value, low, high } = estimate;
  return isWithInterval ? `${text(value)} (${text(low)}–${text(high)})` : text(value);
}

function renderFigures({ recall, hidden, fallbacks, at, noneShown }: Figures): string {
  const ranks = at.map((one) => (one === null ? "–" : (100 * one.value).toFixed(0))).join("/");
  return [
    percent(recall, true),
    percent(hidden, true),
    percent(fallbacks, false),
    ranks,
    noneShown === null ? "–" : noneShown.toFixed(1),
  ].join(" | ");
}

const heads = "recall of needs | hidden | fallbacks | rank @1/5/10/20 | shown if none is needed |";

function renderSet(set: string, rows: readonly ResultRow[]): readonly string[] {
  return [
    `## ${set}`,
    "",
    `| judge | seen | turns | ${heads}`,
    "|---|---|---:|---|---|---:|---|---:|",
    ...rows.map(
      ({ judge, seen, figures }) =>
        `| ${judge} | ${seen} | ${figures.turns} | ${renderFigures(figures)} |`,
    ),
    "",
  ];
}

function renderParts(title: string, rows: readonly PartRow[]): readonly string[] {
  return [
    `## ${title}`,
    "",
    `| set | part | turns | ${heads}`,
    "|---|---|---:|---|---|---:|---|---:|",
    ...rows.map(
      ({ set, part, figures }) =>
        `| ${set} | ${part} | ${figures.turns} | ${renderFigures(figures)} |`,
    ),
    "",
  ];
}

/** Renders all of RESULTS.md. */
export function renderResults({ command, node, judge, rows, kinds, languages }: Results): string {
  const sets = [...new Set(rows.map(({ set }) => set))];
  return [
    "# Quality of the embedded judge",
    "",
    `\`${command}\`, Node ${node}, \`${judge}\`. Written by the command; do not edit.`,
    "",
    'Every turn goes through `createToolSelector({ mode: "enforce", judge })` with nothing else set (but for a budget that a busy machine cannot exceed).',
    "Recall: needs of which a tool is shown. Hidden: tools of turns that need some; a fallback (the judge abstains) hides none.",
    "In brackets: 95 % bootstrap interval, drawn by group of servers (corpus; there are three), by request (demo) or by conversation. Ranks: needs among the best tools, abstentions and pinned tools left out.",
    "Seen: encoder and head have learned from this set, so the figure says little about other sets. A dash: the judge is a baseline. The untouched encoder has a pruned vocabulary and rounded weights.",
    "",
    ...sets.flatMap((set) =>
      renderSet(
        set,
        rows.filter((row) => row.set === set),
      ),
    ),
    ...renderParts("By kind of request (English)", kinds),
    ...renderParts("By language", languages),
  ].join("\n");
}
