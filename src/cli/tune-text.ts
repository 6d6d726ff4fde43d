/** What tuning found, as text for a terminal: options to paste, and how they did. */

import { formatPercent } from "../core/format.js";
import type { TunedAgent, TuneSummary } from "../report/tune/tune-thresholds.js";
import { paint, printable } from "./terminal.js";

function checkLines({ check }: TunedAgent): readonly string[] {
  if (check === null) return [];
  const { units, missedUnits, recall, upperBound } = check;
  const kept = recall === null ? "no units to check on" : `recall ${formatPercent(recall)}`;
  return [
    `checked on ${units} other units: ${missedUnits} with a miss, ${kept}; at most ${formatPercent(upperBound)} miss.`,
  ];
}

/** Pairs as an option to paste, each with the threads that it was seen in. */
function keepTogetherLines({ keepTogether }: TunedAgent): readonly string[] {
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
  printable(JSON.stringify([first, then]));

function thresholdLines({ options, policy }: TunedAgent): readonly string[] {
  if (options === null) return [];
  return [
    `  confidenceThreshold: ${options.confidenceThreshold},`,
    `  rejectionThreshold: ${options.rejectionThreshold},`,
    `  maxTools: ${options.maxTools},`,
    `  onUncertain: ${JSON.stringify(policy?.onUncertain)},`,
  ];
}

function fitLines(tuned: TunedAgent): readonly string[] {
  const { options, fit, reasons, targetRecall } = tuned;
  if (options === null) return reasons.map((reason) => paint("yellow", printable(reason)));
  return [
    `fitted on ${fit.units} units for a recall of ${formatPercent(targetRecall)};`,
    ...checkLines(tuned),
  ];
}

function agentLines(tuned: TunedAgent): readonly string[] {
  const lines = [...thresholdLines(tuned), ...keepTogetherLines(tuned)];
  if (lines.length === 0) return fitLines(tuned);
  return ["createToolSelector({", ...lines, "})", "", ...fitLines(tuned)];
}

/** The lines of a tuning, without line breaks. */
export function tuneLines(summary: TuneSummary): readonly string[] {
  const agents = Object.entries(summary.agents);
  if (agents.length === 0) return agentLines(summary);
  if (agents.length === 1) return agents.flatMap(([, tuned]) => agentLines(tuned));
  return agents.flatMap(([name, tuned]) => [
    paint("bold", `agent ${printable(name)}`),
    ...agentLines(tuned),
    "",
  ]);
}
