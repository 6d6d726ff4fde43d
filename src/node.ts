/** What needs Node.js: the sink that writes to a file, and the cache of vectors on disk. */

export { jsonlSink, type JsonlSink, type JsonlSinkOptions } from "./sinks/jsonl.js";
export type { SinkStats } from "./sinks/queue.js";
export { diskVectorCache, type DiskVectorCacheOptions } from "./node/disk-vector-cache.js";
export type { VectorCache } from "./encoder/vector-store.js";
