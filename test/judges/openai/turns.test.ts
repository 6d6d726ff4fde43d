import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openaiJudge, type OpenAIJudgeOptions } from "../../../src/openai.js";
import { namedTools } from "../../adapters/support.js";
import { hostileReplies } from "../../support/hostile-replies.js";
import {
  createHostileServer,
  type HostileServer,
  type RecordedRequest,
  type Reply,
} from "../../support/hostile-server.js";
import { judgeTurn, toolNames, watchForLeaks } from "../../support/judge-turn.js";
import { answerTokens, completion, textCompletion, token } from "./completions.js";

/** Fits a key as well. */
const canary = "CANARY-7f3a";

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());
watchForLeaks();

const judge = (options: Partial<OpenAIJudgeOptions> = {}) =>
  openaiJudge({ baseURL: `${server.url}/v1`, model: "m-1", retry: { baseDelayMs: 1 }, ...options });

const reply = (over: Record<string, unknown> = {}): Reply => ({
  json: completion(answerTokens([0.97, 0.03, 0.02]), over),
});
const content = (text: unknown): Reply => ({ json: textCompletion(text) });

/** Enough on a busy machine, where the answer is not about time. */
const patient = { selector: { timeoutMs: 5000 } };

describe("a turn of a real agent", () => {
  it("offers what the judge finds applicable", async () => {
    server.play(reply());
    const turn = await judgeTurn(judge(), patient);
    expect(turn.offered).toEqual(["query_order"]);
    expect(turn.record).toMatchObject({
      status: "decided",
      reason: "selected",
      judge: {
        id: "openai:m-1",
        model: "stand-in-1",
        requests: 1,
        usage: { inputTokens: 100, cachedInputTokens: 64 },
      },
    });
  });

  const uncertainMass = completion([
    token('{"answers":"1', 1),
    token("Y", 0.99, { N: 0.01 }),
    token(" 2", 1),
    token("N", 0.05, { Y: 0.02, The: 0.9 }),
    token(" 3", 1),
    token("N", 0.99, { Y: 0.01 }),
    token('"}', 1),
  ]);

  it.each([
    ["unjudged", "too few marks", { json: completion(answerTokens([0.9, 0.1])) }],
    ["unjudged", "too many marks", { json: completion(answerTokens([0.9, 0.1, 0.1, 0.1])) }],
    ["unjudged", "no logprobs", reply({ logprobs: null })],
    ["unjudged", "a little mass on yes and no", { json: uncertainMass }],
    ["unjudged", "an answer cut at the limit", reply({ finish_reason: "length" })],
    ["unjudged", "null content", content(null)],
    ["unjudged", "a fence with torn JSON", content('```json\n{"answers":"1N 2N')],
    ["unjudged", "an unclosed think block", content('<think>so {"answers":"1N 2N 3N"}')],
    ["refused", "a content filter", reply({ finish_reason: "content_filter" })],
    ["refused", "a refusal", reply({ message: { content: null, refusal: canary } })],
    ["judge-error", "500", { status: 500, json: { error: { message: canary } } }],
    [
      "judge-error",
      "a refused model",
      { status: 404, json: { error: { code: "model_not_found", message: canary } } },
    ],
  ] satisfies [string, string, Reply][])(
    "keeps every tool, for the reason `%s`: %s",
    async (reason, _case, script) => {
      server.play(script);
      const turn = await judgeTurn(judge(), patient);
      expect(turn.text).toBe("done");
      expect(turn.offered).toEqual(toolNames);
      expect(turn.record).toMatchObject({ status: "failed", fallback: true, reason });
      expect(JSON.stringify(turn.record)).not.toContain(canary);
    },
  );

  it.each(hostileReplies)(
    "keeps every tool and says why on %s",
    async (_case, answer, { reason, ...error }) => {
      server.play(answer);
      const { text, offered, record } = await judgeTurn(
        judge(),
        reason === "timeout" ? {} : patient,
      );
      expect(text).toBe("done");
      expect(offered).toEqual(toolNames);
      expect(record).toMatchObject({ status: "failed", reason, fallback: true, error });
      if (reason === "timeout") await server.until(() => server.requests[0]?.hungUp === true);
    },
  );

  it("reads marks in a code fence", async () => {
    server.play({
      json: completion([
        token("```json\n", 1),
        ...answerTokens([0.97, 0.03, 0.02]),
        token("\n```", 1),
      ]),
    });
    expect((await judgeTurn(judge(), patient)).offered).toEqual(["query_order"]);
  });

  it("keeps what one refusal of the Decisions endpoint leaves open, and nothing else", async () => {
    const answers = [
      { type: "predicate", probability: 0.97 },
      { type: "refusal" },
      { type: "predicate", probability: 0.02 },
    ];
    server.play({ json: { answers } });
    const turn = await judgeTurn(judge({ method: "decisions" }), {
      selector: { timeoutMs: 5000, onUncertain: "keep" },
    });
    expect(turn.offered).toEqual(["query_order", "refund"]);
    expect(turn.record).toMatchObject({ status: "failed", error: { kind: "refused" } });
  });

  it("never fails for a missing package or a broken client", async () => {
    const client = {
      chat: {
        completions: {
          create: () => {
            throw new TypeError(canary);
          },
        },
      },
    };
    const turn = await judgeTurn(judge({ client }), patient);
    expect(turn.offered).toEqual(toolNames);
    expect(turn.record.reason).toBe("judge-error");
  });
});

describe("the budget", () => {
  it.each([
    ["before-headers", { ...reply(), stall: "before-headers" }],
    ["mid-body", { ...reply(), stall: "mid-body" }],
    ["a byte at a time", { ...reply(), dripMs: 50 }],
  ] satisfies [string, Reply][])(
    "holds against a server that stalls: %s",
    async (_case, script) => {
      server.play(script);
      const turn = await judgeTurn(judge(), { selector: { timeoutMs: 250 } });
      expect(turn.record).toMatchObject({ reason: "timeout", fallback: true });
      expect(turn.record.judge?.latencyMs).toBeLessThan(300 + 200);
      expect(turn.offered).toEqual(toolNames);
      await server.until(() => server.requests[0]?.hungUp === true);
    },
  );

  it("ends with the caller's abort, at once, and closes the connection", async () => {
    server.play({ ...reply(), stall: "before-headers" });
    const controller = new AbortController();
    const turn = judgeTurn(judge(), { selector: { timeoutMs: 5000 }, signal: controller.signal });
    turn.catch(() => {});
    await server.until(() => server.requests.length === 1);
    const start = performance.now();
    controller.abort(new Error("called off"));
    await expect(turn).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(1000);
    await server.until(() => server.requests[0]?.hungUp === true);
  });
});

describe("a thousand tools", () => {
  const many = Array.from({ length: 1000 }, (_, index) => `tool_${index}`);
  const answerBatch =
    (delayMs: number) =>
    (request: RecordedRequest): Reply => {
      const { messages } = request.body as { messages: readonly { content: string }[] };
      const count = messages[0]?.content.split("Tools:\n")[1]?.split("\n").length ?? 0;
      return { json: completion(answerTokens(Array.from({ length: count }, () => 0.01))), delayMs };
    };

  it.each([
    ["are judged while the budget lasts", 1, "none-applicable", 10_000],
    ["are all kept when it does not", 60, "timeout", 500],
  ])(
    "%s, before a service that answers one request after the other",
    async (_case, delayMs, reason, timeoutMs) => {
      const serial = await createHostileServer({ serial: true });
      serial.play(answerBatch(delayMs));
      const turn = await judgeTurn(judge({ baseURL: `${serial.url}/v1` }), {
        tools: namedTools(...many),
        selector: { timeoutMs },
      });
      expect(turn.record.reason).toBe(reason);
      expect(turn.offered).toHaveLength(reason === "timeout" ? 1000 : 0);
      expect(turn.record.judge?.latencyMs).toBeLessThan(timeoutMs + 500);
      await serial.close();
    },
  );
});

describe("a canary", () => {
  it.each([
    [
      "an error body",
      {
        status: 400,
        json: { error: { message: `${canary} echoed`, code: canary, type: canary, param: canary } },
      },
    ],
    ["a body that is no JSON", { status: 500, text: `${canary} ${canary}` }],
    [
      "a torn body",
      { text: `{"choices":"${canary}`, headers: { "content-type": "application/json" } },
    ],
    [
      "a model name",
      { json: { ...completion(answerTokens([0.9, 0.1, 0.1])), model: `x ${canary}\n` } },
    ],
    ["a request id", { ...reply(), headers: { "x-request-id": `id ${canary}` } }],
    ["reply content", content(canary)],
  ] satisfies [string, Reply][])(
    "in %s, key and user text reaches no error, log or record",
    async (where, script) => {
      vi.stubEnv("OPENAI_LOG", "debug");
      const lines: unknown[] = [];
      const methods = ["debug", "info", "log", "warn", "error"] as const;
      const spies = methods.map((method) =>
        vi.spyOn(console, method).mockImplementation((...args) => void lines.push(args)),
      );
      const logged: string[] = [];
      const logger = { warn: (message: string) => void logged.push(message) };
      let thrown: unknown;
      const inner = judge({ apiKey: canary, logger, raw: true });
      server.play(script);
      const turn = await judgeTurn(
        {
          ...inner,
          judge: (request, options) =>
            inner.judge(request, options).catch((error: unknown) => {
              thrown = error;
              throw error;
            }),
        },
        { request: `Where is ${canary}?`, selector: { timeoutMs: 5000, logger } },
      );
      for (const spy of spies) spy.mockRestore();
      expect(server.requests[0]?.rawBody).toContain(canary);
      const chain: unknown[] = [];
      for (let next = thrown; next !== undefined && next !== null; next = (next as Error).cause) {
        chain.push((next as Error).message, JSON.stringify(next), (next as Error).stack);
      }
      // The text of a name that is no plain name is dropped; letters of it may stay only where the core cleans it.
      const record = JSON.stringify(turn.record);
      expect(`${chain.join()} ${JSON.stringify(lines)} ${logged.join()} ${record}`).not.toContain(
        canary,
      );
      if (where !== "a model name" && where !== "a request id") expect(thrown).toBeDefined();
    },
  );
});
