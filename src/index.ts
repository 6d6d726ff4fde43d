/** toolsieve: filters an agent's tools before every model turn. The public surface of the root entry; runs everywhere. */

export { createToolSelector } from "./tool-selector.js";
export type { ModelStep } from "./model-step.js";
export type { ToolSelector } from "./tool-selector.js";
export type { ResolvedOptions, ToolSelectorOptions } from "./core/options.js";
export type { ContextOptions, Redact } from "./core/context.js";
export type { JudgeLimits } from "./core/limits.js";
export type {
  Candidate,
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
  Mode,
  ModelOutcome,
  ModelUsage,
  PinReason,
  Selection,
  SelectionReason,
  SelectionStatus,
  Sink,
  ToolDescription,
  ToolOutcome,
  ToolReason,
  Turn,
  TurnMessage,
  TurnOverrides,
  Verdict,
} from "./core/types.js";

export { localJudge } from "./judges/local/local-judge.js";
export { retrying } from "./judges/retrying.js";
export type { RetryOptions } from "./judges/retrying.js";
export { circuitBreaking } from "./judges/circuit-breaking.js";
export type { BreakerOptions, CircuitBreakingOptions } from "./judges/circuit-breaking.js";
export { caching } from "./judges/caching.js";
export type { CachingOptions } from "./judges/caching.js";
export { cascading } from "./judges/cascading.js";
export type { CascadingOptions } from "./judges/cascading.js";
export { calibrated } from "./judges/calibrated.js";
export type { CalibrationCurve, CalibrationPair } from "./judges/calibration-curve.js";
export { fitCalibration } from "./judges/fit-calibration.js";
export type {
  CalibrationError,
  CalibrationFit,
  FitCalibrationOptions,
} from "./judges/fit-calibration.js";

export { memorySink } from "./sinks/memory.js";
export type { MemorySink } from "./sinks/memory.js";
export { fanOut } from "./sinks/fan-out.js";

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
