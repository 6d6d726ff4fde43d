/** Recognises judges, and turns a plain function into one. */

import { InvalidOptionsError } from "../errors.js";
import { untilAborted } from "../core/abort.js";
import type { Judge, JudgeFunction } from "../core/types.js";
import { isChecked, wrapJudge } from "./wrappers/wrap-judge.js";

/** True for an object with the judge's two required members. */
export function isJudge(value: unknown): value is Judge {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "id") === "string" &&
    typeof Reflect.get(value, "judge") === "function"
  );
}

function adaptFunction(judge: JudgeFunction): Judge {
  const id = judge.name === "" || judge.name === "judge" ? "function" : `function:${judge.name}`;
  return {
    id,
    judge: async (request, options) => ({ probabilities: await judge(request, options) }),
  };
}

/**
 * Takes a judge or a plain function as a judge whose replies are checked: one answer per candidate,
 * `undefined` where it is missing or invalid. It rejects as soon as the signal aborts, even if the
 * judge ignores the signal.
 *
 * A function's id is `function` or `function:NAME`.
 *
 * @throws {InvalidOptionsError} if it is neither.
 */
export function toJudge(judge: Judge | JudgeFunction): Judge {
  const taken = typeof judge === "function" ? adaptFunction(judge) : judge;
  if (!isJudge(taken)) {
    throw new InvalidOptionsError(
      `Expected \`judge\` to be a judge ({ id, judge }) or a function, got a value of type ${judge === null ? "null" : typeof judge}.`,
    );
  }
  if (isChecked(taken)) return taken;
  return wrapJudge(taken, (request, options) => {
    const reply = (async () => taken.judge(request, options))();
    return untilAborted(reply, options.signal);
  });
}
