/**
 * Classifies failed judge calls for retries and the circuit breaker, whichever client threw the
 * error.
 */

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
 * - `not-asked`: an inner circuit breaker was open
 * - `control-flow`: no failure; LangGraph's interrupts and commands
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

/** Codes of error bodies. No other text of a body is read, because bodies can echo the request. */
export const knownErrorCodes: ReadonlySet<string> = new Set([
  ...limitCodes,
  ...configurationCodes,
  "content_filter",
  "insufficient_quota",
  "invalid_api_key",
  "rate_limit_exceeded",
]);

/** System and socket codes of a missing or broken connection. */
const networkCode = /^(?:E[A-Z]{3,20}|UND_ERR_[A-Z_]{3,40})$/;

function readInteger(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}

/**
 * Reads the HTTP status of any client's error: `status`, `statusCode` or `response.status`; else
 * `null`.
 */
export function readStatus(error: unknown): number | null {
  return (
    readInteger(read(error, "status")) ??
    readInteger(read(error, "statusCode")) ??
    readInteger(read(read(error, "response"), "status"))
  );
}

/**
 * Reads the code of a failed connection (`ECONNREFUSED`) from an error or its cause; else `null`.
 */
export function readNetworkCode(error: unknown): string | null {
  for (const code of [read(error, "code"), read(read(error, "cause"), "code")]) {
    if (typeof code === "string" && networkCode.test(code)) return code;
  }
  return null;
}

function classifyStatus(status: number, code: unknown): JudgeFailure {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429 || status >= 500) return "transient";
  if (status === 413 || (typeof code === "string" && limitCodes.has(code))) return "limit";
  if (code === "content_filter") return "refused";
  return typeof code === "string" && configurationCodes.has(code) ? "configuration" : "request";
}

const failureByReason: Readonly<Record<JudgeResponseFailure, JudgeFailure>> = {
  refused: "refused",
  truncated: "limit",
  "circuit-open": "not-asked",
  malformed: "malformed",
  "too-large": "malformed",
  "no-logprobs": "malformed",
};

/** Classifies an error of a judge. */
export function classifyFailure(error: unknown): JudgeFailure {
  if (isControlFlow(error)) return "control-flow";
  if (JudgeTimeoutError.isInstance(error)) return "timeout";
  if (JudgeResponseError.isInstance(error)) return failureByReason[error.reason];
  const status = readStatus(error);
  if (status !== null) return classifyStatus(status, read(error, "code"));
  const isNetwork = JudgeHttpError.isInstance(error) || readNetworkCode(error) !== null;
  return isNetwork ? "transient" : "unknown";
}
