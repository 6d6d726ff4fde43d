/**
 * `toolsieve/evaluation`: evaluates a judge on labelled cases; records and replays a paid judge.
 */

export { parseCases, type LabelledCase } from "./evaluation/cases.js";
export { parseCatalog, type Catalog } from "./evaluation/catalog.js";
export type { Estimate } from "./evaluation/estimate.js";
export {
  evaluate,
  type EvaluateOptions,
  type Evaluation,
  type SetMetrics,
} from "./evaluation/evaluate.js";
export type { JudgeCost } from "./evaluation/judge-cases.js";
export type { CalibrationMetrics, PolicyMetrics, PolicyName } from "./evaluation/metrics.js";
export {
  parseRecording,
  recordingJudge,
  replayJudge,
  type Recording,
  type RecordingJudgeOptions,
} from "./evaluation/replay.js";
export { ReplayMissError } from "./errors.js";
