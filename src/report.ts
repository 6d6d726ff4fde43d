/** `toolsieve/report`: from a shadow log to a verdict, a page, and tuned thresholds. Node only. */

export { readRecords } from "./report/records/read-records.js";
export type { ReadSource, RecordLog } from "./report/records/read-records.js";
export { readPostgresRecords } from "./report/records/read-postgres-records.js";
export type { PostgresSource } from "./report/records/read-postgres-records.js";
export { summarize } from "./report/summarize.js";
export type { RecordSource } from "./report/summarize.js";
export type { SummarizeOptions } from "./report/summarize-options.js";
export type { Prices } from "./report/saving/prices.js";
export type { ReportSummary, ReportVerdict } from "./report/summary.js";
export { renderReport } from "./report/page/render-report.js";
export { tuneThresholds } from "./report/tune/tune-thresholds.js";
export type { TuneOptions, TuneSummary } from "./report/tune/tune-thresholds.js";
