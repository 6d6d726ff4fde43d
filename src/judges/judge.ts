/** What every judge has in common: taking a plain function for a judge, and recognising one. */

import { InvalidOptionsError } from "../errors.js";
import type { Judge, JudgeFunction } from "../core/types.js";

/** True for an object with the judge's two required members. */
export function isJudge(value: unknown): value is Judge {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "id") === "string" &&
    typeof Reflect.get(value, "judge") === "function"
  );
}

/**
 * Takes a judge as it is and wraps a plain function as one.
 *
 * A function's id is `function` or `function:NAME`; what it returns is passed on unchecked, because whoever asks a judge
 * checks every answer anyway.
 *
 * @throws {InvalidOptionsError} if it is neither.
 */
export function toJudge(judge: Judge | JudgeFunction): Judge {
  if (typeof judge === "function") {
    return {
      id: judge.name === "" || judge.name === "judge" ? "function" : `function:${judge.name}`,
      judge: async (request, options) => ({ probabilities: await judge(request, options) }),
    };
  }
  if (isJudge(judge)) return judge;
  throw new InvalidOptionsError(
    `Expected \`judge\` to be a judge ({ id, judge }) or a function, got a value of type ${judge === null ? "null" : typeof judge}.`,
  );
}
