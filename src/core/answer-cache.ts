/** Keeps answers of a judge and shares its calls in flight, for the caching wrapper and the memo. */

import { untilAborted } from "./abort.js";
import { sha256Hex } from "./fingerprint.js";
import { toJson } from "./json.js";
import type { JudgeOptions, JudgeRequest, JudgeResponse, ToolDescription } from "./types.js";

/** Where answers are kept. */
export interface AnswerStore {
  get(key: string): JudgeResponse | undefined;
  set(key: string, response: JudgeResponse): unknown;
}

/** Asks a judge what was not asked before. */
export interface AnswerCache {
  /**
   * The kept answer, that of a call in flight, or that of a new call. A call is aborted when all of
   * its callers have aborted. Failures, and answers of which any is missing or invalid, are not
   * kept.
   */
  ask(
    key: string,
    request: JudgeRequest,
    options: JudgeOptions,
    judge: (request: JudgeRequest, options: JudgeOptions) => Promise<JudgeResponse>,
  ): Promise<JudgeResponse>;
}

/** A call that several callers wait for. */
interface SharedCall {
  readonly controller: AbortController;
  readonly response: Promise<JudgeResponse>;
  waiting: number;
}

const hashes = new WeakMap<ToolDescription, string>();

/** Hashes a candidate; a frozen one stays as it is, and is hashed once. */
function hashCandidate(candidate: ToolDescription): string {
  const known = hashes.get(candidate);
  if (known !== undefined) return known;
  const { name, description = null, parameters = null, group = null, metadata = null } = candidate;
  const hash = sha256Hex(toJson([name, description, parameters, group, metadata]) ?? name).slice(
    0,
    24,
  );
  if (Object.isFrozen(candidate)) hashes.set(candidate, hash);
  return hash;
}

/**
 * Hashes everything that the judge is given, in the order in which it is given; no conversation is
 * kept.
 */
export function hashJudgeRequest({ context, candidates }: JudgeRequest): string {
  return sha256Hex(
    JSON.stringify([
      context.request,
      context.messages.map(({ role, text }) => [role, text]),
      candidates.map(hashCandidate),
    ]),
  );
}

/** True if every candidate has an answer. */
function isComplete({ probabilities }: JudgeResponse): boolean {
  return !probabilities.includes(undefined);
}

/** The same answers for a caller that caused no request. */
function toHit({ probabilities, model }: JudgeResponse): JudgeResponse {
  return { probabilities: [...probabilities], model, requests: 0, cached: true };
}

/** Waits for a call; the last caller to abort takes the call along. */
async function join(
  call: SharedCall,
  signal: AbortSignal,
  leave: () => void,
): Promise<JudgeResponse> {
  call.waiting += 1;
  try {
    return await untilAborted(call.response, signal);
  } finally {
    call.waiting -= 1;
    if (call.waiting === 0 && signal.aborted) {
      leave();
      call.controller.abort(signal.reason);
    }
  }
}

/** Creates a cache over a store. */
export function createAnswerCache(store: AnswerStore): AnswerCache {
  const calls = new Map<string, SharedCall>();

  /** A caller that comes after this starts a new call. */
  function unshare(key: string, call: SharedCall): void {
    if (calls.get(key) === call) calls.delete(key);
  }

  function startCall(
    key: string,
    judge: SharedCall["response"],
    controller: AbortController,
  ): SharedCall {
    const response = judge.then((answer) => {
      if (isComplete(answer)) {
        store.set(key, { ...answer, probabilities: [...answer.probabilities] });
      }
      return answer;
    });
    const call: SharedCall = { controller, response, waiting: 0 };
    calls.set(key, call);
    const end = (): void => unshare(key, call);
    response.then(end, end);
    return call;
  }

  return {
    async ask(key, request, options, judge) {
      const { signal } = options;
      signal.throwIfAborted();
      const kept = store.get(key);
      if (kept !== undefined) return toHit(kept);
      const shared = calls.get(key);
      if (shared !== undefined) {
        const answer = await join(shared, signal, () => unshare(key, shared));
        return isComplete(answer) ? toHit(answer) : answer;
      }
      const controller = new AbortController();
      const answer = judge(request, { ...options, signal: controller.signal });
      const call = startCall(key, answer, controller);
      return join(call, signal, () => unshare(key, call));
    },
  };
}
