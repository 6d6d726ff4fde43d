/**
 * One turn, from its tools to its selection: read, skip or judge, record. Writes nothing, and never
 * rejects.
 */

import { keptTools } from "../core/apply.js";
import { buildRecord, cancelRecord } from "../core/build-record.js";
import { requestText } from "../core/context.js";
import { isControlFlow } from "../core/control-flow.js";
import type { ResolvedOptions } from "../core/options.js";
import type { SelectionRecord } from "../core/record.js";
import type { Selection, SelectionReason, Turn } from "../core/types.js";
import { startBudget } from "./budget.js";
import { judgeTurn } from "./judge-turn.js";
import { emptyInput, readTurn } from "./read-turn.js";
import type { TurnInput } from "./read-turn.js";
import type { SelectContext } from "./select-context.js";
import { cancelTurn, failTurn, skipTurn } from "./turn-outcome.js";
import type { SelectedOutcome, TurnOutcome } from "./turn-outcome.js";
import { isSampled } from "./turn-policy.js";

/** The result of a turn: a selection, or a cancellation to record and rethrow. */
export type TurnResult<T> =
  | { readonly kind: "selected"; readonly selection: Selection<T> }
  | { readonly kind: "cancelled"; readonly record: SelectionRecord; readonly cause: unknown };

/** Why a turn is not judged at all; `null` if it is. */
function findSkipReason(
  input: TurnInput,
  { minCandidates }: ResolvedOptions,
): SelectionReason | null {
  if (input.toolChoice.kind === "none") return "tool-choice-none";
  if (input.candidates.length === 0) return "no-candidates";
  if (requestText(input.messages) === null) return "no-user-text";
  return input.candidates.length < minCandidates ? "too-few-candidates" : null;
}

/** The boundary of a turn: after any failure inside, the full catalog is kept. */
async function decideTurn(input: TurnInput, context: SelectContext): Promise<TurnOutcome> {
  const { options, policy, warn, timeoutMs } = context;
  if (policy.mode === "off") return skipTurn(input, "mode-off");
  const skipReason = findSkipReason(input, options);
  if (skipReason !== null) return skipTurn(input, skipReason);
  const isEnforced = policy.mode === "enforce";
  const budget = startBudget({ timeoutMs, signal: input.turn.signal });
  try {
    const isJudged = isEnforced || (await isSampled(input.turn, context, budget.signal));
    return isJudged ? await judgeTurn(input, context, budget) : skipTurn(input, "not-sampled");
  } catch (error) {
    if (isEnforced && isControlFlow(error)) return cancelTurn(input, error, null);
    warn(
      "internal",
      "A selection failed outside the judge (`context` or `redact`, as a rule): the full catalog was kept.",
    );
    return failTurn(input);
  } finally {
    budget.dispose();
  }
}

function recordTurn(
  { turn, messages, catalog, candidates }: TurnInput,
  outcome: TurnOutcome,
  { options, policy, startedAt }: SelectContext,
): SelectionRecord {
  const content = "content" in outcome && options.content ? outcome.content : undefined;
  return buildRecord({
    ...outcome,
    content,
    id: options.newId(),
    startedAt,
    turn,
    messages,
    catalog,
    candidates: candidates.length,
    agent: options.agent,
    version: options.version,
    policy,
  });
}

function toSelection<T>(
  turn: Turn<T>,
  input: TurnInput,
  outcome: SelectedOutcome,
  record: SelectionRecord,
): Selection<T> {
  const { status, fallback, reason, outcomes } = outcome;
  const isWhole = outcomes.every(({ kept }) => kept);
  const suggested = isWhole ? turn.tools : keptTools(input.turn.tools as readonly T[], outcomes);
  const { enforced } = record;
  const tools = enforced ? suggested : turn.tools;
  return { tools, suggested, status, fallback, reason, enforced, outcomes, record };
}

/** Selects the tools of a turn. */
export async function selectTools<T>(
  turn: Turn<T>,
  context: SelectContext,
): Promise<TurnResult<T>> {
  const read = await readTurn(turn as Turn, context).catch(() => null);
  const input = read ?? emptyInput;
  const decided = read === null ? failTurn(input) : await decideTurn(input, context);
  const outcome =
    turn.signal?.aborted === true ? cancelTurn(input, turn.signal.reason, decided.judge) : decided;
  const record = recordTurn(input, outcome, context);
  return outcome.status === "cancelled"
    ? { kind: "cancelled", record, cause: outcome.cause }
    : { kind: "selected", selection: toSelection(turn, input, outcome, record) };
}

/** Checks the signal once more right before the model is called. */
export function cancelIfAborted<T>(
  result: TurnResult<T>,
  signal: AbortSignal | undefined,
): TurnResult<T> {
  if (result.kind === "cancelled" || signal?.aborted !== true) return result;
  const record = cancelRecord(result.selection.record);
  return { kind: "cancelled", record, cause: signal.reason };
}
