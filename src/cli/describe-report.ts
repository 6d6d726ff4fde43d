/** A report as text for a terminal: the verdict first, then its figures. */

import { formatCount, formatNumber, formatPercent } from "../core/format.js";
import type {
  AgentSummary,
  EnforcedComparison,
  JudgedCohort,
  NetSaving,
  ReportSummary,
  ReportVerdict,
  ToolSummary,
} from "../report/summary.js";
import { countUnits, unitNoun } from "../report/wording.js";
import { cutToColumns, paint, makePrintable, layOutTable } from "./terminal.js";
import type { Cell, Column } from "./terminal.js";

const shownTools = 15;
const nameColumns = 48;

const formatShare = (value: number | null): string => (value === null ? "–" : formatPercent(value));
const formatName = (text: string | null): string =>
  cutToColumns(makePrintable(text ?? "(unnamed)"), nameColumns);

const verdicts = {
  ready: { text: "READY for a first share", format: "green" },
  "not-ready": { text: "NOT READY", format: "red" },
  "no-evidence": { text: "NO EVIDENCE", format: "yellow" },
} as const satisfies Record<ReportVerdict, object>;

function describeVerdict({
  verdict,
  reasons,
  changes,
}: AgentSummary | ReportSummary): readonly string[] {
  const { text, format } = verdicts[verdict];
  return [
    paint("bold", paint(format, text)),
    ...reasons.map((reason) => `  ${makePrintable(reason)}`),
    ...changes.map((change) => `  → ${makePrintable(change)}`),
  ];
}

function describeSaving({
  mean,
  lowerBound,
  unproven,
  assumesNoCaching,
  money,
}: NetSaving): string {
  if (mean === null || lowerBound === null) return unproven ?? "unproven";
  const prices =
    money === null
      ? ""
      : `; ${money.currency} ${money.mean.toPrecision(3)} each, ${money.total.toPrecision(3)} in all`;
  const caching = assumesNoCaching ? ", assuming no caching" : "";
  return `${formatCount(mean)} input-token equivalents (at least ${formatCount(lowerBound)}${caching})${prices}`;
}

/** How long the tools block must stay the same for the selection to pay, and how long it did. */
function describeBreakEven({ breakEven }: NetSaving): string {
  const needed =
    breakEven.turns === null ? "never" : `from ${formatCount(Math.ceil(breakEven.turns))} turns`;
  const observed =
    breakEven.observed === null ? "it never changed" : `${formatCount(breakEven.observed)} seen`;
  return `${needed} between changes of the tools block under caching; ${observed}`;
}

function describeBlocks({ toolBlocks, netSaving }: JudgedCohort): string {
  const { brokenPrefixes, turns } = netSaving;
  const blocks =
    toolBlocks === null ? "–" : `${formatNumber(toolBlocks.mean)} different per thread`;
  return `${blocks}; cached prefix broken in ${formatCount(brokenPrefixes)} of ${formatCount(turns)} turns`;
}

/** Describes the savings of the same turns with a block that only grows. */
function describeSticky({ sticky }: NetSaving): string {
  const savings = sticky.map(({ sticky: scope, mean, lowerBound, brokenPrefixes }) => {
    const saved =
      mean === null
        ? "unproven"
        : `${formatCount(mean)} (at least ${lowerBound === null ? "–" : formatCount(lowerBound)})`;
    return `${scope}: ${saved}, ${formatCount(brokenPrefixes)} broken`;
  });
  return savings.join("; ") || "–";
}

function describePower({ power, unit }: JudgedCohort): string {
  const chances = power.map(
    ({ chance, units }) => `${(chance * 100).toFixed(0)} % of logs with ${countUnits(units, unit)}`,
  );
  return `at a true ${formatPercent(power[0]?.trueMissRate ?? 0)}: ${chances.join(", ")}`;
}

function describeLatency({ latency: { perTurn } }: JudgedCohort): string {
  return perTurn === null
    ? "–"
    : `median ${formatCount(perTurn.p50)} ms per turn, p95 ${formatCount(perTurn.p95)} ms`;
}

function describeFacts(judged: JudgedCohort): readonly string[] {
  const { units, missedUnits, unit, netSaving } = judged;
  const bounds = `${formatPercent(judged.lowerBound)} to ${formatPercent(judged.upperBound)}`;
  const asked = `${formatCount(judged.askedTurns)} asked the judge (${formatShare(judged.judgedShare)} judged)`;
  const rows = [
    ["evidence", `${countUnits(units, unit)}, ${missedUnits} with a miss; bounds ${bounds}`],
    ["turns", `${formatCount(judged.turns)}, of which ${asked}`],
    ["fallbacks", formatShare(judged.fallbackShare)],
    ["net saving", `per ${unitNoun(unit)}: ${describeSaving(netSaving)}`],
    ["break-even", describeBreakEven(netSaving)],
    ["tools block", describeBlocks(judged)],
    ["with sticky", describeSticky(netSaving)],
    ["latency added", describeLatency(judged)],
    ["found ready", describePower(judged)],
    ["why missed", joinCounts(judged.missReasons)],
    ["always include", judged.suggestedAlwaysInclude.map(formatName).join(", ") || "–"],
  ] as const;
  return layOutTable([{ title: "" }, { title: "" }], rows).slice(1);
}

const toolColumns: readonly Column[] = [
  { title: "tool" },
  { title: "units", align: "right" },
  { title: "missed", align: "right" },
  { title: "at most", align: "right" },
  { title: "" },
];

function layOutTool(tool: ToolSummary): readonly (Cell | string)[] {
  return [
    formatName(tool.name),
    formatCount(tool.units),
    { text: formatCount(tool.missedUnits), format: tool.missedUnits > 0 ? "red" : undefined },
    formatPercent(tool.upperBound),
    tool.unproven ? { text: "unproven", format: "dim" } : "",
  ];
}

function describeTools({ tools }: JudgedCohort): readonly string[] {
  if (tools.length === 0) return [];
  const hidden = tools.length - shownTools;
  return [
    "",
    ...layOutTable(toolColumns, tools.slice(0, shownTools).map(layOutTool)),
    ...(hidden > 0 ? [paint("dim", `and ${hidden} more (--json, --out)`)] : []),
  ];
}

/** "over-cap 3×, not-shortlisted 1×". */
function joinCounts(counts: JudgedCohort["missReasons"]): string {
  return counts.map(({ name, count }) => `${makePrintable(name)} ${count}×`).join(", ") || "–";
}

function describeRecovery({ recovery }: EnforcedComparison): readonly string[] {
  const { turns, searches, foundTools, recoveredCalls, stoppedCalls } = recovery;
  return [
    `${formatCount(turns)} enforced turns: ${formatCount(searches)} searches found ${formatCount(foundTools)} tools, ` +
      `${formatCount(recoveredCalls)} calls of tools found earlier; ${formatCount(stoppedCalls)} calls stopped by the guard.`,
  ];
}

const harmColumns: readonly Column[] = [
  { title: "units with" },
  { title: "enforced", align: "right" },
  { title: "control", align: "right" },
  { title: "more, at most", align: "right" },
  { title: "" },
];

function describeHarms(comparison: EnforcedComparison): readonly string[] {
  const rows = comparison.harms.map(({ harm, enforced, control, upperBound, verdict }) => [
    harm,
    `${enforced.withHarm}/${enforced.units}`,
    `${control.withHarm}/${control.units}`,
    formatShare(upperBound),
    { text: verdict, format: verdicts[verdict].format },
  ]);
  return ["", ...layOutTable(harmColumns, rows), ...describeRecovery(comparison)];
}

function describeAgent(agent: AgentSummary, hasOthers: boolean): readonly string[] {
  return [
    ...(hasOthers
      ? ["", paint("bold", `agent ${formatName(agent.agent)}`), ...describeVerdict(agent)]
      : []),
    "",
    ...(agent.judged === null
      ? []
      : [...describeFacts(agent.judged), ...describeTools(agent.judged)]),
    ...(agent.comparison === null ? [] : describeHarms(agent.comparison)),
  ];
}

function describeCounts(summary: ReportSummary): readonly string[] {
  const { records, malformedLines, foreignRecords, uncountedRecords, cohorts } = summary;
  const others = cohorts.length - cohorts.filter(({ judged }) => judged).length;
  const parts = [
    `${formatCount(records)} records`,
    ...(malformedLines > 0 ? [`${formatCount(malformedLines)} malformed lines`] : []),
    ...(foreignRecords > 0 ? [`${formatCount(foreignRecords)} foreign records`] : []),
    ...(uncountedRecords > 0
      ? [`${formatCount(uncountedRecords)} without group, thread or run`]
      : []),
    ...(others > 0 ? [`${formatCount(others)} other cohorts, not pooled`] : []),
  ];
  return ["", `${parts.join("; ")}.`, ...summary.assumptions].map((line) => paint("dim", line));
}

/** The lines of a report. */
export function describeReport(summary: ReportSummary): readonly string[] {
  const agents = Object.values(summary.agents);
  return [
    ...describeVerdict(summary),
    ...agents.flatMap((agent) => describeAgent(agent, agents.length > 1)),
    ...describeCounts(summary),
  ];
}
