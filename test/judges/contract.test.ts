import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caching } from "../../src/judges/wrappers/caching.js";
import { calibrated } from "../../src/judges/wrappers/calibrated.js";
import { cascading } from "../../src/judges/wrappers/cascading.js";
import { circuitBreaking } from "../../src/judges/wrappers/circuit-breaking.js";
import { localJudge } from "../../src/index.js";
import { jevJudge } from "../../src/jev.js";
import { chatModelJudge, decisionModelJudge, type DecisionModel } from "../../src/models.js";
import { openaiJudge, type OpenAIJudgeOptions } from "../../src/openai.js";
import { retrying } from "../../src/judges/wrappers/retrying.js";
import type { Judge } from "../../src/core/types.js";
import { describeJudgeContract } from "../../src/testing/describe-judge-contract.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { recordingChatModel } from "../../src/testing/recording-chat-model.js";
import { subpaths } from "../package/subpaths.js";
import {
  createHostileServer,
  type HostileServer,
  type RecordedRequest,
  type Reply,
} from "../support/hostile-server.js";
import { answerJev } from "../support/jev-service.js";
import { answerCompletions, answerDecisions } from "../support/openai-service.js";

/** The service of every remote judge, told apart by path. */
function answerService(request: RecordedRequest): Reply {
  if (request.path === "/v1/systemone") return answerJev("query_order")(request);
  if (request.path === "/v1/decisions") return answerDecisions(request);
  return answerCompletions(request);
}

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
  server.play(answerService);
});
afterAll(() => server.close());

const openai = (options: Partial<OpenAIJudgeOptions> = {}): Judge =>
  openaiJudge({ baseURL: `${server.url}/v1`, model: "m-1", ...options });
const fit = { method: "platt", slope: 0.5, intercept: 0 } as const;
const limits = { rejectBelow: 0.1, acceptAbove: 0.9 };
/** A judge that takes a moment, so that an abort can meet it under way. */
const slow = (): Judge => fakeJudge({ otherwise: 0.5, delayMs: 1 });
/** A judge without any answer, so that a cascade says what the other one says. */
const unjudging: Judge = fakeJudge({ id: "unjudging", otherwise: undefined });

const decisionModel: DecisionModel = {
  invoke: async ({ questions }) => ({
    answers: Object.fromEntries(
      Object.keys(questions).map((id) => [id, { type: "noul", noul: 0.4 }]),
    ),
  }),
};
const chatModel = recordingChatModel({
  replies: ({ messages }) => {
    const lines = messages[0]?.text.split("Tools:\n")[1]?.split("\n") ?? [];
    const answers = lines.map((_, index) => ({ number: index + 1, probability: 0.5 }));
    return { toolCalls: [{ name: "tool_answers", args: { answers } }] };
  },
});

type Row = readonly [create: () => Judge, wrap?: (judge: Judge) => Judge];

/** One row per judge and wrapper; a wrapper also wraps a judge of the suite's own. */
const rows: Readonly<Record<string, Row>> = {
  localJudge: [() => localJudge()],
  jevJudge: [() => jevJudge({ baseURL: server.url })],
  "jevJudge, raw": [() => jevJudge({ baseURL: server.url, raw: true })],
  openaiJudge: [() => openai()],
  "openaiJudge, raw": [() => openai({ raw: true })],
  "openaiJudge by decisions": [() => openai({ method: "decisions" })],
  decisionModelJudge: [() => decisionModelJudge(decisionModel)],
  chatModelJudge: [() => chatModelJudge(chatModel)],
  retrying: [() => retrying(slow()), (judge) => retrying(judge)],
  circuitBreaking: [() => circuitBreaking(slow()), (judge) => circuitBreaking(judge)],
  caching: [() => caching(slow()), (judge) => caching(judge)],
  calibrated: [() => calibrated(slow(), fit), (judge) => calibrated(judge, fit)],
  "cascading, as the first": [
    () => cascading(slow(), slow(), limits),
    (judge) => cascading(judge, unjudging),
  ],
  "cascading, as the second": [
    () => cascading(slow(), slow()),
    (judge) => cascading(unjudging, judge),
  ],
  "cascading(localJudge(), jevJudge())": [
    () => cascading(localJudge(), jevJudge({ baseURL: server.url })),
  ],
  "all wrappers": [
    () =>
      cascading(
        calibrated(caching(circuitBreaking(retrying(slow()))), fit),
        caching(jevJudge({ baseURL: server.url })),
        limits,
      ),
    (judge) => calibrated(caching(circuitBreaking(retrying(judge))), fit),
  ],
  "a wrapped function": [() => circuitBreaking(({ candidates }) => candidates.map(() => 0.5))],
};

for (const [name, [createJudge, wrap]] of Object.entries(rows)) {
  describeJudgeContract(name, { createJudge, wrap, runner: { describe, it } });
}

/** The judge factories that the entries of the package export. */
async function listJudges(): Promise<readonly string[]> {
  const entries = ["index", ...subpaths.filter((path) => !/evaluation|testing/.test(path))];
  const modules = await Promise.all(
    entries.map((path) => {
      const entry = new URL(`../../src/${path}.ts`, import.meta.url);
      return import(entry.href) as Promise<object>;
    }),
  );
  return modules.flatMap((module) => Object.keys(module).filter((name) => name.endsWith("Judge")));
}

describe("every judge that an entry exports", () => {
  it("has a row here", async () => {
    const judges = await listJudges();
    expect(judges).toContain("jevJudge");
    expect(judges.filter((name) => !(name in rows))).toEqual([]);
  });

  it("has a row in the table of docs/judges.md", async () => {
    const page = await readFile(new URL("../../docs/judges.md", import.meta.url), "utf8");
    const isMissing = (name: string): boolean => !page.includes(`| \`${name}(`);
    expect((await listJudges()).filter(isMissing)).toEqual([]);
  });
});

describe("describeJudgeContract", () => {
  /** Runs the tests with this in their title by hand, and gives back the titles that failed. */
  async function failures(
    judge: Judge,
    part: string,
    wrap?: (judge: Judge) => Judge,
  ): Promise<readonly string[]> {
    const tests: (readonly [string, () => Promise<void>])[] = [];
    describeJudgeContract("judge", {
      createJudge: () => judge,
      wrap,
      abortWithinMs: 50,
      runner: {
        describe: (_, body) => body(),
        it: (title, body) => title.includes(part) && tests.push([title, body]),
      },
    });
    const failed: string[] = [];
    for (const [title, body] of tests) await body().catch(() => failed.push(title));
    return failed;
  }

  it.each<[string, Judge, string]>([
    ["no id", { ...slow(), id: "" }, "says who it is"],
    ["a batch size of 0", { ...slow(), batchSize: 0 }, "says who it is"],
    ["a cap of half a tool", { ...slow(), maxTools: 0.5 }, "says who it is"],
    ["an unknown scope", { ...slow(), scope: "all" as "tool" }, "says who it is"],
    [
      "thresholds in the wrong order",
      { ...slow(), thresholds: { confidence: 0.1, rejection: 0.9 } },
      "says who it is",
    ],
    [
      "one answer too few",
      fakeJudge({
        reply: ({ candidates }) => ({ probabilities: candidates.slice(1).map(() => 0) }),
      }),
      "answers once per candidate",
    ],
    ["answers out of range", fakeJudge({ otherwise: 2 }), "answers once per candidate"],
    [
      "answers by name",
      fakeJudge({
        reply: ({ candidates }) => ({
          probabilities: [...new Set(candidates.map(({ name }) => name))].map(() => 0),
        }),
      }),
      "duplicates included",
    ],
    [
      "a crash on a schema",
      fakeJudge({
        reply: ({ candidates }) => ({
          probabilities: candidates.map(({ parameters }) =>
            JSON.stringify(parameters) === "" ? 1 : 0,
          ),
        }),
      }),
      "cannot be serialised",
    ],
    [
      "a changed request",
      fakeJudge({
        reply: ({ candidates }) => ({
          probabilities: candidates.map((tool) => Object.assign(tool, { description: "" }) && 0),
        }),
      }),
      "leaves the request as it is",
    ],
    [
      "no end after an abort",
      fakeJudge({ hang: true, ignoreSignal: true }),
      "aborts during the call",
    ],
    ["no look at the signal", fakeJudge(), "has aborted before"],
  ])("fails a judge with %s", async (_, judge, title) => {
    expect(await failures(fakeJudge({ delayMs: 1 }), title)).toEqual([]);
    expect(await failures(judge, title)).toHaveLength(1);
  });

  it.each<[string, (judge: Judge) => Judge, string]>([
    [
      "loses scope, cap and preparation",
      (judge) => ({ id: judge.id, judge: (request, options) => judge.judge(request, options) }),
      "carries the limits of the wrapped judge through",
    ],
    [
      "takes the method off its object",
      (inner) => ({ ...inner, judge: (...call) => inner.judge.apply(undefined, call) }),
      "an object with state",
    ],
    [
      "passes a malformed reply on",
      (judge) => ({ id: judge.id, judge: (request, options) => judge.judge(request, options) }),
      "leaves malformed replies",
    ],
  ])("fails a wrapper that %s", async (_, wrap, title) => {
    expect(await failures(fakeJudge(), title, (judge) => retrying(judge))).toEqual([]);
    expect(await failures(fakeJudge(), title, wrap)).toHaveLength(1);
  });

  it("needs the functions of a test runner", () => {
    expect(() => describeJudgeContract("x", { createJudge: slow })).toThrow("`runner`");
  });
});
