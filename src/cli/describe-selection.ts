/** A selection as text for a terminal: what would be offered, what would be hidden, and why. */

import { formatCount } from "../core/format.js";
import type { Selection, SelectionReason } from "../core/types.js";
import type { SelectionRecord } from "../core/record.js";
import { cutToColumns, paint, makePrintable, layOutTable } from "./terminal.js";
import type { Cell } from "./terminal.js";

const keptShown = 40;
const hiddenShown = 15;
const nameColumns = 48;
const barColumns = 12;

type ToolEntry = SelectionRecord["tools"][number];

const countTools = (value: number): string => `${formatCount(value)} tool${value === 1 ? "" : "s"}`;

const explanations: Readonly<Record<SelectionReason, string>> = {
  selected: "",
  "none-applicable": "no tool applies",
  uncertain: "the judge is in doubt about some",
  abstained: "the judge cannot tell, for the request gives it nothing to go by",
  unjudged: "some have no valid answer",
  timeout: "the judge did not answer in time",
  "judge-error": "the judge failed",
  refused: "the judge refused to answer",
  "empty-not-allowed": "an empty list is not allowed",
  "mode-off": "the mode is off",
  "no-candidates": "there is none that may be hidden",
  "no-user-text": "the request has no text",
  "tool-choice-none": "the tool choice is none",
  "too-few-candidates": "there are too few to select from",
  "not-sampled": "this thread is not sampled",
  cancelled: "the turn was cancelled",
};

/** Describes the tools that an agent would get, and the reason, in one sentence. */
function describeOffer({ reason, record, fallback, status }: Selection): string {
  const { catalog, suggested, error } = record;
  if (reason === "none-applicable" && !fallback) {
    return suggested.tools === 0
      ? "No tool applies: none would be offered."
      : `No tool applies: only the ${countTools(suggested.tools)} that are never judged would be offered.`;
  }
  const details = [error?.kind, error?.status].filter((detail) => detail !== undefined);
  const detail = details.length === 0 ? "" : ` (${makePrintable(details.join(", "))})`;
  const explanation = `${explanations[reason]}${detail}`;
  if (fallback || status === "skipped") {
    return `All ${countTools(catalog.tools)} would be offered: ${explanation}.`;
  }
  const offer = `${formatCount(suggested.tools)} of ${countTools(catalog.tools)} would be offered`;
  return explanation === "" ? `${offer}.` : `${offer}; ${explanation}.`;
}

function drawBar(probability: number): string {
  const eighths = Math.round(probability * barColumns * 8);
  const rest = eighths % 8;
  return "█".repeat(Math.floor(eighths / 8)) + (rest === 0 ? "" : "▏▎▍▌▋▊▉"[rest - 1]);
}

/** More digits for small probabilities, where the embedded judge has its threshold. */
function formatProbability(probability: number): string {
  if (probability > 0 && probability < 0.00005) return "<0.0001";
  return probability.toFixed(probability > 0 && probability < 0.01 ? 4 : 3);
}

function layOutTool({
  name,
  probability,
  kept,
  reason,
  tokens,
}: ToolEntry): readonly (Cell | string)[] {
  const format = kept ? undefined : ("dim" as const);
  return [
    kept ? { text: "✓", format: "green" } : { text: "✗", format: "red" },
    { text: cutToColumns(makePrintable(name ?? "(without a name)"), nameColumns), format },
    { text: probability === null ? "–" : formatProbability(probability), format },
    { text: probability === null ? "" : drawBar(probability), format: kept ? "cyan" : "dim" },
    { text: makePrintable(reason), format },
    { text: tokens === null ? "–" : formatCount(tokens), format },
  ];
}

/** Rows of the best entries, and a line for the others. */
function takeRows(
  entries: readonly ToolEntry[],
  limit: number,
): { readonly rows: readonly (readonly (Cell | string)[])[]; readonly more: number } {
  return {
    rows: entries.slice(0, limit).map(layOutTool),
    more: Math.max(0, entries.length - limit),
  };
}

function describeMore(more: number, what: string): readonly string[] {
  return more === 0 ? [] : [paint("dim", `   ${formatCount(more)} more ${what}; --all shows them`)];
}

function describeTools(entries: readonly ToolEntry[], showAll: boolean): readonly string[] {
  const ranked = entries.toSorted((a, b) => (b.probability ?? 2) - (a.probability ?? 2));
  const kept = takeRows(
    ranked.filter((entry) => entry.kept),
    showAll ? entries.length : keptShown,
  );
  const hidden = takeRows(
    ranked.filter((entry) => !entry.kept),
    showAll ? entries.length : hiddenShown,
  );
  const columns = [
    { title: "" },
    { title: "tool" },
    { title: "probability", align: "right" },
    { title: "" },
    { title: "why" },
    { title: "tokens", align: "right" },
  ] as const;
  return [
    ...layOutTable(columns, [...kept.rows, ...hidden.rows]),
    ...describeMore(kept.more, "kept"),
    ...describeMore(hidden.more, "hidden"),
  ];
}

function describeTokens({ catalog, suggested }: SelectionRecord): string {
  const before = catalog.definitionTokens;
  const after = suggested.definitionTokens;
  if (before === null || after === null || before === 0)
    return "Tokens of the definitions: unknown.";
  if (after === before)
    return `Nothing is saved: about ${formatCount(before)} tokens of tool definitions.`;
  const saved = Math.round((100 * (before - after)) / before);
  return `About ${formatCount(after)} of ${formatCount(before)} tokens of tool definitions (−${saved} %), at 4 characters a token.`;
}

/**
 * Lines without line breaks: the request, the judge and policy, the verdict in a sentence, every
 * tool, the tokens.
 */
export function describeSelection(
  selection: Selection,
  { request, showAll }: { readonly request: string; readonly showAll: boolean },
): readonly string[] {
  const { record } = selection;
  const { confidenceThreshold, rejectionThreshold, maxTools, onUncertain } = record.policy;
  const judge =
    record.judge === null ? "not asked" : makePrintable(record.judge.model ?? record.judge.id);
  const latency = record.judge === null ? "" : `, ${record.judge.latencyMs.toFixed(0)} ms`;
  return [
    `${paint("dim", "request")}  ${cutToColumns(makePrintable(request), 100)}`,
    `${paint("dim", "judge")}    ${judge}${latency}; applicable from ${confidenceThreshold}, not applicable up to ${rejectionThreshold}`,
    `${paint("dim", "policy")}   ${onUncertain === "keep" ? "keep what is in doubt" : "any doubt restores the whole catalog"}, at most ${formatCount(maxTools)}`,
    "",
    paint("bold", describeOffer(selection)),
    "",
    ...describeTools(record.tools, showAll),
    "",
    describeTokens(record),
  ];
}
