/** What the demo shows of a record: which tools were enough, why, and what the model did about it. */

import { styleText } from "node:util";
import type { SelectionRecord, ToolSelector } from "toolsieve";
import type { Step } from "./conversation.js";

type Format = Parameters<typeof styleText>[0];
type ToolEntry = SelectionRecord["tools"][number];

const isColoured = process.stdout.isTTY && process.stdout.hasColors();
/** Tools listed one by one, and characters shown of a tool's answer. */
const listed = 8;
const shown = 40;
const label = (text: string): string => `     ${text.padEnd(8)}`;

/** Colours a text, on a terminal that shows colours. */
export function paint(format: Format, text: string): string {
  return isColoured ? styleText(format, text) : text;
}

/** A number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A heading over a part of the demo. */
export function heading(text: string): string {
  return `\n${paint("bold", text)}\n${paint("dim", "─".repeat(text.length))}`;
}

/** Who judges, and what its probabilities lead to. */
export function describePolicy(policy: ToolSelector["options"]): string {
  const { judge, confidenceThreshold, rejectionThreshold, maxTools, onUncertain } = policy;
  return paint(
    "dim",
    `judge ${judge.id}: applicable from ${confidenceThreshold}, not applicable up to ${rejectionThreshold}, at most ${maxTools} tools, uncertain ones: ${onUncertain}`,
  );
}

/** How much smaller `after` is than `before`. */
function saving(before: number, after: number): string {
  return after === before ? "nothing saved" : `−${Math.round((1 - after / before) * 100)} %`;
}

function describeProbability({ probability }: ToolEntry): string {
  return probability === null ? "     " : probability.toFixed(3);
}

/** How many tools there are of each reason: `127 not-applicable, 2 over-cap`. */
function countReasons(tools: readonly ToolEntry[]): string {
  const reasons = [...new Set(tools.map(({ reason }) => reason))];
  const parts = reasons.map(
    (reason) => `${tools.filter((tool) => tool.reason === reason).length} ${reason}`,
  );
  return parts.join(", ") || "none";
}

function keptLines(kept: readonly ToolEntry[]): readonly string[] {
  const byProbability = kept.toSorted((a, b) => (b.probability ?? -1) - (a.probability ?? -1));
  const lines = byProbability.slice(0, listed).map((tool, index) => {
    const start = index === 0 ? label("kept") : label("");
    const name = (tool.name ?? "(no name)").padEnd(40);
    return `${start}${name} ${describeProbability(tool)}  ${paint("dim", tool.reason)}`;
  });
  const rest = byProbability.slice(listed);
  return rest.length === 0
    ? lines
    : [...lines, `${label("")}${paint("dim", `and ${countReasons(rest)}`)}`];
}

function namesLine(start: string, tools: readonly ToolEntry[]): readonly string[] {
  if (tools.length === 0) return [];
  const names = tools.slice(0, 2).map(({ name }) => name ?? "(no name)");
  const rest = tools.length > 2 ? ` and ${tools.length - 2} more` : "";
  return [`${label("")}${start} ${names.join(", ")}${rest}`];
}

/** What changed since the call before: most steps of a turn keep the same tools. */
function changeLines(kept: readonly ToolEntry[], before: readonly ToolEntry[]): readonly string[] {
  const missingIn = (others: readonly ToolEntry[]) => (tool: ToolEntry) =>
    !others.some(({ name }) => name === tool.name);
  return [
    `${label("kept")}${paint("dim", "as in the step before")}`,
    ...namesLine("+", kept.filter(missingIn(before))),
    ...namesLine("−", before.filter(missingIn(kept))),
  ];
}

function selectionLines(
  record: SelectionRecord,
  before: SelectionRecord | undefined,
): readonly string[] {
  if (record.fallback) {
    return [`${label("kept")}${paint("yellow", `everything, to be safe: ${record.reason}`)}`];
  }
  const keptOf = ({ tools }: SelectionRecord): readonly ToolEntry[] =>
    tools.filter((tool) => tool.kept);
  const kept = keptOf(record);
  const hidden = record.tools.filter((tool) => !tool.kept);
  return before === undefined || before.fallback
    ? [...keptLines(kept), `${label("hidden")}${countReasons(hidden)}`]
    : changeLines(kept, keptOf(before));
}

/** Why a tool was kept or hidden: ` (uncertain at 0.271)`. */
function describeReason(record: SelectionRecord, name: string): string {
  const tool = record.tools.find((entry) => entry.name === name);
  if (tool === undefined) return "";
  return ` (${tool.reason}${tool.probability === null ? "" : ` at ${describeProbability(tool)}`})`;
}

function missLine(record: SelectionRecord, name: string): string {
  const why = describeReason(record, name);
  const text = record.enforced
    ? `${name} was hidden${why}, and ran all the same: the model named it`
    : `${name} was called, and enforce would have hidden it${why}`;
  return paint("red", `${label("MISS")}${text}`);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, shown);

function outcomeLines({ record, results }: Step): readonly string[] {
  const { called, missed } = record.outcome ?? { called: [], missed: [] };
  if (called.length === 0) {
    return [`${label("called")}${paint("dim", "no tool: the model answers")}`];
  }
  return [
    ...results.map(({ tool, text }) => {
      const answer = paint("dim", `→ ${oneLine(text)}`);
      return `${label("called")}${tool}${describeReason(record, tool)} ${answer}`;
    }),
    ...missed.map((name) => missLine(record, name)),
  ];
}

function summaryLine(record: SelectionRecord): string {
  const { catalog, suggested, judge } = record;
  const before = catalog.definitionTokens ?? 0;
  const after = suggested.definitionTokens ?? 0;
  const tools = `${catalog.tools} → ${suggested.tools} tools`;
  const tokens = `≈ ${count(before)} → ${count(after)} tokens of definitions (${saving(before, after)})`;
  const time = judge === null ? "not judged" : `judged in ${Math.round(judge.latencyMs)} ms`;
  return `  step ${record.step ?? "?"}  ${tools}, ${tokens}, ${time}`;
}

/**
 * The lines about one call of the model.
 *
 * @param before the call before it in the same turn; what has not changed is not listed again.
 */
export function describeStep(step: Step, before?: Step): string {
  return [
    paint("cyan", summaryLine(step.record)),
    ...selectionLines(step.record, before?.record),
    ...outcomeLines(step),
  ].join("\n");
}

/** Totals over the records of one mode. */
export function describeTotals(title: string, records: readonly SelectionRecord[]): string {
  const sum = (read: (record: SelectionRecord) => number | null): number =>
    records.reduce((total, record) => total + (read(record) ?? 0), 0);
  const before = sum(({ catalog }) => catalog.definitionTokens);
  const suggested = sum((record) => record.suggested.definitionTokens);
  const offered = sum((record) => record.offered.definitionTokens);
  const calls = sum(({ outcome }) => outcome?.called.length ?? 0);
  const missed = records.flatMap(({ outcome }) => outcome?.missed ?? []);
  const names = [...new Set(missed)].map((name) => `\n       ${name}`).join("");
  return [
    `  ${paint("bold", title)}: ${records.length} model calls, ${calls} tool calls`,
    `     all tools          ≈ ${count(before)} tokens of definitions`,
    `     as selected        ≈ ${count(suggested)} (${saving(before, suggested)})`,
    `     really sent        ≈ ${count(offered)}`,
    `     misses             ${missed.length}${names}`,
  ].join("\n");
}
