/**
 * The what-if: neighbours of the recorded policy, recomputed from the recorded probabilities.
 * Exploration only.
 */

import type { CohortPolicy, JudgedCohort, WhatIfRow } from "../summary.js";
import { formatNumber, formatPercent } from "../../core/format.js";
import { figure, right, section, table } from "./figures.js";
import { html } from "./markup.js";
import type { Content, Markup } from "./markup.js";

const columns = [
  "policy",
  right("rejection"),
  right("confidence"),
  right("maxTools"),
  "onUncertain",
  right("units that miss"),
  right("at most"),
  right("fallbacks"),
  right("tools offered"),
  right("tokens not sent"),
] as const;

const titles: Readonly<Record<keyof CohortPolicy, string>> = {
  rejectionThreshold: "other rejection",
  confidenceThreshold: "other confidence",
  maxTools: "other cap",
  onUncertain: "other answer to doubt",
};

function renderRow(row: WhatIfRow, index: number): readonly Content[] {
  const path = `judged.whatIf.rows.${index}`;
  return [
    row.changed === null ? html`<strong>recorded</strong>` : titles[row.changed],
    figure(row.rejectionThreshold, `${path}.rejectionThreshold`),
    figure(row.confidenceThreshold, `${path}.confidenceThreshold`),
    figure(row.maxTools, `${path}.maxTools`),
    row.onUncertain,
    [figure(row.missedUnits, `${path}.missedUnits`), " of ", figure(row.units, `${path}.units`)],
    figure(row.upperBound, `${path}.upperBound`, formatPercent),
    figure(row.fallbackShare, `${path}.fallbackShare`, formatPercent),
    figure(row.meanTools, `${path}.meanTools`),
    figure(row.removedShare, `${path}.removedShare`, formatPercent),
  ];
}

/** The table of all variants. */
export function renderWhatIf({ whatIf }: JudgedCohort): Markup {
  return section(
    "what-if",
    "What if the policy were another?",
    html`Recomputed from the recorded probabilities of ${formatNumber(whatIf.turns)} turns
      (${formatNumber(whatIf.leftOut)} lack some and are left out); pins as recorded. One option is
      changed at a time. Exploration: a policy that is chosen on this log must prove itself on
      another one (<code>toolsieve tune</code>). It never moves the verdict.`,
    whatIf.turns === 0
      ? html`<p>No turn has all its probabilities.</p>`
      : table("The recorded policy, and its neighbours", columns, whatIf.rows.map(renderRow)),
  );
}
