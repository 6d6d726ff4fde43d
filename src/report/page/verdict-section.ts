/**
 * The top of the page: the verdict, why, what would change it, and the figures that it stands on.
 */

import type { JudgedCohort, ReportSummary, ReportVerdict } from "../summary.js";
import { figure, sentences } from "./figures.js";
import { formatNumber, formatPercent } from "../../core/format.js";
import { unitNoun, unitNouns } from "../wording.js";
import { html } from "./markup.js";
import type { Content, Markup } from "./markup.js";

const headings: Readonly<Record<ReportVerdict, string>> = {
  ready: "Ready for a first share",
  "not-ready": "Not ready",
  "no-evidence": "No evidence",
};

const nextSteps: Readonly<Record<ReportVerdict, string>> = {
  ready:
    'Enforce for a first share: mode: "enforce", enforceShare: 0.05. It is no promise that nothing can go wrong, and hiding a tool is not authorisation.',
  "not-ready": "Stay in shadow.",
  "no-evidence": "Stay in shadow, and collect more.",
};

/** The verdict as a word in its colour. */
export const renderLabel = (verdict: ReportVerdict): Markup =>
  html`<span class="label ${verdict}">${verdict.replace("-", " ")}</span>`;

function renderKeyFigure(title: string, value: Content, note: Content = null): Markup {
  return html`<div>
    <dt>${title}</dt>
    <dd>${value}${note === null ? null : html`<small>${note}</small>`}</dd>
  </div>`;
}

function renderKeyFigures(judged: JudgedCohort, summary: ReportSummary): Markup {
  const { netSaving } = judged;
  return html`<dl class="figures">
    ${renderKeyFigure(`${unitNouns(judged.unit)} with evidence`, figure(judged.units, "judged.units"), html`needed: ${formatNumber(judged.unitsNeeded.withMisses)}`)}
    ${renderKeyFigure("would have missed a tool", figure(judged.missedUnits, "judged.missedUnits"))}
    ${renderKeyFigure("miss rate, at most", figure(judged.upperBound, "judged.upperBound", formatPercent), html`limit ${formatPercent(summary.options.maxMissRate)}; at least ${figure(judged.lowerBound, "judged.lowerBound", formatPercent)}`)}
    ${renderKeyFigure("turns judged", figure(judged.judgedShare, "judged.judgedShare", formatPercent), html`of ${formatNumber(judged.askedTurns)} that asked the judge`)}
    ${renderKeyFigure("full catalog restored", figure(judged.fallbackShare, "judged.fallbackShare", formatPercent), html`of them, small talk left out`)}
    ${renderKeyFigure(`net saving per ${unitNoun(judged.unit)}`, figure(netSaving.mean, "judged.netSaving.mean"), html`input-token equivalents; at least ${figure(netSaving.lowerBound, "judged.netSaving.lowerBound")}`)}
  </dl>`;
}

/** Verdict first, with its reasons and what would change it. */
export function renderVerdict(summary: ReportSummary): Markup {
  const { verdict, reasons, changes, gate, judged } = summary;
  return html`<section id="verdict" aria-labelledby="verdict-heading">
    <div class="verdict ${verdict}">
      <strong id="verdict-heading" role="heading" aria-level="2">${headings[verdict]}</strong>
      <p>
        ${gate === "enforced" ? "The second gate: enforced against control. " : null}${nextSteps[verdict]}
      </p>
      ${sentences(reasons)} ${changes.length === 0 ? null : html`<h3>What would change it</h3>`}
      ${sentences(changes)}
    </div>
    ${judged === null ? null : renderKeyFigures(judged, summary)}
  </section>`;
}
