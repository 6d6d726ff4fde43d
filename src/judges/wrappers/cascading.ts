/** Two judges in a row: the second is asked only about the tools that the first left open. */

import * as z from "zod";
import { InvalidOptionsError, JudgeResponseError, JudgeTimeoutError } from "../../errors.js";
import { numberBetween, parseOptions } from "../../core/parse-options.js";
import type { Judge, JudgeFunction, JudgeOptions, JudgeResponse } from "../../core/types.js";
import { toJudge } from "../judge.js";
import { mergeResponses } from "../request-parts.js";
import { askParts, countRequests, hasFailed, type PartResult } from "./ask-parts.js";
import {
  defaultThresholds,
  toFinalAnswers,
  toUndecided,
  type Answer,
  type Thresholds,
} from "./cascade-scale.js";

const optionsSchema = z.strictObject({
  rejectBelow: numberBetween(0, 1).optional(),
  acceptAbove: numberBetween(0, 1).optional(),
});

export interface CascadingOptions {
  /**
   * The first judge's answer is final where its probability is at most this.
   *
   * @default the first judge's own rejection threshold, else 0.2
   */
  readonly rejectBelow?: number | undefined;
  /**
   * The first judge's answer is final where its probability is at least this; above `rejectBelow`.
   *
   * @default the first judge's own confidence threshold, else 0.8
   */
  readonly acceptAbove?: number | undefined;
}

/** Time before the end of the budget at which the second judge is given up. */
const reserveMs = 20;

/** Thresholds on the first judge's scale, at and beyond which its answers are final. */
function readCuts(options: CascadingOptions, { thresholds }: Judge): Thresholds {
  const { rejectBelow, acceptAbove } = parseOptions(optionsSchema, options, "cascading");
  const own = thresholds ?? defaultThresholds;
  const cuts = {
    rejection: rejectBelow ?? own.rejection,
    confidence: acceptAbove ?? own.confidence,
  };
  if (cuts.rejection < cuts.confidence) return cuts;
  throw new InvalidOptionsError(
    `Expected \`rejectBelow\` to be less than \`acceptAbove\`, got \`${cuts.rejection}\` and \`${cuts.confidence}\`.`,
  );
}

/** The reason of missing answers after an error of the second judge. */
function explainMissing(error: unknown): NonNullable<JudgeResponse["missing"]> {
  if (!JudgeResponseError.isInstance(error) || error.reason === "circuit-open") return "error";
  return error.reason === "refused" ? "refused" : "malformed";
}

/** Runs a call whose budget ends a little earlier than the caller's. */
async function withReserve<T>(
  { signal, deadline }: JudgeOptions,
  call: (options: JudgeOptions) => Promise<T>,
): Promise<T> {
  if (deadline === undefined) return call({ signal });
  const leftMs = Math.max(0, deadline - reserveMs - Date.now());
  const early = new AbortController();
  const timer = setTimeout(() => early.abort(new JudgeTimeoutError(leftMs)), leftMs);
  const either = AbortSignal.any([signal, early.signal]);
  try {
    return await call({ signal: either, deadline: deadline - reserveMs });
  } finally {
    clearTimeout(timer);
  }
}

/** The second judge's answers to the open tools; after a timeout, the first judge's own answers. */
function mergeSecond(parts: readonly PartResult[], standing: readonly Answer[]): JudgeResponse {
  let start = 0;
  const responses = parts.map((part): JudgeResponse => {
    const stood = standing.slice(start, (start += part.candidates.length));
    if (!hasFailed(part)) return part.response;
    const requests = countRequests(part.error);
    if (JudgeTimeoutError.isInstance(part.error)) return { probabilities: stood, requests };
    const probabilities = stood.map(() => undefined);
    return { probabilities, requests, missing: explainMissing(part.error) };
  });
  return mergeResponses(responses);
}

function mergeFirst(parts: readonly PartResult[]): JudgeResponse {
  const responses = parts.map((part): JudgeResponse => {
    if (!hasFailed(part)) return part.response;
    const probabilities = part.candidates.map(() => undefined);
    return { probabilities, requests: countRequests(part.error) };
  });
  return mergeResponses(responses);
}

/** Identity and limits of the cascade: the second judge's scale, the needs of both. */
function describeCascade(first: Judge, second: Judge): Omit<Judge, "judge"> {
  const isCatalog = first.scope === "catalog" || second.scope === "catalog";
  const batchSizes = [first, second].flatMap(({ batchSize }) => batchSize ?? []);
  const prepares = [first, second].flatMap((judge) => judge.prepare?.bind(judge) ?? []);
  return {
    id: `cascade:${first.id}>${second.id}`,
    thresholds: second.thresholds ?? defaultThresholds,
    maxTools: second.maxTools ?? first.maxTools,
    scope: isCatalog ? "catalog" : undefined,
    // A whole catalog comes in one request, which `askParts` splits by the limit of each judge.
    batchSize: isCatalog || batchSizes.length === 0 ? undefined : Math.min(...batchSizes),
    prepare:
      prepares.length === 0
        ? undefined
        : async (candidates, options) => {
            await Promise.all(prepares.map((prepare) => prepare(candidates, options)));
          },
  };
}

/**
 * Asks a cheap judge first, and a better one only about the tools that the first left open: between
 * `rejectBelow` and `acceptAbove`, or without an answer. Without these options the first judge's
 * own thresholds decide. Probabilities are on the second judge's scale, and so are the thresholds
 * of the result. If either judge needs the whole catalog (`scope`), the first gets all candidates
 * in one request.
 *
 * If the budget ends while the second judge works, the first one's answers stand, the open ones as
 * uncertain. If the second judge fails otherwise, the open ones have no answer; if both fail, the
 * second's error is thrown.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = cascading(localJudge(), jevJudge());
 */
export function cascading(
  first: Judge | JudgeFunction,
  second: Judge | JudgeFunction,
  options: CascadingOptions = {},
): Judge {
  const [cheap, better] = [toJudge(first), toJudge(second)];
  const cuts = readCuts(options, cheap);
  const scale = better.thresholds ?? defaultThresholds;

  return {
    ...describeCascade(cheap, better),
    async judge(request, judgeOptions) {
      judgeOptions.signal.throwIfAborted();
      const firstParts = await askParts(cheap, request, judgeOptions);
      const before = mergeFirst(firstParts);
      const final = toFinalAnswers(before.probabilities, cuts, scale);
      const candidates = request.candidates.filter((_, index) => final[index] === undefined);
      if (candidates.length === 0) return { ...before, probabilities: final };

      const secondParts = await withReserve(judgeOptions, (reserved) =>
        askParts(better, { context: request.context, candidates }, reserved),
      );
      const failed = secondParts.find(hasFailed);
      if (failed !== undefined && [...firstParts, ...secondParts].every(hasFailed)) {
        throw failed.error;
      }
      const standing = before.probabilities.filter((_, index) => final[index] === undefined);
      const after = mergeSecond(
        secondParts,
        standing.map((answer) => toUndecided(answer, scale)),
      );
      const rest = [...after.probabilities];
      return {
        ...mergeResponses([before, after]),
        probabilities: final.map((answer) => (answer === undefined ? rest.shift() : answer)),
      };
    },
  };
}
