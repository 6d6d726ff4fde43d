import { describe, expect, it } from "vitest";
import { parseCases } from "../../src/evaluation/cases.js";
import { parseCatalog } from "../../src/evaluation/catalog.js";
import { judgeCases, type JudgeCasesOptions } from "../../src/evaluation/judge-cases.js";
import { ReplayMissError } from "../../src/errors.js";
import { parseRecording, replayJudge } from "../../src/evaluation/replay.js";
import { fakeJudge, type FakeJudgeOptions } from "../../src/testing/fake-judge.js";

const catalog = parseCatalog(
  Array.from({ length: 100 }, (_, index) =>
    JSON.stringify({ name: `t${index}`, description: `Thing ${index}` }),
  ).join("\n"),
);
const caseLine = (id: string, content: string, gold: readonly string[]): string =>
  JSON.stringify({ id, messages: [{ role: "user", content }], candidates: null, gold });
const run = (
  judge: FakeJudgeOptions,
  changes: Partial<JudgeCasesOptions> = {},
): { judge: ReturnType<typeof fakeJudge>; result: ReturnType<typeof judgeCases> } => {
  const fake = fakeJudge(judge);
  const result = judgeCases({
    judge: fake,
    catalog,
    cases: parseCases(
      [caseLine("1", "Do thing 3", ["t3"]), caseLine("2", "Do thing 4", ["t4"])].join("\n"),
    ),
    size: 70,
    seed: 1,
    concurrency: 1,
    signal: new AbortController().signal,
    ...changes,
  });
  return { judge: fake, result };
};

describe("judgeCases", () => {
  it("matches answers with labels by position, across batches of at most 64", async () => {
    const { judge, result } = run({ probabilities: { t3: 0.9, t4: 0.8 } });
    const { judged, cost } = await result;
    expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual([64, 6, 64, 6]);
    expect(judged.map(({ answers, needed }) => answers[needed?.indexOf(true) ?? -1])).toEqual([
      0.9, 0.8,
    ]);
    expect(cost).toEqual({ requests: 4, inputTokens: null, outputTokens: null });
  });

  it("keeps to the judge's own batch size if that is smaller", async () => {
    const { judge, result } = run({ batchSize: 32 });
    await result;
    expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual([
      32, 32, 6, 32, 32, 6,
    ]);
  });

  it.each([
    [undefined, [70, 70]],
    [50, [50, 20, 50, 20]],
  ])(
    "gives a judge of catalogs all tools at once, up to its limit of %j",
    async (batchSize, sizes) => {
      const judge = { ...fakeJudge(), batchSize, scope: "catalog" as const };
      await run({}, { judge }).result;
      expect(judge.requests.map(({ candidates }) => candidates.length)).toEqual(sizes);
    },
  );

  it.each([undefined, {}, { probabilities: [0] }, { probabilities: Array(70).fill("0") }])(
    "counts a reply of %j as a failure that leaves every tool unjudged",
    async (reply) => {
      const { judged, failures, firstFailure } = await run({ reply: () => reply }).result;
      expect(judged[0]?.answers.every((answer) => answer === undefined)).toBe(true);
      expect({ failures, firstFailure }).toEqual({
        failures: 4,
        firstFailure: "The judge's reply holds no valid answer.",
      });
    },
  );

  it("shows the judge the default window of the conversation", async () => {
    const messages = [
      { role: "system", content: "Secret rules" },
      ...Array.from({ length: 12 }, (_, index) => ({ role: "user", content: `m${index}` })),
    ];
    const cases = parseCases(
      JSON.stringify({ id: "1", messages, candidates: ["t1"], gold: ["t1"] }),
    );
    const { judge, result } = run({}, { cases, size: null });
    await result;
    expect(judge.requests[0]?.context.request).toBe("m11");
    expect(judge.requests[0]?.context.messages.map(({ text }) => text)).toEqual([
      "m4",
      "m5",
      "m6",
      "m7",
      "m8",
      "m9",
      "m10",
      "m11",
    ]);
  });

  it.each([
    { title: "throws", judge: { error: new Error("down") } },
    { title: "answers too few", judge: { reply: () => ({ probabilities: [0.5] }) } },
    { title: "answers nonsense", judge: { reply: () => ({ probabilities: "yes" }) } },
  ])("leaves tools unjudged, and counts it, when the judge $title", async ({ judge }) => {
    const { judged, failures } = await run(judge).result;
    expect(failures).toBe(4);
    expect(judged[0]?.answers).toHaveLength(70);
    expect(new Set(judged[0]?.answers)).toEqual(new Set([undefined]));
  });

  it("skips and counts what cannot be measured", async () => {
    const cases = parseCases(
      [
        caseLine("1", "  ", ["t3"]),
        JSON.stringify({
          id: "2",
          messages: [{ role: "user", content: "x" }],
          candidates: [],
          gold: [],
        }),
        caseLine("3", "Do thing 3", ["t3"]),
      ].join("\n"),
    );
    const { judged, skipped } = await run({}, { cases }).result;
    expect(skipped).toBe(2);
    expect(judged.map(({ id }) => id)).toEqual(["3"]);
  });

  it("sums the usage that the judge reports", async () => {
    const { cost } = await run({
      response: { requests: 2, usage: { inputTokens: 7, outputTokens: 1 } },
    }).result;
    expect(cost).toEqual({ requests: 8, inputTokens: 28, outputTokens: 4 });
  });

  it("stops when the signal aborts", async () => {
    const controller = new AbortController();
    const { judge, result } = run({ hang: true }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("stopped")), 5);
    await expect(result).rejects.toThrow("stopped");
    expect(judge.requests).toHaveLength(1);
  });

  it("stops at a request that a recording does not hold, instead of counting a failure", async () => {
    const judge = replayJudge(parseRecording('{"v":1,"judge":"paid"}'));
    await expect(run({}, { judge }).result).rejects.toThrow(ReplayMissError);
  });
});
