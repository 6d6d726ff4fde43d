/**
 * toolsieve: filters an agent's tools before every model turn. The public surface of the root
 * entry; runs everywhere.
 */

export { createToolSelector } from "./selector/tool-selector.js";
export type { ModelStep } from "./selector/model-step.js";
export type { PrepareOptions } from "./selector/prepare-tools.js";
export type { ToolSelector } from "./selector/tool-selector.js";
export type { ResolvedOptions, ToolSelectorOptions } from "./core/options.js";
export type { ContextOptions, Redact } from "./core/context.js";
export type { JudgeLimits } from "./core/limits.js";
export type {
  Candidate,
  EvictionStrategy,
  Judge,
  JudgeContext,
  JudgeFunction,
  JudgeMessage,
  JudgeOptions,
  JudgeRequest,
  JudgeResponse,
  JudgeUsage,
  Judgment,
  JsonSchema,
  Logger,
  MetadataFilter,
  Mode,
  ModelOutcome,
  ModelUsage,
  PinReason,
  Selection,
  SelectionReason,
  SelectionStatus,
  Sink,
  ToolDescription,
  ToolIndex,
  ToolMatch,
  ToolOutcome,
  ToolReason,
  ToolSearchRequest,
  ToolSearchResult,
  Turn,
  TurnMessage,
  TurnOverrides,
  Verdict,
} from "./core/types.js";

export { localJudge } from "./judges/local/local-judge.js";
export type { LocalJudgeOptions } from "./judges/local/local-judge.js";
export { retrying } from "./judges/wrappers/retrying.js";
export type { RetryOptions } from "./judges/wrappers/retrying.js";
export { circuitBreaking } from "./judges/wrappers/circuit-breaking.js";
export type { BreakerOptions, CircuitBreakingOptions } from "./judges/wrappers/circuit-breaking.js";
export { caching } from "./judges/wrappers/caching.js";
export type { CachingOptions } from "./judges/wrappers/caching.js";
export { cascading } from "./judges/wrappers/cascading.js";
export type { CascadingOptions } from "./judges/wrappers/cascading.js";
export { calibrated } from "./judges/wrappers/calibrated.js";
export type { CalibrationCurve, CalibrationPair } from "./judges/calibration/calibration-curve.js";
export { fitCalibration } from "./judges/calibration/fit-calibration.js";
export type {
  CalibrationError,
  CalibrationFit,
  FitCalibrationOptions,
} from "./judges/calibration/fit-calibration.js";

export { memorySink } from "./sinks/memory.js";
export type { MemorySink } from "./sinks/memory.js";
export { fanOut } from "./sinks/fan-out.js";

export { createLexicalToolIndex } from "./tool-index/lexical/lexical-tool-index.js";
export type { LexicalToolIndexOptions } from "./tool-index/lexical/lexical-tool-index.js";
export { findToolsSchema } from "./tool-index/find-tools/find-tools-schema.js";
export type { FindToolsSchemaOptions } from "./tool-index/find-tools/find-tools-schema.js";
export { parseFindToolsRequest } from "./tool-index/find-tools/parse-find-tools-request.js";
export type {
  FindToolsError,
  FindToolsRequest,
  MissedName,
  ParseFindToolsOptions,
  ParsedFindToolsRequest,
} from "./tool-index/find-tools/parse-find-tools-request.js";
export { isToolIndex } from "./tool-index/tool-index.js";
export { metadataFilter } from "./tool-index/metadata-filter.js";
export { createHybridToolIndex } from "./tool-index/hybrid-tool-index.js";
export type { HybridToolIndexOptions } from "./tool-index/hybrid-tool-index.js";
export { createToolSessions } from "./tool-index/sessions/tool-sessions.js";
export type { ToolSessions, ToolSessionsOptions } from "./tool-index/sessions/tool-sessions.js";
export {
  alwaysEvict,
  compositeEviction,
  lruEviction,
  neverEvict,
  ttlEviction,
} from "./tool-index/sessions/eviction.js";

export { describeTool } from "./core/describe.js";
export { catalogFingerprint } from "./core/fingerprint.js";
export { parseSelectionRecord, selectionRecordSchema } from "./core/record.js";
export type { SelectionRecord } from "./core/record.js";

export {
  InvalidOptionsError,
  JudgeHttpError,
  JudgeResponseError,
  JudgeTimeoutError,
  RecordFormatError,
  ToolSieveError,
} from "./errors.js";
export type { JudgeHttpErrorDetails, JudgeResponseFailure } from "./errors.js";
