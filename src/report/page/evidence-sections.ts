/** Sections on the judged cohort: misses, tools, calls by probability, fallbacks, latency. */

import type { Distribution, JudgedCohort, ReportSummary, ToolSummary } from "../summary.js";
import { bar, formatDuration, figure, right, section, table } from "./figures.js";
import { formatNumber, formatPercent } from "../../core/format.js";
import { unitNouns } from "../wording.js";
import { html, name } from "./markup.js";
import type { Content, Markup } from "./markup.js";

const toolsShownAtOnce = 50;

/** Names with how often they occurred. */
const renderCounts = (
  list: readonly { readonly name: string; readonly count: number }[],
): Content =>
  list.map((entry, index) => [index === 0 ? null : ", ", name(entry.name), ` ${entry.count}×`]);

export function renderMisses(judged: JudgedCohort, summary: ReportSummary): Markup {
  const units = unitNouns(judged.unit);
  return section(
    "misses",
    "Would it have hidden a tool that was called?",
    html`In shadow the model saw every tool. A would-be miss is a call of a tool that this policy
    would have hidden. It bounds one harm: it shows neither substitutions nor changed plans nor task
    success.`,
    html`<p>
      ${figure(judged.missedUnits, "judged.missedUnits")} of ${figure(judged.units, "judged.units")}
      ${units} with a call that could have been hidden
      (${figure(judged.exposures, "judged.exposures")} such calls, up to the first miss of each).
      The true share of ${units} with a miss is at most
      ${figure(judged.upperBound, "judged.upperBound", formatPercent)} and at least
      ${figure(judged.lowerBound, "judged.lowerBound", formatPercent)}: one-sided exact
      (Clopper–Pearson) bounds, each at an error of
      ${figure(summary.options.alpha, "options.alpha", formatPercent)}.
    </p>`,
    html`<p>
      The bounds assume that ${units} are independent of each other. Without a miss, a verdict at
      ${formatPercent(summary.options.maxMissRate)} needs
      ${figure(judged.unitsNeeded.withoutMiss, "judged.unitsNeeded.withoutMiss")} ${units}; with the
      misses seen so far, ${figure(judged.unitsNeeded.withMisses, "judged.unitsNeeded.withMisses")}.
    </p>`,
    judged.power.length === 0
      ? null
      : table(
          "How likely this log size is to be found ready",
          ["if the true miss rate is", right(units), right("chance of “ready”")],
          judged.power.map((row, index) => [
            figure(row.trueMissRate, `judged.power.${index}.trueMissRate`, formatPercent),
            figure(row.units, `judged.power.${index}.units`),
            figure(row.chance, `judged.power.${index}.chance`, formatPercent),
          ]),
        ),
  );
}

function layOutTool(tool: ToolSummary, index: number): readonly Content[] {
  const path = `judged.tools.${index}`;
  return [
    name(tool.name),
    figure(tool.units, `${path}.units`),
    figure(tool.missedUnits, `${path}.missedUnits`),
    [
      figure(tool.upperBound, `${path}.upperBound`, formatPercent),
      tool.unproven ? html` <span class="unknown">unproven</span>` : null,
    ],
    figure(tool.calls, `${path}.calls`),
    figure(tool.allMisses, `${path}.allMisses`),
    renderCounts(tool.missReasons),
    renderCounts(tool.keptInstead),
    tool.missedThreads.map((thread, at) => [at === 0 ? null : ", ", name(thread)]),
  ];
}

export function renderTools(judged: JudgedCohort): Markup {
  const units = unitNouns(judged.unit);
  const rows = judged.tools.map(layOutTool);
  const columns = [
    "tool",
    right(units),
    right("missed"),
    right("miss rate, at most"),
    right("calls"),
    right("misses in all"),
    "why hidden",
    "kept instead",
    "where",
  ];
  const { unseen } = judged;
  return section(
    "tools",
    "Tools",
    html`Called tools that could have been hidden. With fewer than 30 ${units} nothing is proven
    about one tool: 0 of 30 cannot exclude 9.5 %.`,
    judged.suggestedAlwaysInclude.length === 0
      ? null
      : html`<p>
          Suggested <code>alwaysInclude</code>:
          ${judged.suggestedAlwaysInclude.map((tool, index) => [index === 0 ? null : ", ", name(tool)])}
        </p>`,
    judged.missReasons.length === 0
      ? null
      : html`<p>Why tools were missed: ${renderCounts(judged.missReasons)}.</p>`,
    rows.length === 0
      ? html`<p>No call of a tool that could have been hidden.</p>`
      : table("Tools, most missed first", columns, rows.slice(0, toolsShownAtOnce)),
    rows.length <= toolsShownAtOnce
      ? null
      : html`<details>
          <summary>${formatNumber(rows.length - toolsShownAtOnce)} more tools</summary>
          ${table("The other tools", columns, rows.slice(toolsShownAtOnce))}
        </details>`,
    html`<p>
      ${figure(unseen.neverCalled, "judged.unseen.neverCalled")} tools of the catalog were never
      called where they could have been hidden. The chance that the next such call is of a tool not
      called so far is about
      ${figure(unseen.nextCallIsNew, "judged.unseen.nextCallIsNew", formatPercent)}; that the next
      of the ${units} brings one, about
      ${figure(unseen.nextUnitBringsNew, "judged.unseen.nextUnitBringsNew", formatPercent)}
      (Good–Turing).
    </p>`,
  );
}

export function renderCallRate(judged: JudgedCohort): Markup {
  return section(
    "call-rate",
    "Call rate by probability",
    "How often a tool of each probability was called within the same user request. A tool that was not called may still have been applicable, so this is a lower bound, not a calibration.",
    table(
      "Call rate by probability",
      ["probability", right("judged"), right("called"), right("rate"), ""],
      judged.callRate.map((bin, index) => {
        const path = `judged.callRate.${index}`;
        return [
          `${bin.from} to ${bin.to}`,
          figure(bin.judged, `${path}.judged`),
          figure(bin.called, `${path}.called`),
          figure(bin.rate, `${path}.rate`, formatPercent),
          bin.rate === null ? null : bar(bin.rate),
        ];
      }),
    ),
  );
}

export function renderFallbacks(judged: JudgedCohort): Markup {
  return section(
    "fallbacks",
    "Fallbacks and outages",
    "A turn that restores the full catalog hides nothing and proves nothing. A turn without a judge's answer is “not judged”, never “no miss”; a judge that says it cannot tell (small talk) is no outage.",
    html`<p>
      ${figure(judged.askedTurns, "judged.askedTurns")} of ${figure(judged.turns, "judged.turns")}
      turns asked the judge (${figure(judged.duplicates, "judged.duplicates")} repeated copies of a
      turn folded); ${figure(judged.judgedShare, "judged.judgedShare", formatPercent)} of them were
      judged. In ${figure(judged.abstainedTurns, "judged.abstainedTurns")} it could not tell about
      any tool.
    </p>`,
    judged.fallbackReasons.length === 0
      ? html`<p>No turn restored the full catalog.</p>`
      : table(
          "Why the full catalog was restored",
          ["reason", right("turns")],
          judged.fallbackReasons.map(({ name: reason, count }, index) => [
            name(reason),
            figure(count, `judged.fallbackReasons.${index}.count`),
          ]),
        ),
  );
}

function layOutDistribution(
  title: string,
  distribution: Distribution | null,
  path: string,
): readonly Content[] {
  if (distribution === null) return [title, "unknown"];
  const shown = ["count", "mean", "p50", "p95", "max"] as const;
  return [
    title,
    ...shown.map((key) =>
      figure(distribution[key], `${path}.${key}`, key === "count" ? formatNumber : formatDuration),
    ),
  ];
}

export function renderLatency(judged: JudgedCohort): Markup {
  const { latency } = judged;
  return section(
    "latency",
    "Latency",
    "In shadow none is added. These are the milliseconds that enforce would add before the first token.",
    table(
      "Latency",
      ["", right("count"), right("mean"), right("median"), right("95 %"), right("longest")],
      [
        layOutDistribution("judge, per turn", latency.perTurn, "judged.latency.perTurn"),
        layOutDistribution(
          "judge, per user request",
          latency.perRequest,
          "judged.latency.perRequest",
        ),
        layOutDistribution(
          "model, per turn, for comparison",
          latency.model,
          "judged.latency.model",
        ),
      ],
    ),
  );
}
