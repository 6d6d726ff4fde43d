/** Commands: strict arguments; a wrong one is one line on stderr and exit code 2. */

import { readFile } from "node:fs/promises";
import { Command, CommanderError } from "commander";
import { readErrorCode } from "../core/error-code.js";
import { ToolSieveError } from "../errors.js";
import { makePrintable, paint } from "./terminal.js";

/** Exit code for a command line or a file that cannot be used. */
export const usageError = 2;

/** The errors of commander in the words of ours. */
function reword(text: string): string {
  return text
    .trim()
    .replaceAll("\n", " ")
    .replace(/^error: /, "")
    .replace(/^unknown option '(.*?)'/, "There is no option `$1`; see --help.");
}

function printError(message: string): void {
  process.stderr.write(`${paint("red", "error", process.stderr)} ${makePrintable(message)}\n`);
}

/** A command that never ends the process by itself. */
export function createCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({ outputError: (text) => printError(reword(text)) });
}

/** Runs a command. Wrong input is one line on stderr and exit code 2; bugs are thrown. */
export async function runCommand(command: Command, args: readonly string[]): Promise<void> {
  try {
    await command.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) process.exitCode = usageError;
      return;
    }
    if (!ToolSieveError.isInstance(error)) throw error;
    printError(error.message);
    process.exitCode = usageError;
  }
}

/** The system's code of a failed file operation, such as `ENOENT`. */
export function describeFileError(error: unknown): string {
  return readErrorCode(error) ?? "unknown error";
}

/**
 * Reads a text file and parses it; a failure names the file.
 *
 * @throws {ToolSieveError}
 */
export async function readTextFile<T>(path: string, parse: (text: string) => T): Promise<T> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ToolSieveError(`Cannot read ${path}: ${describeFileError(cause)}.`, { cause });
  }
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    if (ToolSieveError.isInstance(cause)) {
      throw new ToolSieveError(`${path}: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

/** Prints a result for people or programs. */
export function printResult(text: string): void {
  process.stdout.write(`${text}\n`);
}
