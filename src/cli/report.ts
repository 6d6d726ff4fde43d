/** `toolsieve report`: from a shadow log to a verdict, as text, JSON or a page. */

import { defineCommand } from "citty";
import type { ArgsDef } from "citty";
import { InvalidOptionsError, ToolSieveError } from "../errors.js";
import type { Prices } from "../report/saving/prices.js";
import { readRecords } from "../report/records/read-records.js";
import type { RecordLog } from "../report/records/read-records.js";
import type { SummarizeOptions } from "../report/summarize-options.js";
import { summarize } from "../report/summarize.js";
import type { ReportSummary } from "../report/summary.js";
import { readTextFile, refuseUnknown, runOrExplain } from "./command-line.js";
import { parseLabels } from "./labels.js";
import { logArguments, numberArgument, placeOf, repeated, sinceOf } from "./log-arguments.js";
import type { LogPlace } from "./log-arguments.js";
import { createProgress, readSoFar } from "./progress.js";
import { reportLines } from "./report-text.js";
import { printableJson } from "./terminal.js";
import { writeWhole } from "./write-whole.js";

const reportArguments = {
  ...logArguments,
  out: { type: "string", valueHint: "FILE", description: "Write the report as one HTML page" },
  "max-miss-rate": {
    type: "string",
    valueHint: "0.01",
    description: "Share of conversations that may miss a tool",
  },
  looks: {
    type: "string",
    valueHint: "N",
    description: "How often this gate is looked at before it is obeyed",
  },
  "expect-policy": {
    type: "string",
    valueHint: "FINGERPRINT",
    description: "Not ready if the newest records come from another policy",
  },
  critical: {
    type: "string",
    valueHint: "GLOB",
    description: "A tool that must never be hidden; may be repeated",
  },
  gate: {
    type: "string",
    valueHint: "shadow|enforced",
    description: "Shadow evidence, or enforced threads against control threads",
  },
  labels: {
    type: "string",
    valueHint: "FILE",
    description: "Task success as CSV (threadId,success), for --gate enforced",
  },
  prices: { type: "string", valueHint: "FILE", description: "Prices or price ratios as JSON" },
} as const satisfies ArgsDef;

function parsePrices(text: string): Prices {
  try {
    return JSON.parse(text) as Prices;
  } catch (cause) {
    throw new ToolSieveError("Expected prices as JSON.", { cause });
  }
}

function gateOf(text: string | undefined): "shadow" | "enforced" | undefined {
  if (text === undefined || text === "shadow" || text === "enforced") return text;
  throw new InvalidOptionsError(
    `Expected \`--gate\` to be shadow or enforced, got \`${JSON.stringify(text.slice(0, 60))}\`.`,
  );
}

async function openLog(place: LogPlace, since: Date | number | undefined): Promise<RecordLog> {
  if (place.kind === "files") return readRecords(place.paths);
  const { readPostgresRecords } = await import("../report/records/read-postgres-records.js");
  const { connectionString, table } = place;
  return readPostgresRecords({ connectionString, table }, { since });
}

async function summarizePlace(place: LogPlace, options: SummarizeOptions): Promise<ReportSummary> {
  const progress = createProgress();
  try {
    const log = await openLog(place, options.since);
    return await summarize(log, {
      ...options,
      onProgress: (records) => progress.update(readSoFar(records, log.bytesRead)),
    });
  } finally {
    progress.done();
  }
}

async function writePage(path: string, summary: ReportSummary): Promise<void> {
  const { renderReport } = await import("../report/page/render-report.js");
  await writeWhole(path, renderReport(summary));
}

/** Says whether a log is enough to enforce. Exit codes: 0 ready, 1 not ready, 3 no evidence, 2 usage or I/O error. */
export const reportCommand = defineCommand({
  meta: { name: "report", description: "What a shadow log shows: ready, not ready, no evidence" },
  args: reportArguments,
  run: ({ args, rawArgs }) =>
    runOrExplain(async () => {
      refuseUnknown(rawArgs, reportArguments);
      const summary = await summarizePlace(placeOf(args), {
        maxMissRate: numberArgument(args["max-miss-rate"], "max-miss-rate"),
        looks: numberArgument(args.looks, "looks"),
        expectPolicy: args["expect-policy"],
        critical: repeated(rawArgs, "critical"),
        since: sinceOf(args.since),
        gate: gateOf(args.gate),
        labels:
          args.labels === undefined ? undefined : await readTextFile(args.labels, parseLabels),
        prices:
          args.prices === undefined ? undefined : await readTextFile(args.prices, parsePrices),
      });
      if (args.out !== undefined) await writePage(args.out, summary);
      const text = args.json === true ? printableJson(summary) : reportLines(summary).join("\n");
      process.stdout.write(`${text}\n`);
      if (args.out !== undefined && args.json !== true) {
        process.stderr.write(`The page is in ${args.out}.\n`);
      }
      process.exitCode = summary.exitCode;
    }),
});
