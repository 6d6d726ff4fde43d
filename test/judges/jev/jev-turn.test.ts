import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jevJudge, type JevJudgeOptions } from "../../../src/judges/jev/jev-judge.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { memorySink } from "../../../src/sinks/memory.js";
import { recordingChatModel } from "../../../src/testing/index.js";
import { createToolSelector } from "../../../src/selector/tool-selector.js";
import { ask, namedTool, namedTools } from "../../adapters/support.js";
import { canary, hostileReplies, type HostileRow } from "../../support/hostile-replies.js";
import {
  createHostileServer,
  type HostileServer,
  type RecordedRequest,
  type Reply,
} from "../../support/hostile-server.js";
import { answerJev, readJevRequest } from "../../support/jev-service.js";
import { judgeTurn, toolNames, watchForLeaks } from "../../support/judge-turn.js";

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());
watchForLeaks();

const jev = (options: JevJudgeOptions = {}) =>
  jevJudge({ baseURL: server.url, apiKey: "key-1", retry: { baseDelayMs: 5 }, ...options });

/** Time enough on a busy machine, unless it is the timeout that is to be seen. */
const budgetFor = (reason: string): number => (reason === "timeout" ? 250 : 10_000);

const noul = (value: unknown): unknown => ({ type: "noul", noul: value });

/** Replies of the service itself that hold no judgment, or not for every tool. */
const jevReplies: readonly HostileRow[] = [
  ["answers that are null", { json: { answers: null } }, { reason: "unjudged", kind: "malformed" }],
  [
    "no answer to any question",
    { json: { answers: {} } },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "one answer too few",
    { json: { answers: { t0: noul(0), t1: noul(0) } } },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "one answer too many",
    { json: { answers: { t0: noul(0), t1: noul(0), t2: noul(0), t3: noul(0) } } },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "textual answers",
    { json: { answers: { t0: noul("0"), t1: noul("0"), t2: noul("0") } } },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "answers out of range",
    { json: { answers: { t0: noul(-1), t1: noul(7), t2: noul(1e9) } } },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "answers in a code fence",
    { text: '```json\n{"answers":{"t0":{"noul":0},"t1":{"noul":0},"t2":{"noul":0}}}\n```' },
    { reason: "unjudged", kind: "malformed" },
  ],
  [
    "refusals",
    {
      json: {
        answers: { t0: { type: "refusal" }, t1: { type: "refusal" }, t2: { type: "refusal" } },
      },
    },
    { reason: "refused", kind: "refused" },
  ],
  [
    "a token limit that no split helps",
    { status: 400, json: { error: { code: "max_tokens_exceeded" } } },
    { reason: "judge-error", kind: "http", status: 400 },
  ],
];

describe("a turn of a real agent with jevJudge", () => {
  it("offers the tools that Jev calls applicable", async () => {
    server.play(answerJev("query_order"));
    const { offered, record } = await judgeTurn(jev());
    expect(offered).toEqual(["query_order"]);
    expect(record).toMatchObject({
      status: "decided",
      reason: "selected",
      judge: {
        id: "jev:jev-1.13.0",
        model: "jev-1.13.0",
        requests: 1,
        retries: 0,
        usage: { inputTokens: 141, outputTokens: 35, cachedInputTokens: null },
      },
    });
  });

  it.each([...hostileReplies, ...jevReplies])(
    "ends with every tool kept and the right reason on %s",
    async (_, answer, { reason, ...error }) => {
      server.play(answer);
      const { text, offered, record } = await judgeTurn(jev(), {
        selector: { timeoutMs: budgetFor(reason) },
      });
      expect(text).toBe("done");
      expect(offered).toEqual(toolNames);
      expect(record).toMatchObject({ status: "failed", reason, fallback: true, error });
      expect(record.tools.every(({ kept }) => kept)).toBe(true);
      const isStalled = reason === "timeout";
      if (isStalled) await server.until(() => server.requests[0]?.hungUp === true);
    },
  );

  it.each(hostileReplies)(
    "leaves a turn in shadow as it is on %s",
    async (_, answer, { reason }) => {
      server.play(answer);
      const { text, offered, record } = await judgeTurn(jev(), {
        selector: { mode: "shadow", timeoutMs: budgetFor(reason) },
      });
      expect(text).toBe("done");
      expect(offered).toEqual(toolNames);
      expect(record).toMatchObject({ mode: "shadow", reason });
    },
  );

  it("keeps the tools of failed batches, and what was judged of the others", async () => {
    const tools = Array.from({ length: 130 }, (_, index) => namedTool(`tool_${index}`));
    const first = (request: RecordedRequest): string =>
      readJevRequest(request).questions[0]?.[1].instructions.tool.name ?? "";
    server.play((request): Reply => {
      if (first(request) === "tool_64") return { status: 500 };
      if (first(request) === "tool_128") return { stall: "before-headers" };
      return answerJev("tool_3")(request);
    });
    const { offered, record } = await judgeTurn(jev(), {
      tools,
      selector: { onUncertain: "keep", timeoutMs: 1000 },
    });
    expect(offered).toEqual(["tool_3", ...tools.slice(64).map(({ name }) => name)]);
    expect(record).toMatchObject({ status: "failed", fallback: false });
    expect(record.tools[64]).toMatchObject({ verdict: "unjudged", kept: true, probability: null });
  });

  it("keeps every tool when all three batches fail", async () => {
    const tools = Array.from({ length: 130 }, (_, index) => namedTool(`tool_${index}`));
    server.play({ status: 500 });
    const { offered, record } = await judgeTurn(jev(), {
      tools,
      selector: { onUncertain: "keep" },
    });
    expect(offered).toHaveLength(130);
    expect(record).toMatchObject({ fallback: true, reason: "judge-error" });
  });

  it("does not pay for an outage on every turn", async () => {
    server.play({ status: 503 });
    const judge = jev({ breaker: { failures: 2 }, retry: { retries: 0 } });
    await judgeTurn(judge);
    await judgeTurn(judge);
    const { offered, record } = await judgeTurn(judge);
    expect(server.requests).toHaveLength(2);
    expect(offered).toEqual(toolNames);
    expect(record).toMatchObject({
      reason: "judge-error",
      error: { kind: "circuit-open" },
      judge: { requests: 0 },
    });
  });

  it("records retries that succeeded", async () => {
    server.play(
      { status: 529 },
      { status: 429, headers: { "retry-after": "0" } },
      answerJev("weather"),
    );
    const { offered, record } = await judgeTurn(jev());
    expect(offered).toEqual(["weather"]);
    expect(record.judge).toMatchObject({ requests: 3, retries: 2 });
  });

  it("says how many requests a failed batch took", async () => {
    server.play({ status: 503 });
    const { record } = await judgeTurn(jev({ retry: { retries: 2, baseDelayMs: 1 } }));
    expect(record.judge).toMatchObject({ requests: 3, retries: 2 });
  });

  it("carries odd names and huge tools without harm to the others", async () => {
    const odd = [
      "constructor",
      "__proto__",
      "calendar.respond",
      "a/b",
      "my tool",
      "查天气",
      'q"q',
      "a\nb",
      "x".repeat(128),
    ];
    const huge = namedTool("huge", "word ".repeat(10_000));
    server.play(answerJev("__proto__", "my tool"));
    const { offered } = await judgeTurn(jev(), { tools: [...namedTools(...odd), huge] });
    expect(offered).toEqual(["__proto__", "my tool"]);
    expect(server.requests).toHaveLength(1);
    expect(huge.description).toHaveLength(50_000);
  });
});

describe("the budget of a turn with jevJudge", () => {
  it.each<[string, Reply]>([
    ["never answers", { stall: "before-headers" }],
    ["stops within the body", { json: { a: "b".repeat(100) }, stall: "mid-body" }],
    ["drips", { json: { a: "b".repeat(1000) }, dripMs: 10 }],
    ["always asks for a retry that fits", { status: 429, headers: { "retry-after": "0.2" } }],
  ])("is kept when the server %s", async (_, reply) => {
    const timeoutMs = 300;
    const durations: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      server.play(reply);
      const selector = createToolSelector({
        mode: "enforce",
        judge: jev({ retry: { retries: 20, baseDelayMs: 5 }, breaker: { failures: 99 } }),
        timeoutMs,
      });
      const start = performance.now();
      const selection = await selector.select({
        messages: [{ role: "user", text: "Where is order A1001?" }],
        tools: toolNames.map((name) => ({ name, description: `Does ${name}.` })),
      });
      durations.push(performance.now() - start);
      expect(selection).toMatchObject({ status: "failed", fallback: true });
      const isStalled = reply.status === undefined;
      if (isStalled) await server.until(() => server.requests[0]?.hungUp === true);
    }
    // The machine may be busy in one run; the code is what all three have in common.
    expect(Math.min(...durations)).toBeLessThan(timeoutMs + 50);
  });

  it("ends at once when the caller aborts: the connection is closed, the model never called", async () => {
    server.play({ stall: "before-headers" });
    const model = recordingChatModel();
    const sink = memorySink();
    const middleware = toolSelectorMiddleware({
      mode: "enforce",
      judge: jev(),
      timeoutMs: 60_000,
      sinks: sink,
    });
    const agent = createAgent({ model, tools: namedTools(...toolNames), middleware: [middleware] });
    const caller = new AbortController();
    const run = agent.invoke(ask("Where is order A1001?"), { signal: caller.signal });
    const ended = run.then(
      () => "answered",
      () => "rejected",
    );
    await server.until(() => server.requests.length === 1);
    const start = performance.now();
    caller.abort(new Error("the caller left"));
    expect(await ended).toBe("rejected");
    expect(performance.now() - start).toBeLessThan(1000);
    await server.until(() => server.requests[0]?.hungUp === true);
    await middleware.selector.flush();
    expect(model.calls).toHaveLength(0);
    expect(sink.records).toMatchObject([{ status: "cancelled" }]);
  });

  it.each([
    ["inside the budget", 20, "decided"],
    ["with a clean fallback", 400, "failed"],
  ] as const)("ends %s with 1,000 tools and a service that queues", async (_, delayMs, status) => {
    const queue = await createHostileServer({ serial: true });
    queue.play((request) => ({ ...answerJev("tool_7")(request), delayMs }));
    const selector = createToolSelector({
      mode: "enforce",
      judge: jev({ baseURL: queue.url }),
      timeoutMs: 2000,
    });
    const tools = Array.from({ length: 1000 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does thing number ${index}.`,
    }));
    const start = performance.now();
    const selection = await selector.select({
      messages: [{ role: "user", text: "Do thing 7." }],
      tools,
    });
    expect(performance.now() - start).toBeLessThan(2500);
    expect(selection.status).toBe(status);
    expect(selection.tools).toHaveLength(status === "decided" ? 1 : 1000);
    await queue.close();
  });

  it("asks about 1,000 tools in four requests where the service takes 256 questions", async () => {
    server.play(answerJev("tool_7"));
    const selector = createToolSelector({
      mode: "enforce",
      judge: jev({ batchSize: 256 }),
      batchSize: 256,
    });
    const tools = Array.from({ length: 1000 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does thing number ${index}.`,
    }));
    const selection = await selector.select({
      messages: [{ role: "user", text: "Do thing 7." }],
      tools,
    });
    expect(server.requests).toHaveLength(4);
    expect(selection.tools).toEqual([tools[7]]);
  });
});

describe("what leaks from a turn with jevJudge", () => {
  const secrets = { apiKey: "CANARY-key", request: "CANARY-request please" };

  it.each([
    ...hostileReplies,
    [
      "a model named like a secret",
      { json: { model: canary, answers: {} } },
      { reason: "unjudged", kind: "malformed" },
    ],
    [
      "a request id like a secret",
      { status: 400, headers: { "x-request-id": canary } },
      { reason: "judge-error", kind: "http" },
    ],
    [
      "unknown codes",
      { status: 400, json: { error: { code: "CANARY-code", param: "CANARY", type: "CANARY" } } },
      { reason: "judge-error", kind: "http" },
    ],
  ] as readonly HostileRow[])(
    "nothing of key, request or reply on %s",
    async (_, answer, { reason }) => {
      server.play(answer);
      const lines: string[] = [];
      const logger = {
        warn: (message: string) => void lines.push(message),
        debug: (message: string) => void lines.push(message),
      };
      const judge = jev({ apiKey: secrets.apiKey, logger, breaker: { failures: 1 } });
      const thrown: unknown[] = [];
      const watched = {
        ...judge,
        judge: async (...parameters: Parameters<typeof judge.judge>) => {
          try {
            return await judge.judge(...parameters);
          } catch (error) {
            thrown.push(error);
            throw error;
          }
        },
      };
      const { record } = await judgeTurn(watched, {
        request: secrets.request,
        selector: { logger, timeoutMs: budgetFor(reason) },
      });
      const errors = thrown.flatMap((error) => {
        const chain: string[] = [];
        for (let current = error; current instanceof Error; current = current.cause) {
          chain.push(
            String(current.stack),
            JSON.stringify(current),
            ...Object.values(current).map(String),
          );
        }
        return chain;
      });
      expect(JSON.stringify(server.requests[0]?.body)).toContain("CANARY-request");
      expect(JSON.stringify([record, lines, errors])).not.toContain("CANARY");
    },
  );
});
