/**
 * One turn, from its tools to its selection: read, skip or judge, record. Writes nothing, and never
 * rejects.
 */

import { keptTools } from "../core/apply.js";
import { buildAllowedTools } from "../core/allowed-tools.js";
import type { AllowedToolsChoice } from "../core/allowed-tools.js";
import { buildRecord, cancelRecord } from "../core/build-record.js";
import type { RecordParts } from "../core/build-record.js";
import type { CatalogTool } from "../core/catalog.js";
import { requestText } from "../core/context.js";
import { isControlFlow } from "../core/control-flow.js";
import type { ResolvedOptions } from "../core/options.js";
import type { SelectionRecord } from "../core/record.js";
import type { MemoryChange, Selection, SelectionReason, Turn } from "../core/types.js";
import { startBudget } from "./budget.js";
import { collectRules, judgeTurn } from "./judge-turn.js";
import { rememberSelection } from "./memory/turn-memory.js";
import { emptyInput, readTurn } from "./read-turn.js";
import type { TurnInput } from "./read-turn.js";
import type { SelectContext } from "./select-context.js";
import { cancelTurn, failTurn, skipTurn } from "./turn-outcome.js";
import type { SelectedOutcome, TurnOutcome } from "./turn-outcome.js";
import { isSampled } from "./turn-policy.js";

/** The result of a turn: a selection, or a cancellation to record and rethrow. */
export type TurnResult<T> =
  | {
      readonly kind: "selected";
      readonly selection: Selection<T>;
      /** What the thread is to remember; `null` where no option needs it. */
      readonly change: MemoryChange | null;
    }
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
    return failTurn(input, collectRules(input, context));
  } finally {
    budget.dispose();
  }
}

/** What the model is sent beside, or in place of, a part of the catalog. */
interface Offer {
  readonly finder: CatalogTool | null;
  /** The tool choice that restricts the whole catalog; `null`: tools are left out. */
  readonly toolChoice: AllowedToolsChoice | null;
}

const plainOffer: Offer = { finder: null, toolChoice: null };

/** The tool choice that allows the kept tools only; `null` where tools are to be left out. */
function chooseAllowedTools(
  { turn, toolChoice }: TurnInput,
  { outcomes, fallback }: SelectedOutcome,
  finder: CatalogTool | null,
  { options, policy, warn }: SelectContext,
): AllowedToolsChoice | null {
  const isHiding = !fallback && outcomes.some(({ kept }) => !kept);
  if (options.enforcement === "omit" || !isHiding) return null;
  const allowed = outcomes.flatMap(({ kept, name }, index) =>
    kept ? [{ name, tool: turn.tools[index] }] : [],
  );
  const ours = finder?.description ?? null;
  const tools = ours === null ? allowed : [...allowed, { name: ours.name, tool: ours }];
  const api = turn.allowedToolsApi;
  if (api !== undefined) return buildAllowedTools(tools, toolChoice, api);
  if (policy.mode === "enforce") {
    warn(
      "allowed-tools",
      'The model takes no `allowed_tools`, as far as is known: tools are left out instead (`enforcement: "omit"`).',
    );
  }
  return null;
}

function planOffer(input: TurnInput, outcome: TurnOutcome, context: SelectContext): Offer {
  if (outcome.status === "cancelled") return plainOffer;
  context.catalogs?.add(input.catalog);
  const finder = context.finder?.define(input.catalog, outcome.outcomes) ?? null;
  return { finder, toolChoice: chooseAllowedTools(input, outcome, finder, context) };
}

/** What happened in the thread since its last model step. */
function countEvents(
  { memory }: TurnInput,
  { options, policy }: SelectContext,
): RecordParts["events"] {
  if (memory === null || policy.mode !== "enforce") return null;
  const { searches, found, stopped } = memory.before.events;
  return {
    findTools: options.findTools === null ? undefined : { searches, found },
    guard: options.guard ? { stopped: [...stopped] } : undefined,
  };
}

function recordTurn(
  input: TurnInput,
  outcome: TurnOutcome,
  offer: Offer,
  context: SelectContext,
): SelectionRecord {
  const { options, policy, startedAt } = context;
  const { turn, messages, catalog, candidates } = input;
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
    finder: offer.finder,
    offersAll: offer.toolChoice !== null,
    events: countEvents(input, context),
  });
}

function toSelection<T>(
  turn: Turn<T>,
  input: TurnInput,
  outcome: SelectedOutcome,
  sent: { readonly record: SelectionRecord; readonly offer: Offer },
): Selection<T> {
  const { record, offer } = sent;
  const { status, fallback, reason, outcomes } = outcome;
  const isWhole = outcomes.every(({ kept }) => kept);
  const suggested = isWhole ? turn.tools : keptTools(input.turn.tools as readonly T[], outcomes);
  const { enforced } = record;
  const isOmitted = enforced && offer.toolChoice === null;
  return {
    tools: isOmitted ? suggested : turn.tools,
    suggested,
    status,
    fallback,
    reason,
    enforced,
    outcomes,
    finder: enforced ? (offer.finder?.description ?? null) : null,
    toolChoice: enforced ? (offer.toolChoice ?? undefined) : undefined,
    record,
  };
}

function remember(
  { memory, catalog }: TurnInput,
  { outcomes, judgments = [], fallback, status }: SelectedOutcome,
  { options }: SelectContext,
): MemoryChange | null {
  if (memory === null) return null;
  const isWhole = fallback || status === "skipped";
  return rememberSelection({ memory, catalog, outcomes, judgments, isWhole }, options);
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
  const offer = planOffer(input, outcome, context);
  const record = recordTurn(input, outcome, offer, context);
  if (outcome.status === "cancelled") return { kind: "cancelled", record, cause: outcome.cause };
  const selection = toSelection(turn, input, outcome, { record, offer });
  return { kind: "selected", selection, change: remember(input, outcome, context) };
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
