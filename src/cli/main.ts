#!/usr/bin/env node
/** The command `toolsieve`: evidence, tuning and trials. Each command is loaded when it is called. */

import { readFile } from "node:fs/promises";
import { inspect, stripVTControlCharacters } from "node:util";
import { renderUsage, runCommand } from "citty";
import type { ArgsDef, CommandDef } from "citty";
import { errorCode, usageError } from "./command-line.js";

const meta = {
  name: "toolsieve",
  description: "Filters an agent's tools before every model turn, and shows what that would do",
};

interface Command {
  readonly summary: string;
  readonly usage: () => Promise<string>;
  readonly run: (rawArgs: string[]) => Promise<void>;
}

function lazy<T extends ArgsDef>(summary: string, load: () => Promise<CommandDef<T>>): Command {
  return {
    summary,
    usage: async () => {
      const text = await renderUsage(await load(), { meta });
      return process.stdout.isTTY ? text : stripVTControlCharacters(text);
    },
    run: async (rawArgs) => {
      await runCommand(await load(), { rawArgs });
    },
  };
}

const commands: ReadonlyMap<string, Command> = new Map([
  [
    "report",
    lazy("what a shadow log shows: ready, not ready, no evidence", async () => {
      const { reportCommand } = await import("./report.js");
      return reportCommand;
    }),
  ],
  [
    "tune",
    lazy("thresholds for a stated recall, from a shadow log", async () => {
      const { tuneCommand } = await import("./tune.js");
      return tuneCommand;
    }),
  ],
  [
    "try",
    lazy("a catalog and a request in, the selection out", async () => {
      const { tryCommand } = await import("./try.js");
      return tryCommand;
    }),
  ],
  [
    "eval",
    lazy("a judge on labelled cases", async () => {
      const { evalCommand } = await import("./eval.js");
      return evalCommand;
    }),
  ],
]);

async function versionText(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return String(Reflect.get(JSON.parse(text) as object, "version"));
}

function overview(): string {
  const rows = [...commands].map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`);
  return [
    `${meta.description}.`,
    "",
    `Usage: ${meta.name} <command> [options]`,
    "",
    ...rows,
    "",
    `${meta.name} <command> --help says more.`,
  ].join("\n");
}

/** Whether one of these flags is given; what follows `--` is no flag. */
function isAsked(args: readonly string[], ...flags: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).some((arg) => flags.includes(arg));
}

function refuse(problem: string): void {
  process.stderr.write(`${overview()}\n\n${problem}\n`);
  process.exitCode = usageError;
}

async function run([name, ...rest]: readonly string[]): Promise<void> {
  const command = commands.get(name ?? "");
  if (command !== undefined) {
    if (isAsked(rest, "--help", "-h")) process.stdout.write(`${await command.usage()}\n`);
    else await command.run(rest);
  } else if (name === "--version" || name === "-v") {
    process.stdout.write(`${await versionText()}\n`);
  } else if (name === "--help" || name === "-h") {
    process.stdout.write(`${overview()}\n`);
  } else {
    refuse(
      name === undefined ? "Expected a command." : `There is no command ${JSON.stringify(name)}.`,
    );
  }
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader went away, as `head` does: there is nobody to tell.
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error Cannot write to standard output: ${errorCode(error)}.\n`);
  process.exit(usageError);
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  // A bug keeps its stack, but not the exit code 1, which is a verdict.
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = usageError;
}
