/**
 * The report as one self-contained page: no request to anywhere, every name escaped, the verdict
 * first.
 */

import type { ReportSummary } from "../summary.js";
import {
  renderCallRate,
  renderFallbacks,
  renderLatency,
  renderMisses,
  renderTools,
} from "./evidence-sections.js";
import { formatTime } from "./figures.js";
import { renderAgents, renderCohorts, renderComparison, renderLog } from "./log-sections.js";
import { Markup, html } from "./markup.js";
import { renderSaving } from "./saving-section.js";
import { style } from "./style.js";
import { renderVerdict } from "./verdict-section.js";
import { renderWhatIf } from "./what-if-section.js";

const links = [
  ["misses", "Misses"],
  ["tools", "Tools"],
  ["saving", "Saving"],
  ["what-if", "What if"],
  ["call-rate", "Call rate"],
  ["fallbacks", "Fallbacks"],
  ["latency", "Latency"],
] as const;

/** Nothing runs and nothing is ever requested. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

function renderNavigation(summary: ReportSummary): Markup {
  return html`<nav aria-label="Sections">
    <ul>
      ${summary.judged === null ? null : links.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
      <li><a href="#agents">Agents</a></li>
      <li><a href="#cohorts">Cohorts</a></li>
      <li><a href="#log">Log</a></li>
    </ul>
  </nav>`;
}

function renderComparisons({ agents }: ReportSummary): readonly Markup[] {
  return Object.entries(agents).flatMap(([agent, { comparison }], index) =>
    comparison === null ? [] : [renderComparison(comparison, { agent, index })],
  );
}

function renderJudged(summary: ReportSummary): readonly Markup[] {
  const { judged } = summary;
  if (judged === null) return [];
  return [
    renderMisses(judged, summary),
    renderTools(judged),
    renderSaving(judged),
    renderWhatIf(judged),
    renderCallRate(judged),
    renderFallbacks(judged),
    renderLatency(judged),
  ];
}

/**
 * Renders a summary as one HTML page.
 *
 * Every figure carries its exact value and its path in `--json` (`<data value data-path>`). The
 * page opens from disk, makes no request, and shows names from outside as text only.
 *
 * @example await writeFile("report.html", renderReport(await
 * summarize(readRecords("shadow.jsonl"))));
 */
export function renderReport(summary: ReportSummary): string {
  const { period } = summary;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>toolsieve: ${summary.verdict.replace("-", " ")}</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <a class="skip" href="#verdict">To the verdict</a>
        <header>
          <h1>
            toolsieve
            report${period === null ? null : ` · ${formatTime(period.from)} to ${formatTime(period.to)}`}
          </h1>
        </header>
        <main>
          ${renderVerdict(summary)} ${renderNavigation(summary)} ${renderJudged(summary)}
          ${renderComparisons(summary)} ${renderAgents(summary)} ${renderCohorts(summary)}
          ${renderLog(summary)}
        </main>
        <footer>
          Hiding a tool is not authorisation: a hidden tool that the model names is executed like
          any other.
        </footer>
      </body>
    </html>`;
  return `${page.text}\n`;
}
