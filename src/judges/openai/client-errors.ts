/**
 * Turns errors of the `openai` client into errors of this package, without text of a prompt, a key
 * or a body.
 */

import { read } from "../../core/read.js";
import { JudgeResponseError, type JudgeHttpError } from "../../errors.js";
import { readNetworkCode, readStatus } from "../failure.js";
import { readErrorDetails, createHttpError, readPlainText, readRetryAfter } from "../http.js";

/** Parameters of a completion request that a server may refuse and the judge can leave out. */
export type RefusableParameter =
  | "logprobs"
  | "top_logprobs"
  | "temperature"
  | "max_tokens"
  | "max_completion_tokens"
  | "response_format";

const refusable: readonly string[] = [
  "logprobs",
  "top_logprobs",
  "temperature",
  "max_tokens",
  "max_completion_tokens",
  "response_format",
] satisfies readonly RefusableParameter[];

export function isRefusable(parameter: string | null): parameter is RefusableParameter {
  return parameter !== null && refusable.includes(parameter);
}

/**
 * The texts in which servers without a `param` field name a refused parameter; cut, because they
 * may echo the prompt.
 */
function readComplaint(body: unknown): string {
  const detail = read(body, "detail");
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  const place = read(first, "loc");
  return [
    Array.isArray(place) ? place.join(" ") : "",
    read(body, "message"),
    read(body, "error"),
    read(first, "msg"),
    detail,
    body,
  ]
    .filter((text) => typeof text === "string")
    .join("\n")
    .slice(0, 160);
}

function findRefusedParameter(body: unknown, named: string | null): string | null {
  if (named !== null) return named;
  const found = new RegExp(`(?<![\\w-])(?:${refusable.join("|")})(?![\\w-])`).exec(
    readComplaint(body),
  );
  return found?.[0] ?? null;
}

/** Reads from a 400 or 422 which parameter it refuses, or that the request was too long. */
function readDetails(
  status: number,
  body: unknown,
): { code: string | null; parameter: string | null } {
  const { code, parameter } = readErrorDetails(body);
  if (status !== 400 && status !== 422) return { code, parameter };
  if (code === null && /context (?:length|window)|too long/i.test(readComplaint(body))) {
    return { code: "context_length_exceeded", parameter: null };
  }
  const refused = findRefusedParameter(body, parameter);
  return {
    code: code ?? (isRefusable(refused) ? "unsupported_parameter" : null),
    parameter: refused,
  };
}

function isHeaders(value: unknown): value is Headers {
  return typeof read(value, "get") === "function";
}

function toStatusError(error: unknown, status: number): JudgeHttpError | JudgeResponseError {
  const headers = read(error, "headers");
  const details = readDetails(status, read(error, "error"));
  if (details.code === "content_filter") {
    return new JudgeResponseError("The judge's service refused the request.", {
      reason: "refused",
    });
  }
  return createHttpError({
    status,
    retryAfterMs: isHeaders(headers) ? readRetryAfter(headers) : null,
    requestId: readPlainText(read(error, "requestID")) ?? null,
    ...details,
  });
}

/**
 * Turns an error of the client into one of this package: by status, unreadable JSON, or no
 * connection.
 */
export function toJudgeError(error: unknown): JudgeHttpError | JudgeResponseError {
  const cause = read(error, "cause");
  for (const own of [error, cause]) if (JudgeResponseError.isInstance(own)) return own;
  if (error instanceof SyntaxError) {
    return new JudgeResponseError("The judge's reply is not JSON.", { reason: "malformed" });
  }
  const status = readStatus(error);
  if (status !== null) return toStatusError(error, status);
  return createHttpError({ status: null, code: readNetworkCode(error) ?? readNetworkCode(cause) });
}
