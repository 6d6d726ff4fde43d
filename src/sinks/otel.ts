/**
 * A sink that turns records into OpenTelemetry log records and span events, without any message
 * text.
 */

import type { Attributes } from "@opentelemetry/api";
import type { LogBody, LoggerProvider } from "@opentelemetry/api-logs";
import * as z from "zod";
import { loadPackage } from "../core/load-package.js";
import { booleanOption, parseOptions } from "../core/parse-options.js";
import type { SelectionRecord } from "../core/record.js";
import type { Sink } from "../core/types.js";

const optionsSchema = z.strictObject({
  /**
   * Emit a log record per turn.
   * @default true
   */
  logs: booleanOption().default(true),
  /**
   * Add an event to the span that is active in the turn, if it is recording.
   * @default true
   */
  spanEvents: booleanOption().default(true),
  /**
   * Put the whole record, `content` left out, into the body of the log record. Large: a few
   * kilobytes per turn, and one entry for each tool.
   * @default false
   */
  body: booleanOption().default(false),
  /**
   * Where loggers come from.
   * @default the global provider, looked up with every record
   */
  loggerProvider: z
    .custom<LoggerProvider>(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        typeof Reflect.get(value, "getLogger") === "function",
      "a logger provider",
    )
    .optional(),
});

/** Options of {@link otelSink}. */
export type OtelSinkOptions = z.input<typeof optionsSchema>;

type ResolvedOptions = z.output<typeof optionsSchema>;

/** Name of the log record's event and of the span event. */
const eventName = "toolsieve.selection";

/**
 * Attributes with a name in the GenAI semantic conventions (status: development,
 * semantic-conventions-genai, `gen-ai-events.md`). `gen_ai.operation.name` is left out on purpose:
 * the event does not stand for a model call, which the model's own instrumentation reports.
 */
function genAiAttributes({ threadId, agent, outcome }: SelectionRecord) {
  return {
    "gen_ai.conversation.id": threadId,
    "gen_ai.agent.name": agent,
    "gen_ai.response.model": outcome?.model,
    "gen_ai.usage.input_tokens": outcome?.usage?.inputTokens,
    "gen_ai.usage.output_tokens": outcome?.usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": outcome?.usage?.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": outcome?.usage?.cacheWriteTokens,
  };
}

function turnAttributes(record: SelectionRecord) {
  const { policy, outcome, error } = record;
  return {
    "toolsieve.record.id": record.id,
    "toolsieve.run.id": record.runId,
    "toolsieve.group.id": record.groupId,
    "toolsieve.request": record.request,
    "toolsieve.step": record.step,
    "toolsieve.mode": record.mode,
    "toolsieve.enforced": record.enforced,
    "toolsieve.enforce_share": record.enforceShare,
    "toolsieve.version": record.version,
    "toolsieve.policy.fingerprint": record.policyFingerprint,
    "toolsieve.policy.confidence_threshold": policy.confidenceThreshold,
    "toolsieve.policy.rejection_threshold": policy.rejectionThreshold,
    "toolsieve.policy.max_tools": policy.maxTools,
    "toolsieve.policy.on_uncertain": policy.onUncertain,
    "toolsieve.status": record.status,
    "toolsieve.reason": record.reason,
    "toolsieve.fallback": record.fallback,
    "toolsieve.error.kind": error?.kind,
    "toolsieve.error.status": error?.status,
    "toolsieve.outcome.called": outcome?.called,
    "toolsieve.outcome.missed": outcome?.missed,
    "toolsieve.outcome.error": outcome?.error,
    "toolsieve.outcome.latency_ms": outcome?.latencyMs,
  };
}

function judgeAttributes({ judge }: SelectionRecord) {
  return {
    "toolsieve.judge.id": judge?.id,
    "toolsieve.judge.model": judge?.model,
    "toolsieve.judge.batches": judge?.batches,
    "toolsieve.judge.requests": judge?.requests,
    "toolsieve.judge.retries": judge?.retries,
    "toolsieve.judge.latency_ms": judge?.latencyMs,
    "toolsieve.judge.cached": judge?.cached,
    "toolsieve.judge.usage.input_tokens": judge?.usage?.inputTokens,
    "toolsieve.judge.usage.output_tokens": judge?.usage?.outputTokens,
  };
}

function toolAttributes({ catalog, offered, suggested }: SelectionRecord) {
  return {
    "toolsieve.catalog.fingerprint": catalog.fingerprint,
    "toolsieve.catalog.tools": catalog.tools,
    "toolsieve.catalog.candidates": catalog.candidates,
    "toolsieve.catalog.definition_tokens": catalog.definitionTokens,
    "toolsieve.offered.tools": offered.tools,
    "toolsieve.offered.definition_tokens": offered.definitionTokens,
    "toolsieve.suggested.tools": suggested.tools,
    "toolsieve.suggested.definition_tokens": suggested.definitionTokens,
  };
}

/** The record as flat attributes; what is unknown is left out. */
function toAttributes(record: SelectionRecord): Attributes {
  const all: Readonly<Record<string, Attributes[string] | null>> = {
    ...genAiAttributes(record),
    ...turnAttributes(record),
    ...judgeAttributes(record),
    ...toolAttributes(record),
  };
  const known: Attributes = {};
  for (const [key, value] of Object.entries(all)) {
    if (value !== null && value !== undefined) known[key] = value;
  }
  return known;
}

/** The record as a log body: plain data, without the one field that can hold message text. */
function toBody(record: SelectionRecord): LogBody {
  return JSON.parse(JSON.stringify({ ...record, content: undefined })) as LogBody;
}

const packages = [
  { name: "@opentelemetry/api", versions: "1.9 or later", major: 1 },
  { name: "@opentelemetry/api-logs", versions: "0.203 or later", major: 0 },
];

function loadApis() {
  return loadPackage("otelSink", packages, async () => {
    const [{ trace }, { logs, SeverityNumber }] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/api-logs"),
    ]);
    return { trace, logs, SeverityNumber };
  });
}

type Apis = Awaited<ReturnType<typeof loadApis>>;

function emit(record: SelectionRecord, apis: Apis, options: ResolvedOptions): void {
  const attributes = toAttributes(record);
  if (options.spanEvents) {
    const span = apis.trace.getActiveSpan();
    if (span?.isRecording() === true) span.addEvent(eventName, attributes);
  }
  if (!options.logs) return;
  const isNotable = record.status === "failed" || (record.outcome?.missed.length ?? 0) > 0;
  const { INFO, WARN } = apis.SeverityNumber;
  // Looked up each time, because an application may register its provider after it made the sink.
  (options.loggerProvider ?? apis.logs).getLogger("toolsieve").emit({
    eventName,
    timestamp: new Date(record.time),
    severityNumber: isNotable ? WARN : INFO,
    severityText: isNotable ? "WARN" : "INFO",
    attributes,
    body: options.body ? toBody(record) : undefined,
  });
}

/**
 * Emits each record as an OpenTelemetry log record and as an event of the span that is active in
 * the turn, both named `toolsieve.selection`. Attributes are named by the GenAI semantic
 * conventions where these have a name (`gen_ai.conversation.id`, `gen_ai.usage.input_tokens`, …)
 * and `toolsieve.*` otherwise; docs/sinks.md lists them. None holds message text. A failed
 * selection, or one that missed a tool, has severity WARN.
 *
 * Batching, limits and export are the OpenTelemetry SDK's, so there is nothing to flush or close
 * here: shut the SDK down when the process ends. A span that has ended takes no more events; the
 * log record then stands alone.
 *
 * Needs the packages `@opentelemetry/api` and `@opentelemetry/api-logs`, loaded when the sink is
 * made.
 *
 * @throws {InvalidOptionsError} if an option is wrong.
 * @throws {ToolSieveError} (as a rejection of `write`) if a package is missing.
 *
 * @example
 * ```ts
 * const selector = createToolSelector({ sinks: otelSink() });
 * ```
 */
export function otelSink(options?: OtelSinkOptions): Sink {
  const resolved = parseOptions(optionsSchema, options, "otelSink");
  let apis: Apis | undefined;
  const loading = loadApis();
  loading.then(
    (loaded) => {
      apis = loaded;
    },
    // Reported by every write.
    () => undefined,
  );
  return {
    write(record) {
      if (apis !== undefined) return emit(record, apis, resolved);
      // A continuation keeps the asynchronous context, and with it the active span.
      return loading.then((loaded) => emit(record, loaded, resolved));
    },
  };
}
