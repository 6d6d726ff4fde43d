/** What goes wrong below any judge's protocol, and what a record has to say of it. */

import type { Answer } from "./hostile-server.js";

/** Planted where a leak would start; must reach no error, log line or record. */
export const canary = "CANARY-8f2 text";

export interface ExpectedFailure {
  readonly reason: "judge-error" | "unjudged" | "timeout" | "refused";
  readonly kind: string;
  readonly status?: number;
}

export type HostileRow = readonly [name: string, answer: Answer, expected: ExpectedFailure];

const http = (status: number): ExpectedFailure => ({ reason: "judge-error", kind: "http", status });
const network: ExpectedFailure = { reason: "judge-error", kind: "network" };
const malformed: ExpectedFailure = { reason: "unjudged", kind: "malformed" };
const timeout: ExpectedFailure = { reason: "timeout", kind: "timeout" };

/** Answers over HTTP that hold no judgment, whatever the protocol above. */
export const hostileReplies: readonly HostileRow[] = [
  ["400", { status: 400, json: { error: { message: canary } } }, http(400)],
  ["401", { status: 401, json: { error: { message: canary } } }, http(401)],
  ["403 in HTML", { status: 403, text: `<p>${canary}</p>` }, http(403)],
  ["404", { status: 404, text: canary }, http(404)],
  ["422 that echoes the input", { status: 422, json: { detail: [{ input: canary }] } }, http(422)],
  ["429 without Retry-After", { status: 429, text: canary }, http(429)],
  [
    "429 with a Retry-After of an hour",
    { status: 429, headers: { "retry-after": "3600" }, text: canary },
    http(429),
  ],
  [
    "429 with a Retry-After date in a year",
    { status: 429, headers: { "retry-after": "Tue, 30 Nov 2027 10:00:00 GMT" } },
    http(429),
  ],
  ["500", { status: 500, json: { error: canary } }, http(500)],
  [
    "500 whose body never ends",
    { status: 500, json: { error: canary }, stall: "mid-body" },
    http(500),
  ],
  ["503", { status: 503 }, http(503)],
  ["529", { status: 529, json: { error: { type: "overloaded" } } }, http(529)],
  ["a redirect", { status: 307, headers: { location: "http://127.0.0.1:9/" } }, http(307)],
  ["an error body of 5 MiB", { status: 400, bytes: 5 * 1024 * 1024 }, http(400)],
  ["a reset before the headers", { reset: "before-headers" }, network],
  [
    "a body that breaks off",
    { json: { canary, more: "x".repeat(500) }, reset: "mid-body" },
    network,
  ],
  ["an empty body", {}, malformed],
  ["prose", { text: `Sorry, ${canary}` }, malformed],
  ["a page", { headers: { "content-type": "text/html" }, text: `<h1>${canary}</h1>` }, malformed],
  ["truncated JSON", { text: '{"answers":{"t0":{"noul":0.0' }, malformed],
  ["null", { json: null }, malformed],
  ["a text", { json: "ok" }, malformed],
  ["a number", { json: 0 }, malformed],
  ["a list", { json: [] }, malformed],
  ["an empty object", { json: {} }, malformed],
  ["a body of 5 MiB", { bytes: 5 * 1024 * 1024 }, { reason: "unjudged", kind: "too-large" }],
  ["no answer at all", { stall: "before-headers" }, timeout],
  [
    "headers and half a body",
    { json: { canary, more: "x".repeat(500) }, stall: "mid-body" },
    timeout,
  ],
  ["a byte every 20 ms", { json: { canary, more: "x".repeat(500) }, dripMs: 20 }, timeout],
];
