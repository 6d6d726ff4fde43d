/** `toolsieve tune`: thresholds and cap for a stated recall, as options to paste. */

import { defineCommand } from "citty";
import type { ArgsDef } from "citty";
import { readRecords } from "../report/records/read-records.js";
import type { RecordSource } from "../report/summarize.js";
import { tuneThresholds } from "../report/tune/tune-thresholds.js";
import type { TunedAgent, TuneSummary } from "../report/tune/tune-thresholds.js";
import { percent } from "../report/wording.js";
import { refuseUnknown, runOrExplain } from "./command-line.js";
import { logArguments, numberArgument, placeOf, sinceOf } from "./log-arguments.js";
import type { LogPlace } from "./log-arguments.js";
import { createProgress, readSoFar } from "./progress.js";
import { paint, printable, printableJson } from "./terminal.js";

const tuneArguments = {
  ...logArguments,
  "target-recall": {
    type: "string",
    default: "0.995",
    valueHint: "0.995",
    description: "Share of conversations that shall miss nothing",
  },
} as const satisfies ArgsDef;

type CountedSource = RecordSource & { readonly bytesRead?: number };

async function openLog(place: LogPlace, since: Date | undefined): Promise<CountedSource> {
  if (place.kind === "files") return readRecords(place.paths);
  const { readPostgresRecords } = await import("../report/records/read-postgres-records.js");
  const { connectionString, table } = place;
  return readPostgresRecords(
    { connectionString, ...(table === undefined ? {} : { table }) },
    since === undefined ? undefined : { since },
  );
}

function checkText({ check }: TunedAgent): readonly string[] {
  if (check === null) return [];
  const { units, missedUnits, recall, upperBound } = check;
  const kept = recall === null ? "no units to check on" : `recall ${percent(recall)}`;
  return [
    `checked on ${units} other units: ${missedUnits} with a miss, ${kept}; at most ${percent(upperBound)} miss.`,
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
    `fitted on ${fit.units} units for a recall of ${percent(tuned.targetRecall)};`,
    ...checkText(tuned),
  ];
}

function tuneLines(summary: TuneSummary): readonly string[] {
  const agents = Object.entries(summary.agents);
  if (agents.length === 0) return agentLines(summary);
  if (agents.length === 1) return agents.flatMap(([, tuned]) => agentLines(tuned));
  return agents.flatMap(([name, tuned]) => [
    paint("bold", `agent ${printable(name)}`),
    ...agentLines(tuned),
    "",
  ]);
}

/** Finds thresholds for a recall. Exit codes: 0 tuned, 1 unreachable, 3 too little data, 2 usage or I/O error. */
export const tuneCommand = defineCommand({
  meta: { name: "tune", description: "Thresholds for a stated recall, from a shadow log" },
  args: tuneArguments,
  run: ({ args, rawArgs }) =>
    runOrExplain(async () => {
      refuseUnknown(rawArgs, tuneArguments);
      const since = sinceOf(args.since);
      const log = await openLog(placeOf(args), since);
      const progress = createProgress();
      const summary = await tuneThresholds(log, {
        targetRecall: numberArgument(args["target-recall"], "target-recall"),
        since,
        onProgress: (records) => progress.update(readSoFar(records, log.bytesRead)),
      }).finally(() => progress.done());
      const text = args.json === true ? printableJson(summary) : tuneLines(summary).join("\n");
      process.stdout.write(`${text}\n`);
      process.exitCode = summary.exitCode;
    }),
});
