/** The sink that writes to OpenTelemetry; needs the optional packages `@opentelemetry/api` and `@opentelemetry/api-logs`. */

export { otelSink, type OtelSinkOptions } from "./sinks/otel.js";
