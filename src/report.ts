/** `toolsieve/report`: from a shadow log to a verdict, a page, and tuned thresholds. Node only. */

export { readRecords } from "./report/read-records.js";
export type { ReadCounts, ReadSource, RecordLog, RecordStream } from "./report/read-records.js";
export { summarize } from "./report/summarize.js";
export type { RecordSource } from "./report/summarize.js";
export type { SummarizeOptions } from "./report/report-options.js";
export type { Prices } from "./report/prices.js";
export { tuneThresholds } from "./report/tune.js";
export type { TunedAgent, TuneOptions, TuneSummary } from "./report/tune.js";
export type { TuneCheck, TunedOptions } from "./report/tune-fit.js";
export { renderReport } from "./report/html/render-report.js";
export { readPostgresRecords, summarizePostgres } from "./report/postgres.js";
export type * from "./report/summary.js";
