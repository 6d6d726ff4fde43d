/**
 * Records in OpenTelemetry: a log record per turn, and an event on the span of the agent.
 *
 * Run: `npx tsx examples/otel-sink.ts`. It exports to memory and prints; an application registers its own exporters.
 */

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
import { createToolSelector } from "../src/index.js";
import { otelSink } from "../src/otel.js";
import { fakeJudge } from "../src/testing/fake-judge.js";

const logExporter = new InMemoryLogRecordExporter();
const spanExporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
logs.setGlobalLoggerProvider(
  new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] }),
);
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }),
);

const selector = createToolSelector({
  // A scripted judge, so that the example needs no network; leave `judge` out for the embedded one.
  judge: fakeJudge({ probabilities: { query_order: 0.95, refund: 0.05 } }),
  mode: "enforce",
  agent: "support",
  sinks: otelSink(),
});

await trace.getTracer("example").startActiveSpan("invoke_agent support", async (span) => {
  await selector.run(
    {
      messages: [{ role: "user", text: "Where is my order 7?" }],
      tools: [
        { name: "query_order", description: "Looks up an order by its number." },
        { name: "refund", description: "Pays an order back." },
      ],
      threadId: "thread-1",
    },
    { callModel: async () => ["query_order"], readOutcome: (called) => ({ called }) },
  );
  await selector.flush();
  span.end();
});

for (const { eventName, severityText, attributes } of logExporter.getFinishedLogRecords()) {
  console.log(`log record ${eventName} (${severityText})`);
  console.table(attributes);
}
for (const { name, events } of spanExporter.getFinishedSpans()) {
  console.log(`span ${name}: events ${events.map((event) => event.name).join(", ")}`);
}
await selector.close();
