/**
 * The contract that every judge keeps, as a test suite for your own: runs under vitest, jest, or
 * `node:test`.
 */

import type { Judge } from "../core/types.js";
import { declareContract, type TestRunner } from "./contract.js";
import { abortContract, answerContract, wrapperContract } from "./judge-contract.js";

export interface JudgeContractOptions {
  /** A new judge for each test, able to answer: a remote one needs its service, or a stand-in. */
  readonly createJudge: () => Judge | Promise<Judge>;
  /**
   * For a wrapper: wraps a judge. The suite then also checks that the limits of the wrapped judge
   * are carried through, and that its malformed replies stay without an answer.
   */
  readonly wrap?: ((judge: Judge) => Judge) | undefined;
  /** Runs after each test, to release what `createJudge` started. */
  readonly cleanUp?: (() => void | Promise<void>) | undefined;
  /**
   * How long a judge may take to give up after an abort, in milliseconds.
   * @default 1000
   */
  readonly abortWithinMs?: number | undefined;
  /**
   * `describe` and `it`.
   * @default the global ones
   */
  readonly runner?: TestRunner | undefined;
}

/**
 * Declares the suite that every judge of this package passes: one answer per candidate, by
 * position, valid; hostile names, schemas and sizes survived; the request untouched; aborts obeyed
 * with the signal's reason. For a wrapper (`wrap`): the limits of the wrapped judge carried
 * through, its replies checked.
 *
 * It checks form, not judgment: whether the probabilities are any good is for an evaluation to say.
 *
 * @example
 * import { describe, it } from "vitest";
 * describeJudgeContract("my judge", {
 *   createJudge: () => ({ id: "mine", judge: async ({ candidates }, { signal }) => {
 *     signal.throwIfAborted();
 *     return { probabilities: candidates.map(() => 0.5) };
 *   } }),
 *   runner: { describe, it },
 * });
 */
export function describeJudgeContract(name: string, options: JudgeContractOptions): void {
  const { createJudge, wrap, cleanUp, runner, abortWithinMs = 1000 } = options;
  declareContract(`${name} keeps the judge contract`, {
    contract: [...answerContract, ...abortContract(abortWithinMs)],
    create: createJudge,
    cleanUp,
    runner,
  });
  if (wrap === undefined) return;
  declareContract(`${name} keeps the contract of wrappers`, {
    contract: wrapperContract,
    create: () => wrap,
    runner,
  });
}
