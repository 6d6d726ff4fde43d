/** `toolsieve tune`: thresholds and cap for a stated recall, as options to paste. */

import type { Command } from "commander";
import { tuneThresholds } from "../report/tune/tune-thresholds.js";
import { createCommand, printResult } from "./command.js";
import { addLogOptions, readLog } from "./log-source.js";
import type { LogOptions } from "./log-source.js";
import { parseNumber } from "./option-values.js";
import { formatJson } from "./terminal.js";
import { describeTuning } from "./describe-tuning.js";

interface TuneCommandOptions extends LogOptions {
  readonly targetRecall: number;
}

async function tune(paths: readonly string[], options: TuneCommandOptions): Promise<void> {
  const { targetRecall, since } = options;
  const summary = await readLog(paths, options, (log, onProgress) =>
    tuneThresholds(log, { targetRecall, since, onProgress }),
  );
  printResult(options.json === true ? formatJson(summary) : describeTuning(summary).join("\n"));
  process.exitCode = summary.exitCode;
}

/**
 * Finds thresholds for a recall. Exit codes: 0 tuned, 1 unreachable, 3 too little data, 2 usage or
 * I/O error.
 */
export function createTuneCommand(): Command {
  return addLogOptions(createCommand("tune", "thresholds for a stated recall, from a shadow log"))
    .option(
      "--target-recall <SHARE>",
      "share of conversations that shall miss nothing",
      parseNumber("--target-recall"),
      0.995,
    )
    .action(tune);
}
