/** `toolsieve/evaluation`: a judge on labelled cases of your own, and judgments of a paid judge recorded and replayed. */

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
  ReplayMissError,
  type Recording,
  type RecordingJudgeOptions,
} from "./evaluation/replay.js";
