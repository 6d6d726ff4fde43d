/** Reads the reply of a judge: answers by position, or the reason why there are none. */

import { JudgeHttpError, JudgeResponseError, JudgeTimeoutError } from "../errors.js";
import type { JudgeResponseFailure } from "../errors.js";
import { read } from "./read.js";
import { sumKnown } from "./sum.js";
import type { SelectionReason } from "./types.js";
import { isValidAnswer } from "./verdict.js";

/**
 * Why candidates are unjudged: the reason of the selection, and what a record says of the error.
 */
export interface JudgeFailure {
  readonly reason: Extract<SelectionReason, "timeout" | "refused" | "unjudged" | "judge-error">;
  readonly kind: string;
  readonly status?: number | undefined;
}

/** A judge's reply for one batch, as far as it can be trusted. */
export interface JudgeReply {
  /** One per candidate; everything invalid is `undefined`. */
  readonly answers: readonly (number | null | undefined)[];
  readonly failure: JudgeFailure | null;
  readonly model: string | null;
  readonly requests: number;
  readonly retries: number;
  readonly cached: boolean;
  /** `null`: unknown. */
  readonly usage: RecordedUsage | null;
}

/** Usage as a record holds it. */
export type RecordedUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null`: unknown. */
  readonly cachedInputTokens: number | null;
};

const noUsage: RecordedUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** A count as a provider reports it; `null` for anything that is not a whole number from 0. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Text of a server that may reach a record: `[\w.:/@+-]` only, at most 120 characters. */
export function readServerText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.replace(/[^\w.:/@+-]/g, "").slice(0, 120) || null;
}

function readUsage(value: unknown): RecordedUsage | null {
  const inputTokens = readCount(read(value, "inputTokens"));
  const outputTokens = readCount(read(value, "outputTokens"));
  if (inputTokens === null || outputTokens === null) return null;
  const cachedInputTokens = readCount(read(value, "cachedInputTokens"));
  return { inputTokens, outputTokens, cachedInputTokens };
}

/**
 * Reads the answers to `expected` candidates: `undefined` where one is missing or invalid. Any other
 * number of answers is void, because an answer cannot be matched to a candidate.
 */
export function readAnswers(
  value: unknown,
  expected: number,
): readonly (number | null | undefined)[] {
  const isWhole = Array.isArray(value) && value.length === expected;
  return Array.from({ length: expected }, (_, index): number | null | undefined => {
    const answer: unknown = isWhole ? value[index] : undefined;
    return isValidAnswer(answer) ? answer : undefined;
  });
}

/** Why answers of a reply are missing, if the judge states it. */
function explainMissing(missing: unknown): JudgeFailure {
  if (missing === "refused") return { reason: "refused", kind: "refused" };
  if (missing === "error") return { reason: "judge-error", kind: "error" };
  return { reason: "unjudged", kind: "malformed" };
}

/**
 * Reads the reply to a batch of `expected` candidates. A number of answers that does not match
 * voids the whole batch.
 */
export function readJudgeReply(response: unknown, expected: number): JudgeReply {
  const answers = readAnswers(read(response, "probabilities"), expected);
  const cached = read(response, "cached") === true;
  return {
    answers,
    failure: answers.includes(undefined) ? explainMissing(read(response, "missing")) : null,
    model: readServerText(read(response, "model")),
    requests: readCount(read(response, "requests")) ?? (cached ? 0 : 1),
    retries: readCount(read(response, "retries")) ?? 0,
    cached,
    usage: readUsage(read(response, "usage")) ?? (cached ? noUsage : null),
  };
}

/** Failures of a reply that a record may name; any other `reason` may be text of a provider. */
const replyFailures: ReadonlySet<unknown> = new Set<JudgeResponseFailure>([
  "malformed",
  "truncated",
  "too-large",
  "no-logprobs",
]);

function explainError(error: unknown): JudgeFailure {
  if (JudgeTimeoutError.isInstance(error)) return { reason: "timeout", kind: "timeout" };
  if (JudgeHttpError.isInstance(error)) {
    const status: unknown = read(error, "status");
    if (status === null) return { reason: "judge-error", kind: "network" };
    return { reason: "judge-error", kind: "http", status: readCount(status) ?? undefined };
  }
  if (JudgeResponseError.isInstance(error)) {
    const reason: unknown = read(error, "reason");
    if (reason === "refused") return { reason, kind: reason };
    if (reason === "circuit-open") return { reason: "judge-error", kind: reason };
    return { reason: "unjudged", kind: replyFailures.has(reason) ? String(reason) : "malformed" };
  }
  return { reason: "judge-error", kind: "error" };
}

/**
 * The reply of a judge that threw: no answers, the requests it made as far as known, usage unknown.
 */
export function failedReply(error: unknown, expected: number): JudgeReply {
  const failure = explainError(error);
  const isUnasked = failure.kind === "circuit-open";
  const attempts = readCount(read(error, "attempts")) ?? 1;
  const requests = isUnasked ? 0 : attempts;
  return {
    answers: Array.from({ length: expected }, () => undefined),
    failure,
    model: null,
    requests,
    retries: Math.max(0, requests - 1),
    cached: false,
    usage: isUnasked ? noUsage : null,
  };
}

/** The usage of all replies together; a field is unknown as soon as one reply does not state it. */
export function sumUsage(replies: readonly JudgeReply[]): RecordedUsage | null {
  const inputTokens = sumKnown(replies.map(({ usage }) => usage?.inputTokens));
  const outputTokens = sumKnown(replies.map(({ usage }) => usage?.outputTokens));
  if (inputTokens === null || outputTokens === null) return null;
  const cachedInputTokens = sumKnown(replies.map(({ usage }) => usage?.cachedInputTokens));
  return { inputTokens, outputTokens, cachedInputTokens };
}
