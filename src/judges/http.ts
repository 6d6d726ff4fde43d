/**
 * The HTTP client of the judges: one JSON request over `fetch`. Its errors hold no text of a body
 * or a key.
 */

import { JudgeHttpError, JudgeResponseError, type JudgeHttpErrorDetails } from "../errors.js";
import { read } from "../core/read.js";
import { untilAborted } from "../core/abort.js";
import { knownErrorCodes, readNetworkCode } from "./failure.js";

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

/**
 * Text of a server that may reach a record (model name, request id), if it is plain and short; else
 * `undefined`.
 */
export function readPlainText(value: unknown): string | undefined {
  return typeof value === "string" && /^[\w.:/@+-]{1,120}$/.test(value) ? value : undefined;
}

/**
 * Reads `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) and `retry-after-ms`, in
 * milliseconds; `null` if there is no valid one.
 */
export function readRetryAfter(headers: Headers, now: number = Date.now()): number | null {
  const ms = headers.get("retry-after-ms")?.trim();
  if (ms !== undefined && /^\d+(?:\.\d+)?$/.test(ms)) return Number(ms);
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Reads the request id of the service, if it may reach a record. */
function readRequestId(headers: Headers): string | undefined {
  return (
    readPlainText(headers.get("x-typesafe-request-id")) ??
    readPlainText(headers.get("x-request-id"))
  );
}

/** Limits a body: reading more than the maximum fails. */
function limitBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
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
 * A `fetch` for judges. It follows no redirect, because that would pass key and conversation on. A
 * body over 4 MiB fails with a `JudgeResponseError` (`too-large`) while it is read.
 */
export function limitFetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await (fetch ?? globalThis.fetch)(input, { ...init, redirect: "manual" });
    // `node-fetch` has bodies of another kind, which cannot be bounded here.
    if (typeof read(response.body, "pipeThrough") !== "function" || response.body === null) {
      return response;
    }
    const { status, statusText, headers } = response;
    return new Response(limitBody(response.body), { status, statusText, headers });
  };
}

/** Parses JSON; `undefined` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The objects of an error body that may carry a code: `error`, `detail`, its `error` or first
 * entry, or the body itself.
 */
function listErrorObjects(body: unknown): readonly unknown[] {
  const detail = read(body, "detail");
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  return [read(body, "error"), detail, read(detail, "error"), first, body];
}

/** The first word of a text: some services put the code in front of the message. */
const readFirstWord = (text: unknown): unknown =>
  typeof text === "string" ? /^\w+/.exec(text)?.[0] : undefined;

function findKnown(candidates: readonly unknown[], known: ReadonlySet<string>): string | null {
  const found = candidates.find((value) => typeof value === "string" && known.has(value));
  return typeof found === "string" ? found : null;
}

/** Reads known machine-readable codes and parameters from an error body. */
export function readErrorDetails(body: unknown): { code: string | null; parameter: string | null } {
  const objects = listErrorObjects(body);
  return {
    code: findKnown(
      objects.flatMap((value) => [
        read(value, "code"),
        read(value, "type"),
        ...[value, read(value, "message"), read(value, "msg")].map(readFirstWord),
      ]),
      knownErrorCodes,
    ),
    parameter: findKnown(
      objects.map((value) => read(value, "param")),
      knownParameters,
    ),
  };
}

/** Builds the error of a failed request; its message holds no text of the service. */
export function createHttpError(details: JudgeHttpErrorDetails): JudgeHttpError {
  const code = details.code === undefined || details.code === null ? "" : ` (${details.code})`;
  return new JudgeHttpError(
    details.status === null
      ? `The judge's service could not be reached${code}.`
      : `The judge's service answered with HTTP status ${details.status}${code}.`,
    details,
  );
}

/**
 * Awaits a step of a request; a failure becomes the signal's reason or a network error without its
 * own text.
 */
async function awaitNetwork<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(step, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (JudgeResponseError.isInstance(error)) throw error;
    throw createHttpError({ status: null, code: readNetworkCode(error) });
  }
}

/** True for statuses that need no explanation by a body; the body is then not read. */
export const needsNoBody = (status: number): boolean =>
  status < 400 || status >= 500 || [401, 403, 429].includes(status);

async function readErrorBody(response: Response, signal: AbortSignal): Promise<unknown> {
  if (needsNoBody(response.status)) {
    response.body?.cancel().catch(() => {});
    return undefined;
  }
  const text = await untilAborted(response.text(), signal).catch(() => "");
  signal.throwIfAborted();
  return parseJson(text);
}

async function readFailure(response: Response, signal: AbortSignal): Promise<JudgeHttpError> {
  const body = await readErrorBody(response, signal);
  return createHttpError({
    status: response.status,
    retryAfterMs: readRetryAfter(response.headers),
    requestId: readRequestId(response.headers) ?? null,
    ...readErrorDetails(body),
  });
}

/**
 * Posts JSON and reads JSON.
 *
 * @throws {JudgeHttpError} on any status but 2xx (redirects too), or without a connection (`status:
 * null`).
 * @throws {JudgeResponseError} `malformed` if the reply is not JSON, `too-large` if it is over 4
 * MiB.
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
  const response = await awaitNetwork(
    limitFetch(request.fetch)(url, { method: "POST", headers, body, signal }),
    signal,
  );
  if (!response.ok) throw await readFailure(response, signal);

  const value = parseJson(await awaitNetwork(response.text(), signal));
  if (value === undefined) {
    throw new JudgeResponseError("The judge's reply is not JSON.", { reason: "malformed" });
  }
  return { value, requestId: readRequestId(response.headers) };
}
