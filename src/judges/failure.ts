/** What a failed judge call means for those who retry or give up: one classification for our errors and any client's. */

import {
  JudgeHttpError,
  JudgeResponseError,
  JudgeTimeoutError,
  type JudgeResponseFailure,
} from "../errors.js";
import { isControlFlow } from "../core/control-flow.js";
import { read } from "../core/read.js";

/**
 * - `transient`: 429, 529, 5xx or no connection; the same request may succeed later
 * - `credentials`: 401 or 403; no request will succeed
 * - `configuration`: a refused parameter or an unknown model; no request will succeed
 * - `request`: another failure status
 * - `limit`: this one request was too large, or its reply too long
 * - `refused`: the judge declined this one request
 * - `malformed`: a reply that cannot be read
 * - `timeout`: our own budget ended
 * - `not-asked`: a circuit breaker further in was open
 * - `control-flow`: not a failure at all, LangGraph's way out of a node
 * - `unknown`: anything else that was thrown
 */
export type JudgeFailure =
  | "transient"
  | "credentials"
  | "configuration"
  | "request"
  | "limit"
  | "refused"
  | "malformed"
  | "timeout"
  | "not-asked"
  | "control-flow"
  | "unknown";

const limitCodes: ReadonlySet<string> = new Set([
  "max_tokens_exceeded",
  "context_length_exceeded",
  "string_above_max_length",
  "request_too_large",
]);

const configurationCodes: ReadonlySet<string> = new Set([
  "unsupported_parameter",
  "unsupported_value",
  "unknown_parameter",
  "model_not_found",
]);

/** Codes that services put into an error body. Only these are ever read from one: a body echoes what was sent. */
export const knownErrorCodes: ReadonlySet<string> = new Set([
  ...limitCodes,
  ...configurationCodes,
  "content_filter",
  "insufficient_quota",
  "invalid_api_key",
  "rate_limit_exceeded",
]);

/** System and socket error codes that mean: no connection, or a broken one. */
const networkCode = /^(?:E[A-Z]{3,20}|UND_ERR_[A-Z_]{3,40})$/;

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}

/** The HTTP status that an error of any client carries: `status`, `statusCode` or `response.status`; else `null`. */
export function statusOf(error: unknown): number | null {
  return (
    numberOf(read(error, "status")) ??
    numberOf(read(error, "statusCode")) ??
    numberOf(read(read(error, "response"), "status"))
  );
}

/** The code of a failed connection, as Node and undici name it (`ECONNREFUSED`), from the error or its cause; else `null`. */
export function networkCodeOf(error: unknown): string | null {
  for (const code of [read(error, "code"), read(read(error, "cause"), "code")]) {
    if (typeof code === "string" && networkCode.test(code)) return code;
  }
  return null;
}

function failureOfStatus(status: number, code: unknown): JudgeFailure {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429 || status >= 500) return "transient";
  if (status === 413 || (typeof code === "string" && limitCodes.has(code))) return "limit";
  if (code === "content_filter") return "refused";
  return typeof code === "string" && configurationCodes.has(code) ? "configuration" : "request";
}

const failureOfReply: Readonly<Record<JudgeResponseFailure, JudgeFailure>> = {
  refused: "refused",
  truncated: "limit",
  "circuit-open": "not-asked",
  malformed: "malformed",
  "too-large": "malformed",
  "no-logprobs": "malformed",
};

/** Classifies what a judge threw. */
export function failureOf(error: unknown): JudgeFailure {
  if (isControlFlow(error)) return "control-flow";
  if (JudgeTimeoutError.isInstance(error)) return "timeout";
  if (JudgeResponseError.isInstance(error)) return failureOfReply[error.reason];
  const status = statusOf(error);
  if (status !== null) return failureOfStatus(status, read(error, "code"));
  const isNetwork = JudgeHttpError.isInstance(error) || networkCodeOf(error) !== null;
  return isNetwork ? "transient" : "unknown";
}
