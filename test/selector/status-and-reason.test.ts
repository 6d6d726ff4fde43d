/** Status and reason of a turn agree, whatever the judge said of which part of the catalog. */

import { describe, expect, it } from "vitest";
import { JudgeHttpError, JudgeResponseError, createToolSelector } from "../../src/index.js";
import type { JudgeOptions, JudgeRequest, SelectionReason } from "../../src/index.js";
import { numberedTools, turnOf } from "../support/turns.js";

type Answer = (request: JudgeRequest, options: JudgeOptions) => Promise<unknown>;

const all = (value: unknown) => (request: JudgeRequest) => request.candidates.map(() => value);
const answering =
  (value: unknown): Answer =>
  async (request) => ({ probabilities: all(value)(request) });

/** What a judge can say of one batch, and what is then true of the batch. */
const answers = {
  applicable: answering(0.95),
  rejected: answering(0.05),
  uncertain: answering(0.5),
  abstained: answering(null),
  timeout: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    }),
  error: async () => {
    throw new JudgeHttpError("down", { status: 503 });
  },
  refused: async () => {
    throw new JudgeResponseError("no", { reason: "refused" });
  },
  malformed: async () => ({}),
} as const satisfies Record<string, Answer>;

type Kind = keyof typeof answers;

const failures: ReadonlyMap<Kind, SelectionReason> = new Map([
  ["timeout", "timeout"],
  ["error", "judge-error"],
  ["refused", "refused"],
  ["malformed", "unjudged"],
]);

const kinds = Object.keys(answers) as Kind[];
const pairs = kinds.flatMap((first) => kinds.map((second) => [first, second] as const));

async function selectWith(
  first: Kind,
  second: Kind,
  onUncertain: "keep" | "fallback",
  mode: "shadow" | "enforce",
) {
  const judge = {
    id: "by-batch",
    judge: (request: JudgeRequest, options: JudgeOptions) =>
      answers[request.candidates[0]?.name === "tool_0" ? first : second](request, options) as never,
  };
  const selector = createToolSelector({ judge, mode, onUncertain, batchSize: 2, timeoutMs: 60 });
  return selector.select(turnOf(numberedTools(4)));
}

describe.each(["shadow", "enforce"] as const)("in %s", (mode) => {
  describe.each(["keep", "fallback"] as const)("with onUncertain %s", (onUncertain) => {
    it.each(pairs)("one batch %s, the other %s", async (first, second) => {
      const { status, reason, fallback, outcomes } = await selectWith(
        first,
        second,
        onUncertain,
        mode,
      );
      const reasonsOfFailure = [first, second].flatMap((kind) => failures.get(kind) ?? []);
      const verdicts = new Set(outcomes.map(({ verdict }) => verdict));
      if (verdicts.has("unjudged")) {
        expect(status).toBe("failed");
        expect(reasonsOfFailure).toContain(reason);
      } else if (["uncertain", "abstained", "not-awaited"].some((v) => verdicts.has(v as never))) {
        expect(status).toBe("uncertain");
        const doubt = verdicts.has("uncertain") ? "uncertain" : "abstained";
        expect(reason).toBe(fallback ? doubt : "selected");
      } else {
        expect(status).toBe("decided");
        expect(reason).toBe(verdicts.has("applicable") ? "selected" : "none-applicable");
      }
      const isNumberless = outcomes.every(({ probability }) => probability === null);
      expect(fallback).toBe(onUncertain === "fallback" ? status !== "decided" : isNumberless);
      expect(outcomes.every(({ kept, verdict }) => kept || verdict === "not-applicable")).toBe(
        true,
      );
    });
  });
});

it.each([
  ["timeout", "timeout"],
  ["error", "judge-error"],
  ["refused", "refused"],
  ["malformed", "unjudged"],
] as const)("a third batch that ends in %s is the reason with keep", async (kind, reason) => {
  const judge = {
    id: "by-batch",
    judge: (request: JudgeRequest, options: JudgeOptions) =>
      answers[request.candidates[0]?.name === "tool_128" ? kind : "rejected"](
        request,
        options,
      ) as never,
  };
  const selector = createToolSelector({
    judge,
    mode: "enforce",
    onUncertain: "keep",
    timeoutMs: 60,
  });
  const selection = await selector.select(turnOf(numberedTools(130)));
  expect(selection).toMatchObject({ status: "failed", reason, fallback: false });
  expect(selection.tools).toHaveLength(2);
});
