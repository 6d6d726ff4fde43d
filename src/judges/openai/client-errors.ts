/** Turns what the `openai` client throws into the errors of this package, with nothing of a prompt, a key or a body in them. */

import { read } from "../../core/read.js";
import { JudgeResponseError, type JudgeHttpError } from "../../errors.js";
import { networkCodeOf, statusOf } from "../failure.js";
import { errorDetailsOf, httpError, plainToken, retryAfterOf } from "../http.js";

/** The parameters of a completion request that a server may refuse, and that the judge can do without. */
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

/** The places where servers without a `param` field name what they refuse; short, because what follows may echo the prompt. */
function complaint(body: unknown): string {
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

function refusedParameterOf(body: unknown, named: string | null): string | null {
  if (named !== null) return named;
  const found = new RegExp(`(?<![\\w-])(?:${refusable.join("|")})(?![\\w-])`).exec(complaint(body));
  return found?.[0] ?? null;
}

/** What a 400 or 422 says: which parameter it refuses, or that this one request was too long. */
function detailsOf(
  status: number,
  body: unknown,
): { code: string | null; parameter: string | null } {
  const { code, parameter } = errorDetailsOf(body);
  if (status !== 400 && status !== 422) return { code, parameter };
  if (code === null && /context (?:length|window)|too long/i.test(complaint(body))) {
    return { code: "context_length_exceeded", parameter: null };
  }
  const refused = refusedParameterOf(body, parameter);
  return {
    code: code ?? (isRefusable(refused) ? "unsupported_parameter" : null),
    parameter: refused,
  };
}

function isHeaders(value: unknown): value is Headers {
  return typeof read(value, "get") === "function";
}

function fromStatus(error: unknown, status: number): JudgeHttpError | JudgeResponseError {
  const headers = read(error, "headers");
  const details = detailsOf(status, read(error, "error"));
  if (details.code === "content_filter") {
    return new JudgeResponseError("The judge's service refused the request.", {
      reason: "refused",
    });
  }
  return httpError({
    status,
    retryAfterMs: isHeaders(headers) ? retryAfterOf(headers) : null,
    requestId: plainToken(read(error, "requestID")) ?? null,
    ...details,
  });
}

/** The error to throw for what the client threw: by status, unreadable JSON, or no connection. */
export function toJudgeError(error: unknown): JudgeHttpError | JudgeResponseError {
  const cause = read(error, "cause");
  for (const own of [error, cause]) if (JudgeResponseError.isInstance(own)) return own;
  if (error instanceof SyntaxError) {
    return new JudgeResponseError("The judge's reply is not JSON.", { reason: "malformed" });
  }
  const status = statusOf(error);
  if (status !== null) return fromStatus(error, status);
  return httpError({ status: null, code: networkCodeOf(error) ?? networkCodeOf(cause) });
}
