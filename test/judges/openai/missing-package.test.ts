import { expect, it, vi } from "vitest";
import { openaiJudge } from "../../../src/openai.js";
import { judgeTurn, toolNames, watchForLeaks } from "../../support/judge-turn.js";

vi.mock("openai", () => {
  throw new Error("Cannot find package 'openai'");
});
watchForLeaks();

it("says what to install where the package is missing, and the turn goes on", async () => {
  const warn = vi.fn<(message: string) => void>();
  const judge = openaiJudge({ baseURL: "http://127.0.0.1:9/v1", model: "m-1", logger: { warn } });
  const turn = await judgeTurn(judge, { selector: { timeoutMs: 5000 } });
  expect(turn.offered).toEqual(toolNames);
  expect(turn.record).toMatchObject({ reason: "judge-error", fallback: true });
  expect(warn.mock.calls).toEqual([[expect.stringContaining("npm install openai")]]);
});
