import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it.each([
  ["openai-judge.ts", "asking a stand-in on this machine", "openai:gpt-4.1-mini"],
  ["chat-model-judge.ts", "asking a stand-in for a chat model", "chat-model:ScriptedChatModel"],
  ["decision-model-judge.ts", "asking a stand-in for a decision model", "decision-model:stand-in"],
  ["function-judge.ts", "asking a function, a stand-in", "function:compareWords"],
])(
  "examples/%s runs without a key, and says what it asks",
  { timeout: 60_000 },
  async (name, title, id) => {
    const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    const { OPENAI_API_KEY: _, OPENAI_JUDGE_URL: __, TYPESAFE_API_KEY: ___, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path], {
      env,
    });
    expect(stdout).toContain(title);
    expect(stdout).toMatch(/order A1001\?" → the model is offered: query_order$/m);
    expect(stdout).toContain('"Say hello." → the model is offered: no tool');
    expect(stdout).toContain(
      `selected, by ${id} in 1 request(s): query_order 0.97, refund 0.03, weather 0.03`,
    );
  },
);
