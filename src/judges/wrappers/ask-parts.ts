/** Asks a judge in as many requests as its limit demands, and keeps what did not fail. */

import pMap from "p-map";
import { JudgeResponseError, JudgeTimeoutError, ToolSieveError } from "../../errors.js";
import { splitBySize } from "../../core/batch.js";
import { isControlFlow } from "../../core/control-flow.js";
import type { Judge, JudgeOptions, JudgeRequest, JudgeResponse } from "../../core/types.js";

/** Requests to one judge at a time, if its limit demands several. */
const concurrency = 4;

/** The end of one request to a judge: a response or an error. */
export type PartResult = {
  readonly candidates: JudgeRequest["candidates"];
} & ({ readonly response: JudgeResponse } | { readonly error: unknown });

export const hasFailed = (part: PartResult): part is PartResult & { readonly error: unknown } =>
  "error" in part;

/**
 * Asks a judge, in several requests where its limit demands that.
 *
 * @throws control flow of the host, and the reason of a signal that the caller aborted.
 */
export function askParts(
  judge: Judge,
  { context, candidates }: JudgeRequest,
  options: JudgeOptions,
): Promise<readonly PartResult[]> {
  const parts = splitBySize(candidates, judge.batchSize ?? Number.POSITIVE_INFINITY);
  const ask = async (part: JudgeRequest["candidates"]): Promise<PartResult> => {
    try {
      return {
        candidates: part,
        response: await judge.judge({ context, candidates: part }, options),
      };
    } catch (error) {
      const isAborted = options.signal.aborted && !JudgeTimeoutError.isInstance(error);
      if (isAborted || isControlFlow(error)) throw error;
      return { candidates: part, error };
    }
  };
  return pMap(parts, ask, { concurrency });
}

/** Requests that a failed call made, as far as its error says. */
export function countRequests(error: unknown): number {
  if (JudgeResponseError.isInstance(error) && error.reason === "circuit-open") return 0;
  return ToolSieveError.isInstance(error) && "attempts" in error ? Number(error.attempts) : 1;
}
