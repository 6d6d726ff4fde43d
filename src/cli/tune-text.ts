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

function agentLines(tuned: TunedAgent): readonly string[] {
  const { options, policy, fit, reasons } = tuned;
  if (options === null) return reasons.map((reason) => paint("yellow", printable(reason)));
  return [
    "createToolSelector({",
    `  confidenceThreshold: ${options.confidenceThreshold},`,
    `  rejectionThreshold: ${options.rejectionThreshold},`,
    `  maxTools: ${options.maxTools},`,
    `  onUncertain: ${JSON.stringify(policy?.onUncertain)},`,
    "})",
    "",
    `fitted on ${fit.units} units for a recall of ${formatPercent(tuned.targetRecall)};`,
    ...checkLines(tuned),
  ];
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
