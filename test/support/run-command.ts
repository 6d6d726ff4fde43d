/** Runs a command as the command line would, and keeps what it prints. */

import type { Command } from "commander";
import { vi } from "vitest";
import { runCommand } from "../../src/cli/command.js";

export interface CommandRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command in this process; stdout and stderr are not terminals. */
export async function runToEnd(
  createCommand: () => Command,
  ...args: readonly string[]
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
    await runCommand(createCommand(), args);
    return { stdout, stderr, exitCode: process.exitCode };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
