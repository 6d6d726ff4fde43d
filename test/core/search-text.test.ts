import { describe, expect, it } from "vitest";
import { readSearchText } from "../../src/core/search-text.js";
import type { JudgeMessage } from "../../src/core/types.js";

const user: JudgeMessage = { role: "user", text: "Where is my order?" };
const old: JudgeMessage = { role: "tool", text: "an old result" };
const result: JudgeMessage = { role: "tool", text: "Order 7 needs a customs form." };
const answer: JudgeMessage = { role: "assistant", text: "Let me look." };

describe("readSearchText", () => {
  it.each<[string, string, readonly JudgeMessage[], string | null]>([
    ["the request", user.text, [user], user.text],
    ["the request alone at the first step, not older results", user.text, [old, user], user.text],
    [
      "the results of the loop too, on its later steps",
      user.text,
      [old, user, answer, result],
      `${user.text}\n${result.text}`,
    ],
    ["the results where the request has no text", " ", [user, result], result.text],
    ["nothing where there is nothing", "", [{ role: "tool", text: "  " }], null],
  ])("gives %s", (_, request, messages, expected) => {
    expect(readSearchText({ request, messages })).toBe(expected);
  });

  it("is bounded", () => {
    expect(readSearchText({ request: "x".repeat(50_000), messages: [] })).toHaveLength(8000);
  });
});
