/** Two judges in a row: the second is asked only about what the first left open. */

import * as z from "zod";
import {
  InvalidOptionsError,
  JudgeResponseError,
  JudgeTimeoutError,
  ToolSieveError,
} from "../../errors.js";
import { numberBetween, parseOptions } from "../../core/parse-options.js";
import type {
  Judge,
  JudgeFunction,
  JudgeOptions,
  JudgeRequest,
  JudgeResponse,
} from "../../core/types.js";
import { isValidAnswer } from "../../core/verdict.js";
import { untilAborted } from "../../core/abort.js";
import { isControlFlow } from "../../core/control-flow.js";
import { toJudge } from "../judge.js";
import { mergeResponses } from "../request-parts.js";

const optionsSchema = z.strictObject({
  rejectBelow: numberBetween(0, 1),
  acceptAbove: numberBetween(0, 1),
});

export interface CascadingOptions {
  /** The first judge's word is final where its probability is at most this. */
  readonly rejectBelow: number;
  /** The first judge's word is final where its probability is at least this; above `rejectBelow`. */
  readonly acceptAbove: number;
}

type Answer = number | null | undefined;
type Scale = NonNullable<Judge["thresholds"]>;

const defaultScale: Scale = { confidence: 0.8, rejection: 0.2 };

/** The second judge ends this long before the budget does, so that the first one's answers still arrive in it. */
const reserveMs = 20;

/** A final answer of the first judge, clamped so that the second's thresholds decide it the same way; `undefined`: open. */
function finalAnswer(answer: Answer, limits: CascadingOptions, scale: Scale): number | undefined {
  if (typeof answer !== "number") return undefined;
  if (answer <= limits.rejectBelow) return Math.min(answer, scale.rejection);
  return answer >= limits.acceptAbove ? Math.max(answer, scale.confidence) : undefined;
}

/** An open answer of the first judge as it stands without the second: on the other's scale it must decide nothing. */
function openAnswer(answer: Answer, { rejection, confidence }: Scale): Answer {
  const decides = typeof answer === "number" && (answer <= rejection || answer >= confidence);
  return decides ? (rejection + confidence) / 2 : answer;
}

/** The reply with one checked answer per candidate; no answer at all where their number is wrong. */
function checked(response: JudgeResponse, asked: number): JudgeResponse {
  const answers: unknown = response?.probabilities;
  const isWhole = Array.isArray(answers) && answers.length === asked;
  const probabilities = Array.from({ length: asked }, (_, index) => {
    const answer: unknown = isWhole ? answers[index] : undefined;
    return isValidAnswer(answer) ? answer : undefined;
  });
  return { ...response, probabilities };
}

/** Requests that a failed call made, as far as its error says. */
function requestsOf(error: unknown): number {
  if (JudgeResponseError.isInstance(error) && error.reason === "circuit-open") return 0;
  return ToolSieveError.isInstance(error) && "attempts" in error ? Number(error.attempts) : 1;
}

/** Why the second judge's answers are missing: its reply held none, or there was no reply. */
function missingBecause(error: unknown): NonNullable<JudgeResponse["missing"]> {
  if (!JudgeResponseError.isInstance(error) || error.reason === "circuit-open") return "error";
  return error.reason === "refused" ? "refused" : "malformed";
}

/** True for what is no failure of the judge: the caller's abort, the end of the whole budget, LangGraph's control flow. */
const mustReachCaller = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || isControlFlow(error);

/** Asks with a little less time than there is. */
async function askWithReserve(
  judge: Judge,
  request: JudgeRequest,
  { signal, deadline }: JudgeOptions,
): Promise<JudgeResponse> {
  if (deadline === undefined) return untilAborted(judge.judge(request, { signal }), signal);
  const leftMs = Math.max(0, deadline - reserveMs - Date.now());
  const early = new AbortController();
  const timer = setTimeout(() => early.abort(new JudgeTimeoutError(leftMs)), leftMs);
  const either = AbortSignal.any([signal, early.signal]);
  try {
    const options = { signal: either, deadline: deadline - reserveMs };
    return await untilAborted(judge.judge(request, options), either);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks a cheap judge first, and a better one only about the tools that the first left open: between `rejectBelow` and
 * `acceptAbove`, or without an answer. Probabilities are on the second judge's scale, and so are the thresholds.
 *
 * If the budget ends while the second judge works, the first one's answers stand, the open ones as uncertain. If the
 * second judge fails otherwise, the open ones have no answer; if both fail, the second's error is thrown.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = cascading(localJudge(), jevJudge(), { rejectBelow: 0.02, acceptAbove: 0.98 });
 */
export function cascading(
  first: Judge | JudgeFunction,
  second: Judge | JudgeFunction,
  options: CascadingOptions,
): Judge {
  const [cheap, better] = [toJudge(first), toJudge(second)];
  const limits = parseOptions(optionsSchema, options, "cascading");
  if (limits.rejectBelow >= limits.acceptAbove) {
    throw new InvalidOptionsError(
      `Expected \`rejectBelow\` to be less than \`acceptAbove\`, got \`${limits.rejectBelow}\` and \`${limits.acceptAbove}\`.`,
    );
  }
  const scale = better.thresholds ?? defaultScale;
  const batchSizes = [cheap.batchSize, better.batchSize].filter((size) => size !== undefined);

  async function askFirst(
    request: JudgeRequest,
    judgeOptions: JudgeOptions,
  ): Promise<JudgeResponse | null> {
    const { signal } = judgeOptions;
    try {
      const response = await untilAborted(cheap.judge(request, judgeOptions), signal);
      return checked(response, request.candidates.length);
    } catch (error) {
      if (mustReachCaller(error, signal)) throw error;
      return null;
    }
  }

  async function askSecond(
    request: JudgeRequest,
    standing: readonly Answer[],
    judgeOptions: JudgeOptions,
    isOnlyOne: boolean,
  ): Promise<JudgeResponse> {
    try {
      const response = await askWithReserve(better, request, judgeOptions);
      return checked(response, request.candidates.length);
    } catch (error) {
      const timedOut = JudgeTimeoutError.isInstance(error);
      if (isOnlyOne || isControlFlow(error)) throw error;
      if (judgeOptions.signal.aborted && !timedOut) throw error;
      const probabilities = timedOut ? standing : standing.map(() => undefined);
      return {
        probabilities,
        requests: requestsOf(error),
        ...(timedOut ? {} : { missing: missingBecause(error) }),
      };
    }
  }

  return {
    id: `cascade:${cheap.id}>${better.id}`,
    thresholds: scale,
    ...(batchSizes.length === 0 ? {} : { batchSize: Math.min(...batchSizes) }),
    async judge(request, judgeOptions) {
      judgeOptions.signal.throwIfAborted();
      const before = await askFirst(request, judgeOptions);
      const answers = before?.probabilities ?? [];
      const final = request.candidates.map((_, index) =>
        finalAnswer(answers[index], limits, scale),
      );
      const open = request.candidates.flatMap((_, index) =>
        final[index] === undefined ? [index] : [],
      );
      if (before !== null && open.length === 0) return { ...before, probabilities: final };

      const candidates = request.candidates.filter((_, index) => final[index] === undefined);
      const standing = open.map((index) => openAnswer(answers[index], scale));
      const after = await askSecond(
        { context: request.context, candidates },
        standing,
        judgeOptions,
        before === null,
      );
      const merged = before === null ? after : mergeResponses([before, after]);
      const rest = [...after.probabilities];
      return {
        ...merged,
        probabilities: final.map((answer) => (answer === undefined ? rest.shift() : answer)),
      };
    },
  };
}
