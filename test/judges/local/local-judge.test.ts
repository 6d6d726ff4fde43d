import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../../../src/errors.js";
import type { JudgeContext, ToolDescription } from "../../../src/core/types.js";
import { localJudge } from "../../../src/judges/local/local-judge.js";

const tools: readonly ToolDescription[] = [
  { name: "get_weather", description: "Current weather and forecast of a city" },
  { name: "sendEmail", description: "Sends an e-mail message to a recipient" },
  {
    name: "create_invoice",
    description: "Creates an invoice for a customer",
    parameters: { type: "object", properties: { dueDate: { type: "string" } } },
  },
  { name: "git.log", description: "Lists the commits of a repository" },
];

const ask = async (
  context: string | JudgeContext,
  candidates: readonly ToolDescription[] = tools,
  judge = localJudge(),
): Promise<readonly (number | null | undefined)[]> => {
  const { probabilities } = await judge.judge(
    {
      context:
        typeof context === "string"
          ? { request: context, messages: [{ role: "user", text: context }] }
          : context,
      candidates,
    },
    { signal: new AbortController().signal },
  );
  return probabilities;
};

const best = (probabilities: readonly (number | null | undefined)[]): number =>
  probabilities.indexOf(Math.max(...probabilities.map((one) => one ?? -1)));

describe("localJudge", () => {
  it.each([
    ["What will the weather be in Oslo tomorrow?", 0],
    ["Send an email to Bob", 1],
    ["Invoice the customer for May", 2],
    ["which commits are in this repository", 3],
  ])("ranks the fitting tool first: %s", async (request, expected) => {
    expect(best(await ask(request))).toBe(expected);
  });

  it("answers one probability in [0, 1] for each candidate, in order", async () => {
    const forward = await ask("weather in Oslo");
    const backward = await ask("weather in Oslo", tools.toReversed());
    expect(forward).toHaveLength(tools.length);
    for (const one of forward) {
      expect(one).toBeGreaterThanOrEqual(0);
      expect(one).toBeLessThanOrEqual(1);
    }
    expect(backward.toReversed()).toEqual(forward);
  });

  it.each(["hello there!", "Thanks, good morning", "yes, do that", "", "🙂", "ありがとう"])(
    "abstains on every tool when the request says nothing: %j",
    async (request) => {
      expect(await ask(request)).toEqual(tools.map(() => null));
    },
  );

  it("reads earlier user messages when the last one only assents", async () => {
    const probabilities = await ask({
      request: "yes, do that",
      messages: [
        { role: "user", text: "Could you look up the weather in Oslo?" },
        { role: "assistant", text: "Shall I?" },
        { role: "user", text: "yes, do that" },
      ],
    });
    expect(best(probabilities)).toBe(0);
  });

  it("uses hints as words of the tool", async () => {
    const hinted = localJudge({ hints: { "git.log": ["who broke the build?"] } });
    expect(best(await ask("Who broke my build yesterday", tools, hinted))).toBe(3);
  });

  it("counts the group of a tool as its words", async () => {
    const search = { description: "Searches by a query" };
    const grouped = [
      { name: "search_a", group: "calendar", ...search },
      { name: "search_b", group: "invoices", ...search },
    ];
    expect(best(await ask("search my invoices for May", grouped))).toBe(1);
  });

  it("costs nothing and says so", async () => {
    const response = await localJudge().judge(
      { context: { request: "weather", messages: [] }, candidates: tools },
      { signal: new AbortController().signal },
    );
    expect(response).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 }, requests: 0 });
  });

  it("brings a cut instead of two thresholds, a cap, and the wish for whole catalogs", () => {
    const { thresholds, maxTools, scope } = localJudge();
    const { confidence = 0, rejection = 1 } = thresholds ?? {};
    expect(confidence).toBeGreaterThan(rejection);
    expect(confidence - rejection).toBeLessThan(0.01);
    expect(maxTools).toBeGreaterThan(8);
    expect(scope).toBe("catalog");
  });

  it("has another id with hints, because its answers differ", () => {
    expect(localJudge({ hints: { a: ["b"] } }).id).not.toBe(localJudge().id);
  });

  it("rejects with the reason of an aborted signal", async () => {
    const controller = new AbortController();
    controller.abort(new Error("stopped"));
    await expect(
      localJudge().judge(
        { context: { request: "weather", messages: [] }, candidates: tools },
        { signal: controller.signal },
      ),
    ).rejects.toThrow("stopped");
  });

  it.each([[{ hint: {} }], [{ hints: { a: "b" } }], [{ hints: 3 }]])(
    "refuses wrong options: %j",
    (options) => {
      expect(() => localJudge(options as never)).toThrow(InvalidOptionsError);
    },
  );

  it.each([
    ["__proto__", "constructor"],
    ["toString", "hasOwnProperty"],
  ])("survives hostile names: %s, %s", async (...names) => {
    const hostile = names.map((name) => ({ name, description: `${name} of the weather` }));
    const cyclic: Record<string, unknown> = { type: "object" };
    cyclic["properties"] = { constructor: cyclic };
    const probabilities = await ask("constructor of the weather", [
      ...hostile,
      { name: "x", description: "y", parameters: cyclic },
    ]);
    expect(probabilities).toHaveLength(3);
  });

  it("answers an empty list for no candidates", async () => {
    expect(await ask("weather", [])).toEqual([]);
  });
});
