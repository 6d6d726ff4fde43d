/** A wrapper that maps a judge's probabilities to calibrated ones. */

import * as z from "zod";
import { parseOptions } from "../../core/parse-options.js";
import type { Judge, JudgeFunction } from "../../core/types.js";
import {
  applyCalibration,
  calibrationCurveSchema,
  type CalibrationCurve,
} from "../calibration/calibration-curve.js";
import { toJudge } from "../judge.js";
import { wrapJudge } from "./wrap-judge.js";

/**
 * Maps every probability of a judge through a fit of `fitCalibration`; abstentions and missing
 * answers are not changed. The judge's own thresholds are dropped: they were made for the other
 * scale, and calibrated probabilities are read with the default ones.
 *
 * The judge keeps its `id`: change the selector's `version` with the fit, so that records before
 * and after stay apart.
 *
 * @throws {InvalidOptionsError} at construction, if the fit is invalid.
 * @example
 * const fit = { method: "platt", slope: 0.6, intercept: -0.4 } as const;
 * const judge = calibrated(async ({ candidates }) => candidates.map(() => 0.9), fit);
 */
export function calibrated(judge: Judge | JudgeFunction, fit: CalibrationCurve): Judge {
  const inner = toJudge(judge);
  const schema = z.strictObject({ fit: calibrationCurveSchema });
  const { fit: curve } = parseOptions(schema, { fit }, "calibrated");
  const calibrate = (answer: number | null | undefined): number | null | undefined =>
    typeof answer === "number" ? applyCalibration(curve, answer) : answer;
  return wrapJudge(
    inner,
    async (request, options) => {
      const response = await inner.judge(request, options);
      return { ...response, probabilities: response.probabilities.map(calibrate) };
    },
    { thresholds: undefined },
  );
}
