/** Where `report` and `tune` read records from, and since when. */

import type { Command } from "commander";
import { InvalidOptionsError } from "../errors.js";
import { readRecords } from "../report/records/read-records.js";
import type { RecordLog } from "../report/records/read-records.js";
import { parseSince } from "./option-values.js";
import { createProgress, describeProgress } from "./progress.js";

/** Options of every command that reads a log. */
export interface LogOptions {
  readonly postgres?: string;
  readonly table?: string;
  readonly since?: Date;
  readonly json?: true;
}

/** Adds the log and its options to a command. */
export function addLogOptions(command: Command): Command {
  return command
    .argument("[LOG...]", "JSONL files or globs, packed or not; - for standard input")
    .option("--postgres <URL>", "read records from Postgres instead (needs the package pg)")
    .option("--table <NAME>", "table with the records")
    .option(
      "--since <24h>",
      "count records of the last 30m, 24h, 7d, or since a date (ISO 8601)",
      parseSince("--since"),
    )
    .option("--json", "print JSON");
}

/** Opens the one source that the command line names: files, or a database. */
async function openLog(
  paths: readonly string[],
  { postgres, table, since }: LogOptions,
): Promise<RecordLog> {
  if (postgres !== undefined && paths.length > 0) {
    throw new InvalidOptionsError("Expected files or `--postgres`, got both.");
  }
  if (postgres !== undefined) {
    const { readPostgresRecords } = await import("../report/records/read-postgres-records.js");
    return readPostgresRecords({ connectionString: postgres, table }, { since });
  }
  if (table !== undefined) {
    throw new InvalidOptionsError("Expected `--table` together with `--postgres`.");
  }
  if (paths.length > 0) return readRecords(paths);
  throw new InvalidOptionsError(
    "Expected a log: files, globs, - for standard input, or --postgres URL.",
  );
}

/** Reads the log that the command line names; how far it is appears on stderr. */
export async function readLog<Result>(
  paths: readonly string[],
  options: LogOptions,
  read: (log: RecordLog, onProgress: (records: number) => void) => Promise<Result>,
): Promise<Result> {
  const log = await openLog(paths, options);
  const progress = createProgress();
  try {
    return await read(log, (records) => progress.update(describeProgress(records, log.bytesRead)));
  } finally {
    progress.done();
  }
}
