/**
 * Asks about the candidates that no earlier judgment answers, and joins both in candidate order.
 */

import { lastUserIndex } from "../core/context.js";
import { isControlFlow } from "../core/control-flow.js";
import type { JudgeContext, Judgment } from "../core/types.js";
import { toJudgment } from "../core/verdict.js";
import type { Budget } from "./budget.js";
import { judgeCandidates } from "./judge-candidates.js";
import type { JudgingResult } from "./judge-candidates.js";
import { identifyRun } from "./memory/identify-run.js";
import { emptyMemory, shortenFingerprint } from "./memory/thread-memory.js";
import type { TurnInput } from "./read-turn.js";
import type { SelectContext } from "./select-context.js";

/** The result of a judge that had nothing to judge. */
const nothingAsked: JudgingResult = {
  judgments: [],
  failure: null,
  model: null,
  batches: 0,
  requests: 0,
  retries: 0,
  cached: false,
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: null },
  controlFlow: null,
};

/** The run whose answers the memo may use again; `null` where turns cannot be told apart. */
function identifyMemoRun({ turn, messages }: TurnInput): string | null {
  const run = identifyRun(messages, emptyMemory);
  const message = messages[lastUserIndex(messages)];
  if (run === null) return null;
  if (turn.threadId !== undefined) return `${turn.threadId} ${run}`;
  return message?.id === undefined ? null : run;
}

/** The judgments of this run that are used again, in candidate order; `null`: to be judged. */
function reuseJudgments(
  { catalog, pins, memory }: TurnInput,
  isAsked: readonly boolean[],
  { options, policy }: SelectContext,
): readonly (Judgment | null)[] {
  const fingerprints = catalog.flatMap(({ candidate, fingerprint }, index) =>
    pins[index] === null && candidate !== null ? [fingerprint] : [],
  );
  const known = options.rejudge === "user-message" ? memory?.judged : undefined;
  const reused = fingerprints.map((fingerprint): Judgment | null => {
    const answer = known?.get(shortenFingerprint(fingerprint));
    return answer === undefined ? null : toJudgment(answer, policy);
  });
  // The answers of such a judge depend on the other tools: one that is new makes it judge all of
  // them.
  const isPartial = reused.some((judgment, index) => judgment === null && isAsked[index] === true);
  return isPartial && options.judge.scope === "catalog" ? reused.map(() => null) : reused;
}

export interface JudgedCandidates {
  readonly judging: JudgingResult;
  /** In candidate order; `null`: not on the shortlist. */
  readonly judgments: readonly (Judgment | null)[];
}

/**
 * Asks about the candidates that have no judgment yet, and joins the answers with those that have.
 */
export async function judgeOpenCandidates(
  input: TurnInput,
  isAsked: readonly boolean[],
  context: SelectContext & { readonly judgeContext: JudgeContext; readonly budget: Budget },
): Promise<JudgedCandidates> {
  const { options, policy, memo, judgeContext, budget } = context;
  const isEnforced = policy.mode === "enforce";
  const reused = reuseJudgments(input, isAsked, context);
  const isOpen = (index: number): boolean => isAsked[index] === true && reused[index] === null;
  const open = input.candidates.filter((_, index) => isOpen(index));
  const judging =
    open.length === 0
      ? nothingAsked
      : await judgeCandidates({
          ...options,
          ask: memo.bind(options.judge, identifyMemoRun(input)),
          context: judgeContext,
          candidates: open,
          policy,
          budget,
          endEarly: isEnforced,
          isControlFlow: isEnforced ? isControlFlow : () => false,
          runInScope: input.turn.judgeScope ?? ((judge) => judge()),
        });
  let next = 0;
  const judgments = input.candidates.map((_, index) => {
    if (isOpen(index)) return judging.judgments[next++] ?? null;
    return isAsked[index] === true ? (reused[index] ?? null) : null;
  });
  return { judging, judgments };
}
