/** What needs Node.js: the sink that writes to a file. */

export { jsonlSink, type JsonlSink, type JsonlSinkOptions } from "./sinks/jsonl.js";
export type { SinkStats } from "./sinks/queue.js";
