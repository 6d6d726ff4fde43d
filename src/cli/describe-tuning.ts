/** What tuning found, as text for a terminal: options to paste, and how they did. */

import { formatPercent } from "../core/format.js";
import type { TunedAgent, TuneSummary } from "../report/tune/tune-thresholds.js";
import { makePrintable, paint } from "./terminal.js";

function describeCheck({ check }: TunedAgent): readonly string[] {
  if (check === null) return [];
  const { units, missedUnits, recall, upperBound } = check;
  const kept = recall === null ? "no units to check on" : `recall ${formatPercent(recall)}`;
  return [
    `checked on ${units} other units: ${missedUnits} with a miss, ${kept}; at most ${formatPercent(upperBound)} miss.`,
  ];
}

/** Pairs as an option to paste, each with the threads that it was seen in. */
function describePairs({ keepTogether }: TunedAgent): readonly string[] {
  if (keepTogether.length === 0) return [];
  const width = Math.max(...keepTogether.map((pair) => writePair(pair).length));
  return [
    "  keepTogether: [",
    ...keepTogether.map((pair) => {
      const seen = `${pair.threads} of ${pair.threadsWithThen} threads`;
      return `    ${`${writePair(pair)},`.padEnd(width + 1)} // ${seen}`;
    }),
    "  ],",
  ];
}

const writePair = ({ first, then }: TunedAgent["keepTogether"][number]): string =>
  makePrintable(JSON.stringify([first, then]));

function describeThresholds({ options, policy }: TunedAgent): readonly string[] {
  if (options === null) return [];
  return [
    `  confidenceThreshold: ${options.confidenceThreshold},`,
    `  rejectionThreshold: ${options.rejectionThreshold},`,
    `  maxTools: ${options.maxTools},`,
    `  onUncertain: ${JSON.stringify(policy?.onUncertain)},`,
  ];
}

function describeFit(tuned: TunedAgent): readonly string[] {
  const { options, fit, reasons, targetRecall } = tuned;
  if (options === null) return reasons.map((reason) => paint("yellow", makePrintable(reason)));
  return [
    `fitted on ${fit.units} units for a recall of ${formatPercent(targetRecall)};`,
    ...describeCheck(tuned),
  ];
}

function describeAgent(tuned: TunedAgent): readonly string[] {
  const lines = [...describeThresholds(tuned), ...describePairs(tuned)];
  if (lines.length === 0) return describeFit(tuned);
  return ["createToolSelector({", ...lines, "})", "", ...describeFit(tuned)];
}

/** The lines of a tuning, without line breaks. */
export function describeTuning(summary: TuneSummary): readonly string[] {
  const agents = Object.entries(summary.agents);
  if (agents.length === 0) return describeAgent(summary);
  if (agents.length === 1) return agents.flatMap(([, tuned]) => describeAgent(tuned));
  return agents.flatMap(([name, tuned]) => [
    paint("bold", `agent ${makePrintable(name)}`),
    ...describeAgent(tuned),
    "",
  ]);
}
