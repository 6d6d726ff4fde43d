/**
 * The selection record: the versioned log line of a turn, its schema and its parser. Holds no
 * message text by default.
 */

import * as z from "zod";
import { RecordFormatError } from "../errors.js";

const count = z.int().min(0);
const probability = z.number().min(0).max(1);
const nullableText = z.string().nullable();

const toolEntry = z.looseObject({
  name: nullableText,
  probability: probability.nullable(),
  verdict: z
    .enum(["applicable", "not-applicable", "uncertain", "abstained", "unjudged", "not-awaited"])
    .nullable(),
  kept: z.boolean(),
  /** A `ToolReason`; readers accept reasons that they do not know. */
  reason: z.string(),
  /** Tokens of this tool's definition. */
  tokens: count.nullable(),
});

const toolList = z.looseObject({
  tools: count,
  definitionTokens: count.nullable(),
  fingerprint: nullableText,
});

/**
 * A record, one JSON line, version 1. Unknown numbers are `null`, never 0; readers accept extra
 * fields.
 *
 * Shapes: `time` is the start of the turn (ISO 8601); latencies are milliseconds; `request` is the
 * id of the last user message, or its ordinal; `step` counts the model turns since it, from 1;
 * `outcome` is `null` when the model was never called, or when what it did is unknown.
 */
export const selectionRecordSchema = z.looseObject({
  v: z.literal(1),
  id: z.string(),
  time: z.iso.datetime({ offset: true }),
  threadId: nullableText,
  runId: nullableText,
  groupId: nullableText,
  agent: nullableText,
  request: nullableText,
  step: count.nullable(),
  mode: z.enum(["off", "shadow", "enforce"]),
  enforced: z.boolean(),
  enforceShare: z.number().min(0).max(1).nullable(),
  version: nullableText,
  policyFingerprint: z.string(),
  status: z.enum(["decided", "uncertain", "failed", "skipped", "cancelled"]),
  reason: z.string(),
  fallback: z.boolean(),
  policy: z.looseObject({
    confidenceThreshold: z.number(),
    rejectionThreshold: z.number(),
    maxTools: count,
    onUncertain: z.enum(["fallback", "keep"]),
  }),
  /** `null` when the judge was not asked. */
  judge: z
    .looseObject({
      id: z.string(),
      model: nullableText,
      batches: count,
      requests: count,
      retries: count,
      latencyMs: z.number().min(0),
      cached: z.boolean(),
      /** `false`: the judgments of an earlier turn were used again. Absent in older records. */
      rejudged: z.boolean().optional(),
      usage: z
        .looseObject({
          inputTokens: count,
          outputTokens: count,
          cachedInputTokens: count.nullable(),
        })
        .nullable(),
    })
    .nullable(),
  catalog: z.looseObject({
    fingerprint: nullableText,
    tools: count,
    candidates: count,
    definitionTokens: count.nullable(),
  }),
  /** Catalog order; in catalogs over 500 tools only those judged, kept or called. */
  tools: z.array(toolEntry),
  offered: toolList,
  suggested: toolList,
  outcome: z
    .looseObject({
      called: z.array(z.string()),
      missed: z.array(z.string()),
      model: nullableText,
      latencyMs: z.number().min(0).nullable(),
      error: z.boolean(),
      usage: z
        .looseObject({
          inputTokens: count,
          outputTokens: count,
          cacheReadTokens: count.nullable(),
          cacheWriteTokens: count.nullable(),
        })
        .nullable(),
    })
    .nullable(),
  error: z.looseObject({ kind: z.string(), status: z.int().optional() }).nullable(),
  /** Calls of `find_tools` since the thread's previous turn, and the tools that they revealed. */
  findTools: z.looseObject({ searches: count, found: count }).nullish(),
  /** Tools whose calls the guard did not execute since the thread's previous turn. */
  guard: z.looseObject({ stopped: z.array(z.string()) }).nullish(),
  /** The turn had valid overrides: it belongs to a cohort of its own. */
  overrides: z.literal(true).optional(),
  /** Only with `content: true`: what the judge saw, after redaction. */
  content: z
    .looseObject({
      request: z.string(),
      messages: z.array(z.looseObject({ role: z.string(), text: z.string() })),
    })
    .optional(),
});

/** The versioned log line of a turn. */
export type SelectionRecord = z.infer<typeof selectionRecordSchema>;

/**
 * Reads one line of a shadow log.
 *
 * @throws {RecordFormatError} if the line is not JSON or not a record of version 1; the message
 * names the first wrong field.
 */
export function parseSelectionRecord(line: string): SelectionRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RecordFormatError(
      "Expected a selection record as one JSON line, got text that is not JSON.",
    );
  }
  const parsed = selectionRecordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join(".") || "record";
  throw new RecordFormatError(
    `Expected a selection record of version 1: field \`${path}\` is missing or wrong.`,
  );
}
