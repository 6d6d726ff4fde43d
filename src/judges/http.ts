/** The HTTP client of the judges: one JSON request over `fetch`, nothing of a body or a key in what it throws. */

import { JudgeHttpError, JudgeResponseError, type JudgeHttpErrorDetails } from "../errors.js";
import { read } from "../core/read.js";
import { untilAborted } from "../core/abort.js";
import { knownErrorCodes, networkCodeOf } from "./failure.js";

/** Bodies over this many bytes are dropped, error bodies too. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Request parameters that a service may refuse; no other name is read from an error body. */
const knownParameters: ReadonlySet<string> = new Set([
  "logprobs",
  "top_logprobs",
  "temperature",
  "max_tokens",
  "max_completion_tokens",
  "response_format",
  "model",
]);

export interface JsonRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request, already as JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface JsonReply {
  readonly value: unknown;
  readonly requestId: string | undefined;
}

/** Text of a server that may reach a record (a model's name, a request id): plain and short, or not at all. */
export function plainToken(value: unknown): string | undefined {
  return typeof value === "string" && /^[\w.:/@+-]{1,120}$/.test(value) ? value : undefined;
}

/**
 * Reads `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) and `retry-after-ms`, in milliseconds; `null` if
 * there is none that can be read.
 */
export function retryAfterOf(headers: Headers, now: number = Date.now()): number | null {
  const ms = headers.get("retry-after-ms")?.trim();
  if (ms !== undefined && /^\d+(?:\.\d+)?$/.test(ms)) return Number(ms);
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The id that the service gave this exchange, if it is fit for a record. */
function requestIdOf(headers: Headers): string | undefined {
  return (
    plainToken(headers.get("x-typesafe-request-id")) ?? plainToken(headers.get("x-request-id"))
  );
}

/** Passes a body on until it is longer than the limit; then it fails, and the rest is not read. */
function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > maxBodyBytes) {
          throw new JudgeResponseError("The judge's reply is over 4 MiB.", { reason: "too-large" });
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

/**
 * A `fetch` for judges: it follows no redirect, so that neither key nor conversation travels on, and a body over 4 MiB
 * fails with a `JudgeResponseError` (`too-large`) while it is read.
 */
export function boundedFetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await (fetch ?? globalThis.fetch)(input, { ...init, redirect: "manual" });
    // Some implementations have bodies of another kind (`node-fetch`): those cannot be bounded here.
    if (typeof read(response.body, "pipeThrough") !== "function" || response.body === null) {
      return response;
    }
    const { status, statusText, headers } = response;
    return new Response(bounded(response.body), { status, statusText, headers });
  };
}

/** `undefined` for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The objects of an error body that may carry a code: `error`, `detail`, its `error` or first entry, or the body itself. */
function errorObjects(body: unknown): readonly unknown[] {
  const detail = read(body, "detail");
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  return [read(body, "error"), detail, read(detail, "error"), first, body];
}

/** The word that a text begins with: some services put the code in front of their message. */
const firstWord = (text: unknown): unknown =>
  typeof text === "string" ? /^\w+/.exec(text)?.[0] : undefined;

function firstKnown(candidates: readonly unknown[], known: ReadonlySet<string>): string | null {
  const found = candidates.find((value) => typeof value === "string" && known.has(value));
  return typeof found === "string" ? found : null;
}

/** Reads what an error body says by way of machine-readable codes; nothing outside the known ones. */
export function errorDetailsOf(body: unknown): { code: string | null; parameter: string | null } {
  const objects = errorObjects(body);
  return {
    code: firstKnown(
      objects.flatMap((value) => [
        read(value, "code"),
        read(value, "type"),
        ...[value, read(value, "message"), read(value, "msg")].map(firstWord),
      ]),
      knownErrorCodes,
    ),
    parameter: firstKnown(
      objects.map((value) => read(value, "param")),
      knownParameters,
    ),
  };
}

/** A failed exchange with a judge's service, worded without anything that the service sent. */
export function httpError(details: JudgeHttpErrorDetails): JudgeHttpError {
  const code = details.code === undefined || details.code === null ? "" : ` (${details.code})`;
  return new JudgeHttpError(
    details.status === null
      ? `The judge's service could not be reached${code}.`
      : `The judge's service answered with HTTP status ${details.status}${code}.`,
    details,
  );
}

/** Runs a step of the exchange; a failure becomes the signal's reason or a network error, without its own text. */
async function overNetwork<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(step, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (JudgeResponseError.isInstance(error)) throw error;
    throw httpError({ status: null, code: networkCodeOf(error) });
  }
}

/** Statuses that explain themselves: their body is not waited for. */
export const explainsItself = (status: number): boolean =>
  status < 400 || status >= 500 || [401, 403, 429].includes(status);

async function readErrorBody(response: Response, signal: AbortSignal): Promise<unknown> {
  if (explainsItself(response.status)) {
    response.body?.cancel().catch(() => {});
    return undefined;
  }
  const text = await untilAborted(response.text(), signal).catch(() => "");
  signal.throwIfAborted();
  return parseJson(text);
}

async function failureOfResponse(response: Response, signal: AbortSignal): Promise<JudgeHttpError> {
  const body = await readErrorBody(response, signal);
  return httpError({
    status: response.status,
    retryAfterMs: retryAfterOf(response.headers),
    requestId: requestIdOf(response.headers) ?? null,
    ...errorDetailsOf(body),
  });
}

/**
 * Posts JSON and reads JSON.
 *
 * @throws {JudgeHttpError} on any status but 2xx (redirects too), or without a connection (`status: null`).
 * @throws {JudgeResponseError} `malformed` if the reply is not JSON, `too-large` if it is over 4 MiB.
 * @throws the signal's reason, at once, when it aborts; the connection is closed.
 */
export async function postJson(request: JsonRequest): Promise<JsonReply> {
  const { url, body, signal } = request;
  signal.throwIfAborted();
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...request.headers,
  };
  const response = await overNetwork(
    boundedFetch(request.fetch)(url, { method: "POST", headers, body, signal }),
    signal,
  );
  if (!response.ok) throw await failureOfResponse(response, signal);

  const value = parseJson(await overNetwork(response.text(), signal));
  if (value === undefined) {
    throw new JudgeResponseError("The judge's reply is not JSON.", { reason: "malformed" });
  }
  return { value, requestId: requestIdOf(response.headers) };
}
