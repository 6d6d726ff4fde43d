/** The results as a page of tables. */

import type { Estimate } from "../../src/evaluation/estimate.js";
import type { PolicyMetrics } from "../../src/evaluation/metrics.js";
import type { AttackRow, RankingRow, SelectionRow } from "./measure.js";

export interface HindsightRow {
  readonly part: string;
  readonly judge: string;
  readonly hidden: Estimate | null;
}

export interface Results {
  readonly command: string;
  readonly node: string;
  readonly judge: string;
  readonly leftOut: readonly SelectionRow[];
  readonly shipped: readonly SelectionRow[];
  readonly hindsight: readonly HindsightRow[];
  readonly ranking: readonly RankingRow[];
  readonly attacks: readonly AttackRow[];
}

const percent = (value: number): string => (100 * value).toFixed(1);

function interval(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  return `${percent(estimate.value)} (${percent(estimate.low)}–${percent(estimate.high)})`;
}

const plain = (estimate: Estimate | null): string =>
  estimate === null ? "–" : percent(estimate.value);

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(titles),
    line(titles.map((_, index) => (index === 0 ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

const pair = ({ recallPerTool, hidden }: PolicyMetrics): string =>
  `${plain(recallPerTool)} / ${plain(hidden)}`;

function selectionTable(rows: readonly SelectionRow[]): string {
  return table(
    [
      "",
      "cases",
      "needed tools kept",
      "cases with all kept",
      "hidden",
      "default options: kept / hidden",
      "keep, max 8: kept / hidden",
    ],
    rows.map(({ part, metrics }) => {
      const { keep, default: defaults, keep8 } = metrics.policies;
      return [
        part,
        String(keep.recallPerCase?.cases ?? 0),
        interval(keep.recallPerTool),
        interval(keep.recallPerCase),
        interval(keep.hidden),
        pair(defaults),
        pair(keep8),
      ];
    }),
  );
}

function area(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  return `${estimate.value.toFixed(3)} (${estimate.low.toFixed(3)}–${estimate.high.toFixed(3)})`;
}

function probabilityTable(
  leftOut: readonly SelectionRow[],
  shipped: readonly SelectionRow[],
): string {
  const error = (row: SelectionRow | undefined, own: boolean): string =>
    (own ? row?.ownCalibration : row?.metrics.calibration)?.error.toFixed(3) ?? "–";
  return table(
    [
      "",
      "none told from some (AUROC), unseen",
      "where it can tell",
      "known",
      "where it can tell",
      "calibration error in catalogs of 64, unseen",
      "known",
      "on the case's own candidates, unseen",
      "known",
      "abstained, unseen",
    ],
    leftOut.flatMap((row) => {
      const known = shipped.find(({ part }) => part === row.part);
      if (row.metrics.calibration === null) return [];
      return [
        [
          row.part,
          area(row.metrics.noneDetection),
          area(row.metrics.noneDetectionAnswered),
          area(known?.metrics.noneDetection ?? null),
          area(known?.metrics.noneDetectionAnswered ?? null),
          error(row, false),
          error(known, false),
          error(row, true),
          error(known, true),
          `${row.metrics.abstained} of ${row.metrics.cases}`,
        ],
      ];
    }),
  );
}

function rankingTable(rows: readonly RankingRow[]): string {
  const tasks = [...new Set(rows.map(({ task }) => task))];
  const rankers = [...new Set(rows.map(({ ranker }) => ranker))];
  return table(
    ["recall@10 / @20, ms", ...tasks],
    rankers.map((ranker) => [
      ranker,
      ...tasks.map((task) => {
        const row = rows.find((one) => one.ranker === ranker && one.task === task);
        if (row === undefined) return "–";
        return `${plain(row.recallAt10)} / ${plain(row.recallAt20)}, ${row.medianMs.toFixed(1)}`;
      }),
    ]),
  );
}

function hindsightTable(rows: readonly HindsightRow[]): string {
  const parts = [...new Set(rows.map(({ part }) => part))];
  const judges = [...new Set(rows.map(({ judge }) => judge))];
  return table(
    ["", ...judges],
    parts.map((part) => [
      part,
      ...judges.map((judge) =>
        interval(rows.find((row) => row.part === part && row.judge === judge)?.hidden ?? null),
      ),
    ]),
  );
}

function attackTable(rows: readonly AttackRow[]): string {
  return table(
    ["", "attack", "hostile tools", "needed tools kept", "hidden", "keep, max 8: kept"],
    rows.map(({ part, attack, count, keep, keep8 }) => [
      part,
      attack ?? "none",
      String(count),
      interval(keep.recallPerTool),
      plain(keep.hidden),
      interval(keep8.recallPerTool),
    ]),
  );
}

function thresholdLine(rows: readonly SelectionRow[]): string {
  return rows
    .map(({ part, thresholds }) => `${part} ${thresholds.rejection} and ${thresholds.confidence}`)
    .join(", ");
}

/** Markdown. */
export function renderResults(results: Results): string {
  const { command, node, judge, leftOut, shipped, hindsight, ranking, attacks } = results;
  return `# Quality of the embedded judge

\`${command}\` on Node ${node}, judge \`${judge}\`. Selection and ranking may come from two runs (\`--only\`) of the same weights. The numbers behind the tables are in [results.json](results.json).
All shares are percentages; brackets hold 95 % bootstrap intervals, drawn by case or conversation.
Unless said otherwise: catalogs of 64 tools (the needed ones, the set's own candidates, distractors of the same source), the judge's own thresholds, \`onUncertain: "keep"\`, no cap.
API-Bank and BFCL multi-turn are judged turn by turn on their own tools; there a tool counts as needed if it was called.

## Unseen sources

The judge of each line has never seen a request or a tool of the line's source; its thresholds come from the other sources too.

${selectionTable(leftOut)}

Rejection and confidence thresholds: ${thresholdLine(leftOut)}.

## The weights in the package

They have seen these sources, so this is what to expect of tools that resemble them; judge by the table above.

${selectionTable(shipped)}

## What the probabilities are worth

AUROC: how often the largest probability of a request that needs a tool is above that of one that needs none, on each case's own candidates; a request on which the judge abstains counts as one that keeps everything, or is left out (where it can tell). Calibration error: 15 bins of equal width, over all pairs of a request and a tool.

${probabilityTable(leftOut, shipped)}

## What one threshold can hide

Share hidden at the one threshold that, chosen in hindsight on the very set, keeps 99 % of the needed tools.

${hindsightTable(hindsight)}

## Ranking whole catalogs

The first user message as the query; for each case the share of its needed tools among the first 10 and 20; then the median time of a query on this machine.

${rankingTable(ranking)}

## Attacks

Hostile tools take the place of distractors.

${attackTable(attacks)}
`;
}
