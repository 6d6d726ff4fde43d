/** An evaluation as text for a terminal. */

import { formatCount } from "../core/format.js";
import type { Estimate } from "../evaluation/estimate.js";
import type { Evaluation, SetMetrics } from "../evaluation/evaluate.js";
import type { PolicyName } from "../evaluation/metrics.js";
import { cutToColumns, paint, makePrintable, layOutTable } from "./terminal.js";
import type { Cell } from "./terminal.js";

const policyTitles = {
  keep: "keep",
  default: "default",
  keep8: "keep, max 8",
} as const satisfies Record<PolicyName, string>;

/** One digit behind the point, so that intervals line up. */
const formatTenths = (value: number): string => `${(100 * value).toFixed(1)} %`;

function formatShare(estimate: Estimate | null): string {
  return estimate === null ? "–" : formatTenths(estimate.value);
}

function formatInterval(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  const bound = (value: number): string => (100 * value).toFixed(1);
  return `${formatTenths(estimate.value)} (${bound(estimate.low)}–${bound(estimate.high)})`;
}

const nameSet = ({ set }: SetMetrics): string =>
  set === null ? "all" : set === "" ? "(no set)" : cutToColumns(makePrintable(set), 32);

/** Sets of which no case needs a known tool have no recall. */
function hasRecall({ policies }: SetMetrics): boolean {
  return policies.keep.recallPerCase !== null;
}

function layOutPolicies(metrics: SetMetrics): readonly (readonly (Cell | string)[])[] {
  const names = ["keep", "default", "keep8"] as const;
  return names.map((name, index) => {
    const policy = metrics.policies[name];
    const format = name === "keep" ? undefined : ("dim" as const);
    return [
      { text: index === 0 ? nameSet(metrics) : "", format: "bold" as const },
      index === 0 ? String(policy.recallPerCase?.cases ?? 0) : "",
      { text: policyTitles[name], format },
      { text: formatInterval(policy.recallPerCase), format },
      { text: formatShare(policy.recallPerTool), format },
      { text: formatInterval(policy.hidden), format },
      { text: formatShare(policy.fallbacks), format },
    ];
  });
}

function describeRecall(sets: readonly SetMetrics[]): readonly string[] {
  const rows = sets.filter(hasRecall).flatMap(layOutPolicies);
  if (rows.length === 0) return [];
  const columns = [
    { title: "set" },
    { title: "cases", align: "right" },
    { title: "policy" },
    { title: "cases with all needed kept", align: "right" },
    { title: "needed kept", align: "right" },
    { title: "hidden", align: "right" },
    { title: "fell back", align: "right" },
  ] as const;
  return [...layOutTable(columns, rows), ""];
}

function formatArea(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map((one) =>
    one.toFixed(3),
  );
  return `${value} (${low}–${high})`;
}

function describeProbabilities(sets: readonly SetMetrics[]): readonly string[] {
  const rows = sets
    .filter(({ noneDetection, calibration }) => noneDetection !== null || calibration !== null)
    .map((metrics) => {
      const { noneDetection, noneDetectionAnswered, calibration, cases, abstained } = metrics;
      return [
        { text: nameSet(metrics), format: "bold" as const },
        String(cases),
        formatArea(noneDetection),
        formatArea(noneDetectionAnswered),
        calibration === null ? "–" : calibration.error.toFixed(4),
        calibration === null ? "–" : calibration.brier.toFixed(4),
        String(abstained),
      ];
    });
  if (rows.length === 0) return [];
  const columns = [
    { title: "set" },
    { title: "cases", align: "right" },
    { title: "none told from some (AUROC)", align: "right" },
    { title: "where it can tell", align: "right" },
    { title: "calibration error", align: "right" },
    { title: "Brier", align: "right" },
    { title: "abstained", align: "right" },
  ] as const;
  return [...layOutTable(columns, rows), ""];
}

function describeWarnings({
  failures,
  firstFailure,
  skipped,
  cost,
}: Evaluation): readonly string[] {
  const tokens =
    cost.inputTokens === null || cost.inputTokens === 0
      ? ""
      : `, ${formatCount(cost.inputTokens)} input and ${formatCount(cost.outputTokens ?? 0)} output tokens`;
  return [
    ...(failures === 0
      ? []
      : [
          paint(
            "yellow",
            `${failures} judge calls failed; their tools count as unjudged. The first: ${makePrintable(firstFailure ?? "")}`,
          ),
        ]),
    ...(skipped === 0
      ? []
      : [`${formatCount(skipped)} cases skipped: nothing to measure in them.`]),
    ...(cost.requests === 0
      ? []
      : [`${formatCount(cost.requests)} requests to the judge${tokens}.`]),
  ];
}

/**
 * Lines without line breaks: the judge, recall beside what is hidden, what the probabilities are
 * worth, how to read it.
 */
export function describeEvaluation(evaluation: Evaluation): readonly string[] {
  const { judge, thresholds, catalogSize, seed, sets } = evaluation;
  return [
    `${paint("bold", makePrintable(judge))}, applicable from ${thresholds.confidence}, not applicable up to ${thresholds.rejection}; catalogs of ${catalogSize}, seed ${seed}`,
    "",
    ...describeRecall(sets),
    ...describeProbabilities(sets),
    ...describeWarnings(evaluation),
    paint(
      "dim",
      "keep: only confident rejections are hidden. default: any doubt restores the whole catalog, 8 tools at most.",
    ),
    paint("dim", "In brackets: 95 % bootstrap intervals, drawn by conversation."),
  ];
}
