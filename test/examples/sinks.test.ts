import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

async function runExample(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const { DATABASE_URL: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path], {
    env,
  });
  return stdout;
}

it(
  "examples/postgres-sink.ts loses nothing while its server is away",
  { timeout: 60_000 },
  async () => {
    const output = await runExample("postgres-sink.ts");
    expect(output).toContain("the server is away { written: 1, dropped: 0, failed: 0, queued: 2 }");
    expect(output).toContain("the server is back { written: 3, dropped: 0, failed: 0, queued: 0 }");
    for (const thread of ["thread-1", "thread-2", "thread-3"]) expect(output).toContain(thread);
  },
);

it(
  "examples/otel-sink.ts shows a log record and the event on the agent's span",
  { timeout: 60_000 },
  async () => {
    const output = await runExample("otel-sink.ts");
    expect(output).toContain("log record toolsieve.selection (INFO)");
    expect(output).toContain("gen_ai.conversation.id");
    expect(output).toContain("span invoke_agent support: events toolsieve.selection");
    expect(output).not.toContain("order 7");
  },
);
