import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../../src/errors.js";
import { parseCases } from "../../src/evaluation/cases.js";
import { parseCatalog } from "../../src/evaluation/catalog.js";
import { evaluate, type EvaluateOptions, type Evaluation } from "../../src/evaluation/evaluate.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";

const names = Array.from({ length: 80 }, (_, index) => `t${index}`);
const catalog = parseCatalog(
  names.map((name) => JSON.stringify({ name, description: name })).join("\n"),
);

const line = (
  id: string,
  set: string,
  gold: readonly string[],
  candidates: readonly string[] | null,
): string =>
  JSON.stringify({
    id,
    set,
    messages: [{ role: "user", content: `need ${gold.join()}` }],
    candidates,
    gold,
  });
const cases = parseCases(
  [
    line("1", "some", ["t1"], ["t1", "t2"]),
    line("2", "some", ["t3"], ["t3", "t2"]),
    line("3", "none", [], ["t2", "t4"]),
    line("4", "whole", ["t5"], null),
  ].join("\n"),
);
/** Sees the tool that the request names, misses t3, and thinks of t4 now and then. */
const judge = fakeJudge({
  reply: ({ context, candidates }) => ({
    probabilities: candidates.map(({ name }) =>
      name === "t3" ? 0.1 : name === "t4" ? 0.4 : context.request.includes(name) ? 0.95 : 0.02,
    ),
  }),
});
const run = (changes: Partial<EvaluateOptions> = {}): Promise<Evaluation> =>
  evaluate({ judge, catalog, cases, ...changes });

describe("evaluate", () => {
  it("measures by set and over all, at the judge's thresholds or 0.8 and 0.2", async () => {
    const { sets, thresholds } = await run();
    expect(thresholds).toEqual({ confidence: 0.8, rejection: 0.2 });
    expect(
      sets.map(({ set, cases, policies }) => [set, cases, policies.keep.recallPerCase?.value]),
    ).toEqual([
      ["some", 2, 0.5],
      ["none", 1, undefined],
      ["whole", 1, 1],
      [null, 4, 2 / 3],
    ]);
  });

  it("tells none by each case's own candidates, against all that need a tool and name their candidates", async () => {
    const { sets } = await run();
    const areas = sets.map(({ set, noneDetection }) => [
      set,
      noneDetection?.value,
      noneDetection?.cases,
    ]);
    expect(areas).toEqual([
      ["some", undefined, undefined],
      ["none", 0.5, 3],
      ["whole", undefined, undefined],
      [null, 0.5, 3],
    ]);
  });

  it("tells none with and without the cases that the judge abstains on", async () => {
    const shy = fakeJudge({
      reply: ({ context, candidates }) => ({
        probabilities: candidates.map(({ name }) =>
          context.request === "need " ? null : context.request.includes(name) ? 0.9 : 0.1,
        ),
      }),
    });
    const seen = parseCases(
      [line("1", "s", ["t1"], ["t1"]), line("2", "s", [], ["t2"])]
        .concat(line("3", "s", [], ["t4"]).replace('"need "', '"else"'))
        .join("\n"),
    );
    const all = (await run({ judge: shy, cases: seen })).sets.at(-1);
    expect(all?.noneDetection).toMatchObject({ value: 0.5, cases: 3 });
    expect(all?.noneDetectionAnswered).toMatchObject({ value: 1, cases: 2 });
  });

  it("hides at the default only where nothing is in doubt", async () => {
    const { sets } = await run({ catalogSize: 80 });
    const all = sets.at(-1)?.policies;
    expect(all?.keep.hidden?.value).toBeGreaterThan(0.9);
    expect(all?.default.fallbacks?.value).toBe(1);
    expect(all?.default.hidden?.value).toBe(0);
  });

  it("counts failures and says what the first was, without a foreign message", async () => {
    const failing = fakeJudge({ error: new TypeError("secret prompt") });
    expect(await run({ judge: failing })).toMatchObject({ failures: 7, firstFailure: "TypeError" });
  });

  it("takes a function for a judge, and reports progress over both passes", async () => {
    const progress: (readonly [number, number])[] = [];
    const evaluation = await run({
      judge: ({ candidates }) => candidates.map(() => 0.5),
      onProgress: (done, total) => progress.push([done, total]),
    });
    expect(evaluation.judge).toBe("function");
    expect(progress.at(-1)).toEqual([7, 7]);
  });

  it("is the same on every run", async () => {
    expect(await run()).toEqual(await run());
  });

  it("shows the judge what the context strategy says", async () => {
    const talk = parseCases(
      JSON.stringify({
        id: "1",
        turns: [
          { user: "a", gold: ["t1"] },
          { user: "b", gold: ["t2"] },
        ],
      }),
    );
    const seen = fakeJudge();
    await run({
      judge: seen,
      cases: talk,
      context: { strategy: "latest-user-message" },
      concurrency: 1,
    });
    const texts = seen.requests.map(({ context }) =>
      context.messages.map(({ text }) => text).join(),
    );
    expect(new Set(texts)).toEqual(new Set(["a", "b"]));
  });

  it.each([
    {
      changes: { catalogSize: 0 },
      message: "Expected `catalogSize` to be an integer from 1, got `0` (number).",
    },
    {
      changes: { judge: {} },
      message: "Expected `judge` to be a judge ({ id, judge }) or a function",
    },
    {
      changes: { cases: "cases.jsonl" },
      message: "Expected `cases` to be cases, as `parseCases` gives",
    },
    { changes: { catalogsize: 8 }, message: "evaluate has no option `catalogsize`." },
  ])("refuses $changes", async ({ changes, message }) => {
    const evaluation = run(changes as never);
    await expect(evaluation).rejects.toBeInstanceOf(InvalidOptionsError);
    await expect(evaluation).rejects.toThrow(message);
  });
});
