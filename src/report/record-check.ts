/**
 * Tells selection records from everything else at the speed of a log: the same answer as `selectionRecordSchema`, field
 * by field, without building a copy. The tests hold the two against each other.
 */

import * as z from "zod";
import type { SelectionRecord } from "../core/record.js";

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, unknown>>;

const dateTime = z.regexes.datetime({ offset: true });

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFromZero: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
const isShare: Check = (value) => isFromZero(value) && (value as number) <= 1;
const isTime: Check = (value) => typeof value === "string" && dateTime.test(value);

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const oneOf = (...values: readonly unknown[]): Check => {
  const known = new Set(values);
  return (value) => known.has(value);
};

const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };

/** An object with these fields, and any others. */
function objectOf(fields: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(fields);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const [name, check] of entries) if (!check((value as Fields)[name])) return false;
    return true;
  };
}

const isTool = objectOf({
  name: orNull(isText),
  probability: orNull(isShare),
  verdict: oneOf(
    "applicable",
    "not-applicable",
    "uncertain",
    "abstained",
    "unjudged",
    "not-awaited",
    null,
  ),
  kept: isFlag,
  reason: isText,
  tokens: orNull(isCount),
});

const isToolList = objectOf({
  tools: isCount,
  definitionTokens: orNull(isCount),
  fingerprint: orNull(isText),
});

const isPolicy = objectOf({
  confidenceThreshold: isNumber,
  rejectionThreshold: isNumber,
  maxTools: isCount,
  onUncertain: oneOf("fallback", "keep"),
});

const isJudge = objectOf({
  id: isText,
  model: orNull(isText),
  batches: isCount,
  requests: isCount,
  retries: isCount,
  latencyMs: isFromZero,
  cached: isFlag,
  usage: orNull(
    objectOf({ inputTokens: isCount, outputTokens: isCount, cachedInputTokens: orNull(isCount) }),
  ),
});

const isOutcome = objectOf({
  called: listOf(isText),
  missed: listOf(isText),
  model: orNull(isText),
  latencyMs: orNull(isFromZero),
  error: isFlag,
  usage: orNull(
    objectOf({
      inputTokens: isCount,
      outputTokens: isCount,
      cacheReadTokens: orNull(isCount),
      cacheWriteTokens: orNull(isCount),
    }),
  ),
});

const isRecord = objectOf({
  v: oneOf(1),
  id: isText,
  time: isTime,
  threadId: orNull(isText),
  runId: orNull(isText),
  groupId: orNull(isText),
  agent: orNull(isText),
  request: orNull(isText),
  step: orNull(isCount),
  mode: oneOf("off", "shadow", "enforce"),
  enforced: isFlag,
  enforceShare: orNull(isShare),
  version: orNull(isText),
  policyFingerprint: isText,
  overrides: optional(oneOf(true)),
  status: oneOf("decided", "uncertain", "failed", "skipped", "cancelled"),
  reason: isText,
  fallback: isFlag,
  policy: isPolicy,
  judge: orNull(isJudge),
  catalog: objectOf({
    fingerprint: orNull(isText),
    tools: isCount,
    candidates: isCount,
    definitionTokens: orNull(isCount),
  }),
  tools: listOf(isTool),
  offered: isToolList,
  suggested: isToolList,
  outcome: orNull(isOutcome),
  error: orNull(objectOf({ kind: isText, status: optional(Number.isSafeInteger) })),
  content: optional(
    objectOf({ request: isText, messages: listOf(objectOf({ role: isText, text: isText })) }),
  ),
});

/** True exactly where `selectionRecordSchema` accepts; the value is not copied. */
export function isSelectionRecord(value: unknown): value is SelectionRecord {
  return isRecord(value);
}
