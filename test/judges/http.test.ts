import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JudgeHttpError, JudgeResponseError } from "../../src/errors.js";
import { postJson, readPlainText, readRetryAfter } from "../../src/judges/http.js";
import { createHostileServer, type HostileServer, type Reply } from "../support/hostile-server.js";

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());

const canary = "CANARY-8f2";

function post(options: { signal?: AbortSignal; fetch?: typeof fetch; url?: string } = {}) {
  return postJson({
    url: options.url ?? `${server.url}/judge`,
    headers: { authorization: `Bearer ${canary}-key` },
    body: JSON.stringify({ text: `${canary}-text` }),
    signal: options.signal ?? new AbortController().signal,
    fetch: options.fetch,
  });
}

async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("Expected the call to fail.");
}

/** Everything that an error could carry into a log. */
function spell(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    parts.push(current.message, String(current.stack), JSON.stringify(current));
    parts.push(...Object.values(current).map(String));
  }
  return parts.join("\n");
}

describe("postJson", () => {
  it("posts JSON and returns the parsed reply with its request id", async () => {
    server.play({ json: { ok: true }, headers: { "x-typesafe-request-id": "req_7" } });
    await expect(post()).resolves.toEqual({ value: { ok: true }, requestId: "req_7" });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/judge",
      body: { text: `${canary}-text` },
    });
    expect(server.requests[0]?.headers).toMatchObject({
      "content-type": "application/json",
      authorization: `Bearer ${canary}-key`,
    });
  });

  it.each<[string, Reply, number | null]>([
    ["400", { status: 400, json: { error: { message: `${canary}-body` } } }, 400],
    ["401", { status: 401, text: `${canary}-body` }, 401],
    ["403", { status: 403, json: { detail: `${canary}-body` } }, 403],
    ["404 in HTML", { status: 404, text: `<h1>${canary}-body</h1>` }, 404],
    [
      "422 that echoes the input",
      { status: 422, json: { detail: [{ type: canary, input: `${canary}-text` }] } },
      422,
    ],
    [
      "422 that stops in the middle",
      { status: 422, json: { detail: canary }, reset: "mid-body" },
      422,
    ],
    ["429", { status: 429, text: `${canary}-body` }, 429],
    ["500 that never ends", { status: 500, json: { error: canary }, stall: "mid-body" }, 500],
    ["529", { status: 529, json: { error: canary } }, 529],
    ["an error body of 5 MiB", { status: 400, bytes: 5 * 1024 * 1024 }, 400],
    ["a reset before the headers", { reset: "before-headers" }, null],
    [
      "a reset within the body",
      { json: { canary, more: "x".repeat(200) }, reset: "mid-body" },
      null,
    ],
    ["304", { status: 304 }, 304],
  ])("turns %s into a JudgeHttpError that repeats nothing of it", async (_, reply, status) => {
    server.play(reply);
    const error = await failure(post());
    expect(error).toBeInstanceOf(JudgeHttpError);
    expect(error).toMatchObject({ status, attempts: 1 });
    expect(spell(error)).not.toContain("CANARY");
  });

  it.each<[string, Reply, string]>([
    ["prose", { text: `Sorry, ${canary}` }, "malformed"],
    ["an empty body", {}, "malformed"],
    ["truncated JSON", { text: `{"answers":{"t0":{"type":"noul","noul":0.0` }, "malformed"],
    ["5 MiB", { bytes: 5 * 1024 * 1024 }, "too-large"],
  ])(
    "turns a 200 with %s into a JudgeResponseError that repeats nothing of it",
    async (_, reply, reason) => {
      server.play(reply);
      const error = await failure(post());
      expect(error).toBeInstanceOf(JudgeResponseError);
      expect(error).toMatchObject({ reason });
      expect(spell(error)).not.toContain("CANARY");
    },
  );

  it("takes a body of just under 4 MiB", async () => {
    const text = "x".repeat(4 * 1024 * 1024 - 2);
    server.play({ json: text });
    await expect(post()).resolves.toMatchObject({ value: text });
  });

  it("reads no further than the limit, and closes the connection", async () => {
    server.play({ bytes: 64 * 1024 * 1024 });
    await failure(post());
    await server.until(() => server.requests[0]?.hungUp === true);
  });

  it.each([301, 302, 303, 307, 308])("does not follow a %i", async (status) => {
    const other = await createHostileServer();
    server.play({ status, headers: { location: `${other.url}/elsewhere` } });
    const error = await failure(post());
    expect(error).toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  it.each<[string, Reply]>([
    ["before the headers", { stall: "before-headers" }],
    ["within the body", { json: { a: "b".repeat(100) }, stall: "mid-body" }],
    ["within a dripping body", { json: { a: "b".repeat(100) }, dripMs: 20 }],
    [
      "within the body of an error",
      { status: 422, json: { a: "b".repeat(100) }, stall: "mid-body" },
    ],
  ])("ends with the signal's reason when it aborts %s, and hangs up", async (_, reply) => {
    server.play(reply);
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = failure(post({ signal: controller.signal }));
    await server.until(() => server.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    const start = performance.now();
    controller.abort(reason);
    await expect(call).resolves.toBe(reason);
    expect(performance.now() - start).toBeLessThan(500);
    await server.until(() => server.requests[0]?.hungUp === true);
  });

  it("sends nothing when the signal has aborted before", async () => {
    server.play({ json: {} });
    const reason = new Error("never");
    await expect(failure(post({ signal: AbortSignal.abort(reason) }))).resolves.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it("calls a refused connection a network failure, with its code and without a cause", async () => {
    const gone = await createHostileServer();
    await gone.close();
    const error = await failure(post({ url: gone.url }));
    expect(error).toMatchObject({ status: null, code: "ECONNREFUSED" });
    expect((error as Error).cause).toBeUndefined();
  });

  it("passes nothing on of what an injected fetch throws", async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error(`${canary}-key in a message`));
    const error = await failure(post({ fetch }));
    expect(error).toMatchObject({ status: null, code: null });
    expect(spell(error)).not.toContain("CANARY");
  });

  it("obeys the signal even if an injected fetch does not", async () => {
    const controller = new AbortController();
    const call = failure(
      post({ signal: controller.signal, fetch: () => new Promise<Response>(() => {}) }),
    );
    controller.abort("stop");
    await expect(call).resolves.toBe("stop");
  });

  it.each<[string, unknown, string | null, string | null]>([
    [
      "error.code",
      { error: { code: "max_tokens_exceeded", message: canary } },
      "max_tokens_exceeded",
      null,
    ],
    ["error.type", { error: { type: "max_tokens_exceeded" } }, "max_tokens_exceeded", null],
    ["error as text", { error: "max_tokens_exceeded" }, "max_tokens_exceeded", null],
    ["detail.code", { detail: { code: "max_tokens_exceeded" } }, "max_tokens_exceeded", null],
    [
      "the first detail",
      { detail: [{ type: "max_tokens_exceeded" }] },
      "max_tokens_exceeded",
      null,
    ],
    ["code", { code: "model_not_found" }, "model_not_found", null],
    [
      "error.param",
      { error: { code: "unsupported_parameter", param: "logprobs" } },
      "unsupported_parameter",
      "logprobs",
    ],
    ["an unknown code", { error: { code: canary, param: canary } }, null, null],
    ["no object at all", null, null, null],
  ])("reads known codes from an error body: %s", async (_, json, code, parameter) => {
    server.play({ status: 400, json });
    await expect(failure(post())).resolves.toMatchObject({ code, parameter });
  });
});

describe("readRetryAfter", () => {
  const now = Date.parse("2026-11-30T10:00:00Z");
  it.each<[string, Record<string, string>, number | null]>([
    ["seconds", { "retry-after": "3" }, 3000],
    ["zero", { "retry-after": "0" }, 0],
    ["hours", { "retry-after": "3600" }, 3_600_000],
    ["an HTTP date", { "retry-after": "Mon, 30 Nov 2026 10:00:02 GMT" }, 2000],
    ["a date in the past", { "retry-after": "Mon, 30 Nov 2026 09:00:00 GMT" }, 0],
    ["milliseconds", { "retry-after-ms": "150" }, 150],
    ["milliseconds beside seconds", { "retry-after-ms": "150", "retry-after": "9" }, 150],
    ["nonsense", { "retry-after": "soon" }, null],
    ["nothing", {}, null],
  ])("reads %s", (_, headers, expected) => {
    expect(readRetryAfter(new Headers(headers), now)).toBe(expected);
  });
});

describe("plainToken", () => {
  it.each(["", "two words", "a\nb", "x".repeat(121), "<b>", 7, null, undefined])(
    "drops %j altogether",
    (value) => {
      expect(readPlainText(value)).toBeUndefined();
    },
  );
  it("keeps a model's name", () => {
    expect(readPlainText("org/jev-1.13.0:free@eu+x")).toBe("org/jev-1.13.0:free@eu+x");
  });
});
