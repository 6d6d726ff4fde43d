/** Runs a command as the command line would, and keeps what it prints. */

import { runCommand, type ArgsDef, type CommandDef } from "citty";
import { vi } from "vitest";

export interface CommandRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command in this process; stdout and stderr are not terminals. */
export async function runToEnd<T extends ArgsDef>(
  command: CommandDef<T>,
  ...rawArgs: readonly string[]
): Promise<CommandRun> {
  let stdout = "";
  let stderr = "";
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += String(text);
      return true;
    }),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      stderr += String(text);
      return true;
    }),
  ];
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommand(command, { rawArgs: [...rawArgs] });
    return { stdout, stderr, exitCode: process.exitCode };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
