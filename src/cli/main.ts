#!/usr/bin/env node
/** The command `toolsieve`: evidence, tuning and trials. */

import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { createCommand, describeFileError, runCommand, usageError } from "./command.js";
import { createEvalCommand } from "./eval.js";
import { createReportCommand } from "./report.js";
import { createTryCommand } from "./try.js";
import { createTuneCommand } from "./tune.js";

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String(Reflect.get(JSON.parse(text) as object, "version"));
}

const program = createCommand(
  "toolsieve",
  "Filters an agent's tools before every model turn, and shows what that would do.",
)
  .usage("<command> [options]")
  .version(readVersion(), "-v, --version")
  .helpCommand(false)
  .argument("[name]")
  .action((name?: string) => {
    program.outputHelp({ error: true });
    program.error(
      name === undefined ? "Expected a command." : `There is no command ${JSON.stringify(name)}.`,
    );
  });

for (const create of [
  createReportCommand,
  createTuneCommand,
  createTryCommand,
  createEvalCommand,
]) {
  program.addCommand(create());
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader went away, as `head` does: there is nobody to tell.
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error Cannot write to standard output: ${describeFileError(error)}.\n`);
  process.exit(usageError);
});

try {
  await runCommand(program, process.argv.slice(2));
} catch (error) {
  // A bug keeps its stack, but not the exit code 1, which is a verdict.
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = usageError;
}
