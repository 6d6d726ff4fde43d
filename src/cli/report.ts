/** `toolsieve report`: from a shadow log to a verdict, as text, JSON or a page. */

import type { Command } from "commander";
import { ToolSieveError } from "../errors.js";
import type { Prices } from "../report/saving/prices.js";
import { summarize } from "../report/summarize.js";
import type { ReportSummary } from "../report/summary.js";
import { createCommand, printResult, readTextFile } from "./command.js";
import { parseLabels } from "./labels.js";
import { addLogOptions, readLog } from "./log-source.js";
import type { LogOptions } from "./log-source.js";
import { collect, parseChoice, parseNumber } from "./option-values.js";
import { describeReport } from "./describe-report.js";
import { formatJson } from "./terminal.js";
import { writeWhole } from "./write-whole.js";

interface ReportOptions extends LogOptions {
  readonly out?: string;
  readonly maxMissRate?: number;
  readonly looks?: number;
  readonly expectPolicy?: string;
  readonly critical?: readonly string[];
  readonly gate?: "shadow" | "enforced";
  readonly labels?: string;
  readonly prices?: string;
}

function parsePrices(text: string): Prices {
  try {
    return JSON.parse(text) as Prices;
  } catch (cause) {
    throw new ToolSieveError("Expected prices as JSON.", { cause });
  }
}

async function readIfNamed<T>(
  path: string | undefined,
  parse: (text: string) => T,
): Promise<T | undefined> {
  return path === undefined ? undefined : readTextFile(path, parse);
}

async function writePage(path: string, summary: ReportSummary): Promise<void> {
  const { renderReport } = await import("../report/page/render-report.js");
  await writeWhole(path, renderReport(summary));
}

async function report(paths: readonly string[], options: ReportOptions): Promise<void> {
  const { maxMissRate, looks, expectPolicy, critical, since, gate, out } = options;
  const labels = await readIfNamed(options.labels, parseLabels);
  const prices = await readIfNamed(options.prices, parsePrices);
  const summary = await readLog(paths, options, (log, onProgress) =>
    summarize(log, {
      maxMissRate,
      looks,
      expectPolicy,
      critical,
      since,
      gate,
      labels,
      prices,
      onProgress,
    }),
  );
  if (out !== undefined) await writePage(out, summary);
  if (options.json === true) {
    printResult(formatJson(summary));
  } else {
    printResult(describeReport(summary).join("\n"));
    if (out !== undefined) process.stderr.write(`The page is in ${out}.\n`);
  }
  process.exitCode = summary.exitCode;
}

/**
 * Reports whether a log is enough to enforce. Exit codes: 0 ready, 1 not ready, 3 no evidence, 2
 * usage or I/O error.
 */
export function createReportCommand(): Command {
  return addLogOptions(
    createCommand("report", "what a shadow log shows: ready, not ready, no evidence"),
  )
    .option("--out <FILE>", "write the report as one HTML page")
    .option(
      "--max-miss-rate <0.01>",
      "share of conversations that may miss a tool",
      parseNumber("--max-miss-rate"),
    )
    .option(
      "--looks <N>",
      "how often this gate is looked at before it is obeyed",
      parseNumber("--looks"),
    )
    .option(
      "--expect-policy <FINGERPRINT>",
      "not ready if the newest records come from another policy",
    )
    .option("--critical <GLOB>", "a tool that must never be hidden; may be repeated", collect)
    .option(
      "--gate <shadow|enforced>",
      "shadow evidence, or enforced threads against control threads",
      parseChoice("--gate", ["shadow", "enforced"]),
    )
    .option("--labels <FILE>", "task success as CSV (threadId,success), for --gate enforced")
    .option("--prices <FILE>", "prices or price ratios as JSON")
    .action(report);
}
