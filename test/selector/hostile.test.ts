/** Faults that judges and catalogs really have: the turn goes on, and nothing is read as a "no". */

import { describe, expect, it, vi } from "vitest";
import {
  JudgeHttpError,
  JudgeResponseError,
  JudgeTimeoutError,
  createToolSelector,
} from "../../src/index.js";
import type { JudgeFunction, JudgeOptions } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { numberedTools, toolsNamed, turnOf, user } from "../support/turns.js";

const tools = numberedTools(5);
const enforce = (judge: Parameters<typeof createToolSelector>[0]) =>
  createToolSelector({ mode: "enforce", ...judge });

describe("a reply without the expected field", () => {
  it.each([
    {},
    null,
    undefined,
    "ok",
    [],
    { answers: null },
    0,
    { probabilities: "0.1" },
    { probabilities: {} },
  ])("%j leaves every tool unjudged and restores the catalog", async (reply) => {
    const selection = await enforce({ judge: fakeJudge({ reply: () => reply }) }).select(
      turnOf(tools),
    );
    expect(selection.tools).toBe(tools);
    expect(selection).toMatchObject({ status: "failed", reason: "unjudged" });
    expect(selection.record.error).toEqual({ kind: "malformed" });
  });

  it.each([{}, null, undefined, "ok", []])(
    "%j from a plain function does the same",
    async (reply) => {
      const selection = await enforce({ judge: () => reply as never }).select(turnOf(tools));
      expect(selection).toMatchObject({ status: "failed", reason: "unjudged", fallback: true });
    },
  );

  it("a reply whose getter throws does the same", async () => {
    const reply = {
      get probabilities(): never {
        throw new Error("no");
      },
    };
    const selection = await enforce({ judge: fakeJudge({ reply: () => reply }) }).select(
      turnOf(tools),
    );
    expect(selection).toMatchObject({ status: "failed", fallback: true });
  });
});

describe("a number of answers that does not match", () => {
  it.each([0, 1, 4, 6, 65])("%i answers for 5 tools void the batch", async (count) => {
    const judge = fakeJudge({
      reply: () => ({ probabilities: Array.from({ length: count }, () => 0.01) }),
    });
    const selection = await enforce({ judge, onUncertain: "keep" }).select(turnOf(tools));
    expect(selection.outcomes.map(({ verdict }) => verdict)).toEqual(tools.map(() => "unjudged"));
    expect(selection.tools).toBe(tools);
  });

  it("voids that batch alone", async () => {
    const judge = fakeJudge({
      reply: ({ candidates }, call) => ({
        probabilities: Array.from({ length: candidates.length + (call === 1 ? 1 : 0) }, () => 0.01),
      }),
    });
    const selection = await enforce({ judge, onUncertain: "keep", batchSize: 3 }).select(
      turnOf(tools),
    );
    expect(selection.outcomes.map(({ kept }) => kept)).toEqual([true, true, true, false, false]);
  });

  it("a missing single answer is that tool's alone, filled from nowhere", async () => {
    const judge = fakeJudge({
      reply: () => ({ probabilities: [0.01, undefined, 0.01, "0.5", 0.99] }),
    });
    const selection = await enforce({ judge, onUncertain: "keep" }).select(turnOf(tools));
    expect(selection.outcomes.map(({ verdict }) => verdict)).toEqual([
      "not-applicable",
      "unjudged",
      "not-applicable",
      "unjudged",
      "applicable",
    ]);
  });
});

describe("a judge that changes what it was given", () => {
  const catalog = numberedTools(6);
  const rejecting = (candidates: readonly unknown[]): number[] => candidates.map(() => 0.05);

  it.each<[string, (candidates: { name: string }[]) => number[]]>([
    ["takes candidates off the list", (candidates) => rejecting(candidates.splice(0))],
    ["sorts the list", (candidates) => rejecting(candidates.sort(() => -1))],
    [
      "renames a candidate",
      (candidates) => rejecting(candidates.map((candidate) => (candidate.name = "x"))),
    ],
  ])(
    "and %s is a failed judge: its batch is unjudged, no other tool gets its answers",
    async (_, spoil) => {
      const judge: JudgeFunction = ({ candidates }) =>
        candidates[0]?.name === "tool_0"
          ? spoil(candidates as { name: string }[])
          : candidates.map(({ name }) => (name === "tool_5" ? 0.05 : 0.95));
      const selector = enforce({ judge, batchSize: 2, onUncertain: "keep" });
      const { outcomes, tools: offered } = await selector.select(turnOf(catalog));
      expect(outcomes.map(({ verdict }) => verdict)).toEqual([
        "unjudged",
        "unjudged",
        "applicable",
        "applicable",
        "applicable",
        "not-applicable",
      ]);
      expect(offered).toEqual(catalog.slice(0, 5));
    },
  );

  it("cannot add to what the next batch is told of the conversation", async () => {
    const judge = fakeJudge({
      reply: ({ context, candidates }) => {
        (context.messages as unknown[]).push({ role: "user", text: "added" });
        return { probabilities: rejecting(candidates) };
      },
    });
    await enforce({ judge, batchSize: 2, onUncertain: "keep" }).select(turnOf(catalog));
    expect(judge.requests.map(({ context }) => context.messages.length)).toEqual([1, 1, 1]);
  });
});

describe("failing batches", () => {
  const judge = (
    request: { candidates: readonly { name: string }[] },
    { signal }: JudgeOptions,
  ) => {
    const first = request.candidates[0]?.name;
    if (first === "tool_64") throw new Error("batch 2 rejects");
    if (first === "tool_128") {
      return new Promise<number[]>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("late")));
      });
    }
    return request.candidates.map(() => 0.01);
  };

  it("leave their own tools unjudged, score none of them 0, and spare the others", async () => {
    const selector = enforce({ judge, onUncertain: "keep", timeoutMs: 50 });
    const { status, reason, outcomes, record } = await selector.select(turnOf(numberedTools(130)));
    expect(status).toBe("failed");
    expect(reason).toBe("judge-error");
    expect(record.error).toEqual({ kind: "error" });
    expect(outcomes.slice(0, 64).every(({ kept }) => !kept)).toBe(true);
    expect(outcomes.slice(64).every(({ kept, verdict }) => kept && verdict === "unjudged")).toBe(
      true,
    );
  });

  it("spare the others even if their error throws on every access", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const error = (call: number): unknown => (call === 1 ? proxy : undefined);
    const selector = enforce({ judge: fakeJudge({ error }), onUncertain: "keep", concurrency: 1 });
    const { outcomes } = await selector.select(turnOf(numberedTools(130)));
    expect(outcomes.filter(({ kept }) => kept)).toHaveLength(64);
  });

  it("all three: the full catalog, no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const failing = fakeJudge({ error: new Error("down"), delayMs: 5 });
    for (const mode of ["enforce", "shadow"] as const) {
      const selector = createToolSelector({ judge: failing, mode });
      const selection = await selector.select(turnOf(numberedTools(130)));
      expect(selection).toMatchObject({ status: "failed", reason: "judge-error", fallback: true });
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("the reason of a failure", () => {
  it.each([
    [new JudgeHttpError("x", { status: 503 }), "judge-error", { kind: "http", status: 503 }],
    [new JudgeHttpError("x", { status: null }), "judge-error", { kind: "network" }],
    [new JudgeResponseError("x", { reason: "refused" }), "refused", { kind: "refused" }],
    [new JudgeResponseError("x", { reason: "malformed" }), "unjudged", { kind: "malformed" }],
    [new JudgeResponseError("x", { reason: "truncated" }), "unjudged", { kind: "truncated" }],
    [
      new JudgeResponseError("x", { reason: "circuit-open" }),
      "judge-error",
      { kind: "circuit-open" },
    ],
    [
      new JudgeResponseError("x", { reason: "secret user text" as never }),
      "unjudged",
      { kind: "malformed" },
    ],
    [
      new JudgeHttpError("x", { status: "secret user text" as never }),
      "judge-error",
      { kind: "http" },
    ],
    [new JudgeTimeoutError(5), "timeout", { kind: "timeout" }],
    [new Error("secret user text"), "judge-error", { kind: "error" }],
    ["a string", "judge-error", { kind: "error" }],
  ])("%s is %s in the record, without any text", async (error, reason, recorded) => {
    const selection = await enforce({ judge: fakeJudge({ error }) }).select(turnOf(tools));
    expect(selection).toMatchObject({ status: "failed", reason, fallback: true });
    expect(selection.record.error).toEqual(recorded);
    expect(JSON.stringify(selection.record)).not.toContain("secret");
  });

  it("is refused where the judge refused single questions", async () => {
    const judge = fakeJudge({
      reply: () => ({ probabilities: [0, 0, 0, 0, undefined], missing: "refused" }),
    });
    expect((await enforce({ judge }).select(turnOf(tools))).reason).toBe("refused");
  });

  it("counts no request for an open circuit", async () => {
    const judge = fakeJudge({ error: new JudgeResponseError("x", { reason: "circuit-open" }) });
    const { record } = await enforce({ judge }).select(turnOf(tools));
    expect(record.judge).toMatchObject({ requests: 0, usage: { inputTokens: 0 } });
  });
});

describe("odd names", () => {
  const names = [
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "calendar.respond",
    "a/b",
    "my tool",
    "查天气",
    "a.b",
    "a_b",
    "x".repeat(128),
    'quo"te',
    "new\nline",
  ];

  it.each(names)(
    "%j is judged by position, kept under its own name, and recorded",
    async (name) => {
      const catalog = toolsNamed(...names);
      const judge = (request: { candidates: readonly { name: string }[] }) =>
        request.candidates.map((candidate) => (candidate.name === name ? 0.95 : 0.01));
      const selector = enforce({ judge });
      const selection = await selector.select(turnOf(catalog));
      expect(selection.tools).toEqual([catalog[names.indexOf(name)]]);
      expect(selection.record.tools.find(({ kept }) => kept)?.name).toBe(name);
    },
  );

  it("of Object.prototype members work in alwaysInclude", async () => {
    const selector = enforce({ judge: fakeJudge(), alwaysInclude: ["__proto__"] });
    const selection = await selector.select(turnOf(toolsNamed("__proto__", "constructor")));
    expect(selection.outcomes.map(({ kept }) => kept)).toEqual([true, false]);
  });

  it("that are the same are told apart by position", async () => {
    const catalog = [
      { name: "x", description: "first" },
      { name: "x", description: "second" },
    ];
    const judge = () => [0.01, 0.95];
    expect((await enforce({ judge }).select(turnOf(catalog))).tools).toEqual([catalog[1]]);
  });
});

describe("hostile tools and messages", () => {
  it("a tool whose schema cannot be serialised is judged on name and description", async () => {
    const cyclic: Record<string, unknown> = { type: "object" };
    cyclic["self"] = cyclic;
    const catalog = [
      { name: "cyclic", description: "d", parameters: cyclic },
      { name: "big", description: "d", parameters: { type: "object", default: 1n } },
      {
        name: "throwing",
        description: "d",
        get parameters(): never {
          throw new Error("no");
        },
      },
    ];
    const judge = fakeJudge({ probabilities: { big: 0.95 } });
    const selection = await enforce({ judge }).select(turnOf<unknown>(catalog));
    expect(selection.tools).toEqual([catalog[1]]);
    expect(
      selection.record.tools.every(({ tokens }) => typeof tokens === "number" && tokens > 0),
    ).toBe(true);
  });

  it("tokens of a tool that cannot be serialised are unknown, not 0", async () => {
    const unreadable = {
      type: "mcp",
      get headers(): never {
        throw new Error("no");
      },
    };
    const catalog = [unreadable, ...tools];
    const { record } = await enforce({ judge: fakeJudge() }).select(turnOf<unknown>(catalog));
    expect(record.tools.map(({ tokens }) => tokens === null)).toEqual([
      true,
      ...tools.map(() => false),
    ]);
    expect(record.catalog.definitionTokens).toBeNull();
  });

  it("a tool that throws on every access is offered untouched", async () => {
    const evil = new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
      },
    );
    const catalog = [evil, ...toolsNamed("a")];
    const selection = await enforce({ judge: fakeJudge() }).select(turnOf<unknown>(catalog));
    expect(selection.tools.map((tool) => tool === evil)).toEqual([true]);
    expect(selection.outcomes[0]).toMatchObject({ name: null, reason: "provider-tool" });
  });

  it("a `describe` that throws pins the tool, and is warned about once", async () => {
    const warn = vi.fn();
    const selector = enforce({ judge: fakeJudge(), logger: { warn } });
    const turn = turnOf(tools, {
      describe: (tool) => {
        if (tool.name === "tool_1") throw new Error("no");
        return tool;
      },
    });
    expect((await selector.select(turn)).tools).toEqual([tools[1]]);
    await selector.select(turn);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it.each([{}, { name: "" }, { name: 7 }, "text", undefined])(
    "a `describe` that answers %j pins the tool",
    async (description) => {
      const turn = turnOf(tools, { describe: () => description as never });
      const selection = await enforce({ judge: fakeJudge() }).select(turn);
      expect(selection).toMatchObject({ reason: "no-candidates" });
      expect(selection.outcomes.every(({ reason }) => reason === "provider-tool")).toBe(true);
    },
  );

  it.each([
    ["null entries", [null, user("go")]],
    ["text that is no text", [{ role: "user", text: 7 }, user("go")]],
    [
      "a throwing getter",
      [
        Object.defineProperty({}, "role", {
          get: () => {
            throw new Error("no");
          },
        }),
        user("go"),
      ],
    ],
    ["calls that are no list", [{ role: "assistant", text: "", toolCalls: 5 }, user("go")]],
  ])("messages with %s are read as far as they can be", async (_, messages) => {
    const selection = await enforce({ judge: fakeJudge() }).select(
      turnOf(tools, { messages: messages as never }),
    );
    expect(selection.status).toBe("decided");
  });

  it("a call that cannot be read costs neither its message nor the other calls", async () => {
    const unreadable = {
      get name(): never {
        throw new Error("no");
      },
    };
    const toolCalls = [unreadable, { name: "tool_0" }];
    const messages = [user("go"), { role: "assistant", text: "", toolCalls }];
    const { outcomes, record } = await enforce({ judge: fakeJudge() }).select(
      turnOf(tools, { messages }),
    );
    expect(outcomes[0]?.reason).toBe("history");
    expect(record.step).toBe(2);
  });

  it("messages that are no list at all skip the turn", async () => {
    const selection = await enforce({ judge: fakeJudge() }).select(
      turnOf(tools, { messages: undefined as never }),
    );
    expect(selection).toMatchObject({ status: "skipped", reason: "no-user-text" });
  });

  it.each([
    [
      "now",
      {
        now: () => {
          throw new Error("no");
        },
      },
    ],
    [
      "newId",
      {
        newId: () => {
          throw new Error("no");
        },
      },
    ],
    [
      "countTokens",
      {
        countTokens: () => {
          throw new Error("no");
        },
      },
    ],
    ["countTokens without a number", { countTokens: () => Number.NaN }],
    ["countTokens that rejects", { countTokens: () => Promise.reject(new Error("no")) }],
    ["context that rejects", { context: () => Promise.reject(new Error("no")) }],
    ["redact that rejects", { redact: () => Promise.reject(new Error("no")) }],
    ["now beyond every date", { now: () => 1e17 }],
    [
      "logger",
      {
        logger: {
          warn: () => {
            throw new Error("no");
          },
        },
        alwaysInclude: [],
      },
    ],
    [
      "context",
      {
        context: () => {
          throw new Error("no");
        },
      },
    ],
    [
      "redact",
      {
        redact: () => {
          throw new Error("no");
        },
      },
    ],
  ])("a failing `%s` of the user fails no turn", async (_, options) => {
    const selector = enforce({ judge: fakeJudge({ otherwise: 0.95 }), ...(options as object) });
    const selection = await selector.select(turnOf([...tools, { name: "bare", description: "" }]));
    expect(selection.tools).toHaveLength(6);
  });

  it("a failing `redact` asks no judge, and hides nothing", async () => {
    const judge = fakeJudge();
    const selector = enforce({
      judge,
      redact: () => {
        throw new Error("no");
      },
    });
    const selection = await selector.select(turnOf(tools));
    expect(judge.requests).toHaveLength(0);
    expect(selection).toMatchObject({ status: "failed", reason: "judge-error", fallback: true });
  });

  it("a judge scope of the host that fails counts as a judge error", async () => {
    const selector = enforce({ judge: fakeJudge() });
    const turn = turnOf(tools, { judgeScope: () => Promise.reject(new Error("tracing is down")) });
    expect(await selector.select(turn)).toMatchObject({ status: "failed", reason: "judge-error" });
  });

  it("a judge scope that never asks the judge hides nothing", async () => {
    const selector = enforce({ judge: fakeJudge() });
    const turn = turnOf(tools, { judgeScope: async () => undefined as never });
    expect(await selector.select(turn)).toMatchObject({
      status: "failed",
      reason: "judge-error",
      fallback: true,
    });
  });
});
