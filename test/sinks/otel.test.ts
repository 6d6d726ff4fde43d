import { context, trace } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SelectionRecord } from "../../src/core/record.js";
import type { Sink } from "../../src/core/types.js";
import { InvalidOptionsError } from "../../src/errors.js";
import { otelSink } from "../../src/otel.js";
import { selectionRecord } from "../support/records.js";

const logExporter = new InMemoryLogRecordExporter();
const spanExporter = new InMemorySpanExporter();
const loggerProvider = new LoggerProvider({
  processors: [new SimpleLogRecordProcessor({ exporter: logExporter })],
});
const tracer = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(spanExporter)],
}).getTracer("test");

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  logs.setGlobalLoggerProvider(loggerProvider);
});
afterEach(() => {
  context.disable();
  logs.disable();
  logExporter.reset();
  spanExporter.reset();
});

async function inSpan(work: () => void | Promise<void>): Promise<void> {
  const span = tracer.startSpan("invoke_agent");
  await context.with(trace.setSpan(context.active(), span), work);
  span.end();
}

const write = async (sink: Sink, record: SelectionRecord): Promise<void> => sink.write(record);
const onlyLog = () => {
  const [log, ...rest] = logExporter.getFinishedLogRecords();
  expect(rest).toEqual([]);
  return log;
};

describe("otelSink", () => {
  it("emits one log record per turn, named and timed after it", async () => {
    await write(otelSink(), selectionRecord());
    const log = onlyLog();
    expect(log?.eventName).toBe("toolsieve.selection");
    expect(log?.instrumentationScope.name).toBe("toolsieve");
    const [seconds = 0, nanoseconds = 0] = log?.hrTime ?? [];
    expect(new Date(seconds * 1000 + nanoseconds / 1e6).toISOString()).toBe(
      "2026-11-30T09:30:00.123Z",
    );
  });

  it("names attributes by the GenAI conventions where these have a name, and toolsieve.* otherwise", async () => {
    await write(otelSink(), selectionRecord({ runId: "run-1", groupId: "g-1", enforceShare: 0.5 }));
    expect(onlyLog()?.attributes).toEqual({
      "gen_ai.conversation.id": "t-1",
      "gen_ai.agent.name": "support",
      "gen_ai.response.model": "model-1",
      "gen_ai.usage.input_tokens": 9200,
      "gen_ai.usage.output_tokens": 80,
      "gen_ai.usage.cache_read.input_tokens": 6000,
      "gen_ai.usage.cache_creation.input_tokens": 0,
      "toolsieve.record.id": "r-1",
      "toolsieve.run.id": "run-1",
      "toolsieve.group.id": "g-1",
      "toolsieve.request": "msg-7",
      "toolsieve.step": 1,
      "toolsieve.mode": "shadow",
      "toolsieve.enforced": false,
      "toolsieve.enforce_share": 0.5,
      "toolsieve.version": "order-tools-v1",
      "toolsieve.policy.fingerprint": "51c0",
      "toolsieve.policy.confidence_threshold": 0.8,
      "toolsieve.policy.rejection_threshold": 0.2,
      "toolsieve.policy.max_tools": 8,
      "toolsieve.policy.on_uncertain": "fallback",
      "toolsieve.status": "decided",
      "toolsieve.reason": "selected",
      "toolsieve.fallback": false,
      "toolsieve.outcome.called": ["query_order"],
      "toolsieve.outcome.missed": [],
      "toolsieve.outcome.error": false,
      "toolsieve.outcome.latency_ms": 900,
      "toolsieve.judge.id": "fake:1",
      "toolsieve.judge.model": "fake-1",
      "toolsieve.judge.batches": 1,
      "toolsieve.judge.requests": 1,
      "toolsieve.judge.retries": 0,
      "toolsieve.judge.latency_ms": 12.5,
      "toolsieve.judge.cached": false,
      "toolsieve.judge.usage.input_tokens": 300,
      "toolsieve.judge.usage.output_tokens": 20,
      "toolsieve.catalog.fingerprint": "9f2c",
      "toolsieve.catalog.tools": 2,
      "toolsieve.catalog.candidates": 2,
      "toolsieve.catalog.definition_tokens": 360,
      "toolsieve.offered.tools": 2,
      "toolsieve.offered.definition_tokens": 360,
      "toolsieve.suggested.tools": 1,
      "toolsieve.suggested.definition_tokens": 180,
    });
  });

  it("leaves out what is unknown, and never says 0 for it", async () => {
    await write(
      otelSink(),
      selectionRecord({
        threadId: null,
        judge: null,
        outcome: null,
        error: { kind: "http", status: 503 },
      }),
    );
    const attributes = onlyLog()?.attributes ?? {};
    const isUnknown = (key: string) =>
      /gen_ai\.(usage|conversation|response)|toolsieve\.(judge|outcome|run)/.test(key);
    expect(Object.keys(attributes).filter(isUnknown)).toEqual([]);
    expect(attributes).toMatchObject({
      "toolsieve.error.kind": "http",
      "toolsieve.error.status": 503,
    });
  });

  const outcome = selectionRecord().outcome;
  it.each<[string, Partial<SelectionRecord>, string]>([
    ["a decided selection", {}, "INFO"],
    ["an uncertain selection", { status: "uncertain", fallback: true }, "INFO"],
    ["a failed selection", { status: "failed", fallback: true }, "WARN"],
    ["a miss", { outcome: outcome && { ...outcome, missed: ["refund"] } }, "WARN"],
  ])("gives %s the severity it deserves", async (_, fields, severity) => {
    await write(otelSink(), selectionRecord(fields));
    expect(onlyLog()?.severityText).toBe(severity);
    expect(onlyLog()?.severityNumber).toBe(severity === "WARN" ? 13 : 9);
  });

  it("adds an event to the span that is active in the turn, with the very first record too", async () => {
    const sink = otelSink();
    await inSpan(() => write(sink, selectionRecord({ id: "first" })));
    await inSpan(() => write(sink, selectionRecord({ id: "second" })));
    const spans = spanExporter.getFinishedSpans();
    expect(spans.map(({ events }) => events.map(({ name }) => name))).toEqual([
      ["toolsieve.selection"],
      ["toolsieve.selection"],
    ]);
    expect(spans.map(({ events }) => events[0]?.attributes?.["toolsieve.record.id"])).toEqual([
      "first",
      "second",
    ]);
    expect(
      logExporter.getFinishedLogRecords().map(({ spanContext }) => spanContext?.spanId),
    ).toEqual(spans.map((span) => span.spanContext().spanId));
  });

  it("adds the event at once, so that a span which ends right after the turn still has it", async () => {
    const sink = otelSink();
    await write(sink, selectionRecord());
    const span = tracer.startSpan("invoke_agent");
    context.with(trace.setSpan(context.active(), span), () => void sink.write(selectionRecord()));
    span.end();
    expect(spanExporter.getFinishedSpans()[0]?.events).toHaveLength(1);
  });

  it("leaves an ended span alone and emits the log record all the same", async () => {
    const sink = otelSink();
    const span = tracer.startSpan("ended");
    span.end();
    const addEvent = vi.spyOn(span, "addEvent");
    await context.with(trace.setSpan(context.active(), span), () => write(sink, selectionRecord()));
    expect(addEvent).not.toHaveBeenCalled();
    expect(spanExporter.getFinishedSpans()[0]?.events).toEqual([]);
    expect(onlyLog()).toBeDefined();
  });

  it.each([
    [{ logs: false }, 0, 1],
    [{ spanEvents: false }, 1, 0],
  ])("with %j emits %i log records and %i span events", async (options, logCount, eventCount) => {
    await inSpan(() => write(otelSink(options), selectionRecord()));
    expect(logExporter.getFinishedLogRecords()).toHaveLength(logCount);
    expect(spanExporter.getFinishedSpans()[0]?.events).toHaveLength(eventCount);
  });

  it("finds a provider that is registered after the sink was made", async () => {
    logs.disable();
    const sink = otelSink();
    await write(sink, selectionRecord({ id: "unheard" }));
    logs.setGlobalLoggerProvider(loggerProvider);
    await write(sink, selectionRecord({ id: "heard" }));
    expect(onlyLog()?.attributes["toolsieve.record.id"]).toBe("heard");
  });

  it("uses the logger provider that it is given", async () => {
    logs.disable();
    await write(otelSink({ loggerProvider }), selectionRecord());
    expect(onlyLog()).toBeDefined();
  });

  it("holds no message text anywhere, also when the record does, and with the whole record as body", async () => {
    const record = selectionRecord({
      content: { request: "canary", messages: [{ role: "user", text: "canary" }] },
    });
    await inSpan(() => write(otelSink({ body: true }), record));
    const { content: _content, ...rest } = record;
    expect(onlyLog()?.body).toEqual(rest);
    const seen = [
      onlyLog()?.attributes,
      onlyLog()?.body,
      spanExporter.getFinishedSpans()[0]?.events,
    ];
    expect(JSON.stringify(seen)).not.toContain("canary");
  });

  it("has no body unless it is asked for", async () => {
    await write(otelSink(), selectionRecord());
    expect(onlyLog()?.body).toBeUndefined();
  });

  it("says what to install when a package is missing, in every write", async () => {
    vi.resetModules();
    vi.doMock("@opentelemetry/api-logs", () => {
      throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    });
    const { otelSink } = await import("../../src/otel.js");
    const sink = otelSink();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(write(sink, selectionRecord())).rejects.toThrow("npm install @opentelemetry/api");
    await expect(write(sink, selectionRecord())).rejects.toThrow("npm install @opentelemetry/api");
    vi.doUnmock("@opentelemetry/api-logs");
    vi.resetModules();
  });

  it.each([[{ logs: "yes" }], [{ loggerProvider: {} }], [{ content: true }], ["otel"]])(
    "refuses %j",
    (options) => {
      // @ts-expect-error: what a caller without types may pass
      expect(() => otelSink(options)).toThrow(InvalidOptionsError);
    },
  );
});
