/**
 * Around the judged cohort: enforced against control, the other agents and cohorts, and what the
 * log held.
 */

import type { CohortKey, EnforcedComparison, HarmName, ReportSummary } from "../summary.js";
import { figure, right, section, sentences, table, formatTime } from "./figures.js";
import { formatNumber, formatPercent } from "../../core/format.js";
import { html, name } from "./markup.js";
import type { Content, Markup } from "./markup.js";
import { renderLabel } from "./verdict-section.js";

const harms: Readonly<Record<HarmName, string>> = {
  "model-error": "with a model error",
  "hidden-or-unknown-call": "with a call of a hidden or unknown tool",
  "find-tools-reveal": "with a tool that was found by search",
  "no-tool-call": "without any tool call",
  "labelled-failure": "labelled as failed",
};

function renderRecovery({ recovery, toolBlocks }: EnforcedComparison, path: string): Markup {
  const count = (key: keyof typeof recovery): Markup =>
    figure(recovery[key], `${path}.recovery.${key}`);
  return html`<p>
    In ${count("turns")} enforced turns the model searched ${count("searches")} times and found
    ${count("foundTools")} tools; it made ${count("recoveredCalls")} calls of tools found earlier,
    and the guard stopped ${count("stoppedCalls")} calls. A thread sent
    ${figure(toolBlocks.enforced?.mean ?? null, `${path}.toolBlocks.enforced.mean`)} different tools
    blocks on average under enforce,
    ${figure(toolBlocks.control?.mean ?? null, `${path}.toolBlocks.control.mean`)} in control.
  </p>`;
}

/** Paths name an agent by its position in `agents`, because its name may hold anything. */
export function renderComparison(
  comparison: EnforcedComparison,
  { agent, index }: { readonly agent: string; readonly index: number },
): Markup {
  const path = `agents.${index}.comparison`;
  return section(
    `comparison-${index}`,
    "Enforced against control",
    html`${name(agent)}: under enforce misses are near zero by construction, so outcomes are
    compared instead: ${figure(comparison.enforcedUnits, `${path}.enforcedUnits`)} enforced against
    ${figure(comparison.controlUnits, `${path}.controlUnits`)} control units of the same time. Not
    worse means: the upper end of the difference is below ${formatPercent(comparison.margin)}.`,
    html`<p>${renderLabel(comparison.verdict)}</p>`,
    sentences(comparison.reasons),
    table(
      "Share of units",
      [
        "",
        right("enforced"),
        right("control"),
        right("difference"),
        right("from"),
        right("to"),
        "",
      ],
      comparison.harms.map((harm, index) => {
        const at = `${path}.harms.${index}`;
        return [
          harms[harm.harm],
          [
            figure(harm.enforced.withHarm, `${at}.enforced.withHarm`),
            " of ",
            figure(harm.enforced.units, `${at}.enforced.units`),
          ],
          [
            figure(harm.control.withHarm, `${at}.control.withHarm`),
            " of ",
            figure(harm.control.units, `${at}.control.units`),
          ],
          figure(harm.difference, `${at}.difference`, formatPercent),
          figure(harm.lowerBound, `${at}.lowerBound`, formatPercent),
          figure(harm.upperBound, `${at}.upperBound`, formatPercent),
          renderLabel(harm.verdict),
        ];
      }),
    ),
    renderRecovery(comparison, path),
  );
}

function describeCohort({
  version,
  agent,
  policyFingerprint,
  judgeId,
  judgeModel,
  overrides,
}: CohortKey): Content {
  const judge = judgeModel === null ? judgeId : `${judgeId ?? ""} (${judgeModel})`;
  return [
    name(agent ?? "unnamed agent"),
    version === null ? null : [", version ", name(version)],
    judge === null ? null : [", judge ", name(judge)],
    ", policy ",
    name(policyFingerprint.slice(0, 12)),
    overrides ? ", with overrides" : null,
  ];
}

export function renderAgents({ agents }: ReportSummary): Markup {
  return section(
    "agents",
    "Agents",
    "Each agent is judged by its newest cohort; the worst verdict wins.",
    table(
      "Agents",
      ["agent", "verdict", "why"],
      Object.entries(agents).map(([agent, summary]) => [
        name(agent),
        renderLabel(summary.verdict),
        summary.reasons[0] ?? "",
      ]),
    ),
  );
}

export function renderCohorts({ cohorts }: ReportSummary): Markup {
  return section(
    "cohorts",
    "Cohorts",
    "Turns of one record version, policy, judge, model and agent. Cohorts are never pooled: another policy is another experiment.",
    table(
      "Cohorts, newest first",
      ["cohort", "judged", "from", "to", right("turns"), right("units"), right("with a miss")],
      cohorts.map((cohort, index) => [
        describeCohort(cohort.key),
        cohort.judged ? "yes" : "no",
        formatTime(cohort.from),
        formatTime(cohort.to),
        figure(cohort.turns, `cohorts.${index}.turns`),
        figure(cohort.units, `cohorts.${index}.units`),
        figure(cohort.missedUnits, `cohorts.${index}.missedUnits`),
      ]),
    ),
  );
}

export function renderLog(summary: ReportSummary): Markup {
  const { options } = summary;
  return section(
    "log",
    "The log",
    "What was read, and what the figures assume.",
    html`<ul>
      <li>
        ${figure(summary.records, "records")}
        records${summary.period === null ? null : html`, ${formatTime(summary.period.from)} to ${formatTime(summary.period.to)}`}
      </li>
      <li>
        ${figure(summary.malformedLines, "malformedLines")} malformed lines,
        ${figure(summary.foreignRecords, "foreignRecords")} lines that are no selection record
      </li>
      <li>
        ${figure(summary.uncountedRecords, "uncountedRecords")} records without group, thread or
        run: in no unit, not counted
      </li>
      <li>
        limit ${formatPercent(options.maxMissRate)} of the units; ${formatNumber(options.looks)}
        ${options.looks === 1 ? "look" : "looks"} at the
        log${options.since === null ? null : html`; since ${formatTime(options.since)}`}
      </li>
    </ul>`,
    sentences(summary.assumptions),
  );
}
