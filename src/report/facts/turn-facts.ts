/** The facts of one record that the report keeps; everything else is forgotten. Pure. */

import type { SelectionRecord } from "../../core/record.js";
import type { CohortKey, CohortPolicy, UnitKind } from "../summary.js";
import type { Exposure } from "./exposures.js";
import { hash53 } from "./hash.js";

/**
 * One copy of a turn. Texts that are only compared are hashes; `NaN` stands for an unknown number
 * and equals nothing.
 */
export interface TurnFacts {
  /** Start, epoch milliseconds. */
  readonly time: number;
  /** The thread, else the run, else the unit. */
  readonly thread: string;
  /** Hash of the user request; `NaN` if unknown. */
  readonly request: number;
  /** Model turns since the request; `NaN` if unknown. */
  readonly step: number;
  readonly enforced: boolean;
  /** The judge was asked, and the turn was not cancelled. */
  readonly asked: boolean;
  /** Some candidate got no valid answer. */
  readonly failed: boolean;
  /** Every candidate that was judged got the answer "cannot tell". */
  readonly abstained: boolean;
  readonly fallback: boolean;
  readonly reason: string;
  /** The model was called and answered. */
  readonly returned: boolean;
  readonly exposures: readonly Exposure[];
  readonly fullTokens: number;
  readonly suggestedTokens: number;
  /** Hash of the tools block that enforce would send; `NaN` if unknown. */
  readonly suggestedBlock: number;
  /** Hash of the tools block that was sent; `NaN` if unknown. */
  readonly offeredBlock: number;
  /** `NaN`: no usage reported. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly model: string | null;
  /** `NaN`: the judge was asked and its usage is unknown. */
  readonly judgeInputTokens: number;
  readonly judgeOutputTokens: number;
  readonly judgeRequests: number;
  readonly judgeLatencyMs: number;
  readonly modelLatencyMs: number;
  /**
   * Bits of the what-if, one for each variant: it shows something of the turn; it hides a called
   * tool.
   */
  readonly exposedUnder: number;
  readonly missedUnder: number;
  /** Harms that the second gate compares. */
  readonly modelError: boolean;
  readonly strayCall: boolean;
  readonly revealed: boolean;
  /** Names of the tools that the model called, each once. */
  readonly called: readonly string[];
  /** Calls of `find_tools`, tools that they revealed, and calls of tools revealed earlier. */
  readonly searches: number;
  readonly foundTools: number;
  readonly recoveredCalls: number;
  /** Calls that the guard did not execute. */
  readonly stoppedCalls: number;
}

/**
 * The usual name of the tool that lets the model find hidden ones; for records that do not count
 * its calls.
 */
const finderName = "find_tools";

/**
 * The unit of evidence that a record counts for; `null` if it names neither group, thread nor run.
 */
export function identifyUnit(
  record: SelectionRecord,
): { readonly kind: UnitKind; readonly id: string } | null {
  if (record.groupId !== null) return { kind: "group", id: record.groupId };
  if (record.threadId !== null) return { kind: "thread", id: record.threadId };
  if (record.runId !== null) return { kind: "run", id: record.runId };
  return null;
}

/** The cohort of a record. */
export function identifyCohort(record: SelectionRecord): {
  readonly key: CohortKey;
  readonly policy: CohortPolicy;
} {
  const { confidenceThreshold, rejectionThreshold, maxTools, onUncertain } = record.policy;
  return {
    key: {
      recordVersion: record.v,
      version: record.version,
      policyFingerprint: record.policyFingerprint,
      judgeId: record.judge?.id ?? null,
      judgeModel: record.judge?.model ?? null,
      agent: record.agent,
      overrides: record.overrides === true,
    },
    policy: { confidenceThreshold, rejectionThreshold, maxTools, onUncertain },
  };
}

/** True if the judge was asked, and the turn was not cancelled. */
export function wasAsked({ status }: SelectionRecord): boolean {
  return status === "decided" || status === "uncertain" || status === "failed";
}

function isAllAbstained(record: SelectionRecord): boolean {
  let judged = 0;
  for (const { verdict } of record.tools) {
    if (verdict === null) continue;
    if (verdict !== "abstained") return false;
    judged++;
  }
  return judged > 0;
}

/**
 * A call of a tool that was not offered: unknown to the catalog, or hidden by an enforced
 * selection.
 */
function isStray(record: SelectionRecord, name: string): boolean {
  const namesakes = record.tools.filter((entry) => entry.name === name);
  return record.enforced ? !namesakes.some((entry) => entry.kept) : namesakes.length === 0;
}

const hashBlock = (fingerprint: string | null): number =>
  fingerprint === null ? NaN : hash53(fingerprint);

/**
 * The tools block that enforce would send, and its tokens: the whole catalog where the turn was
 * skipped.
 */
function readBlocks({
  status,
  fallback,
  catalog,
  suggested,
  offered,
}: SelectionRecord): Pick<
  TurnFacts,
  "fullTokens" | "suggestedTokens" | "suggestedBlock" | "offeredBlock"
> {
  const isWhole = status === "skipped" || fallback;
  const sent = isWhole && catalog.fingerprint !== null ? catalog : suggested;
  const tokens = isWhole ? catalog.definitionTokens : suggested.definitionTokens;
  return {
    fullTokens: catalog.definitionTokens ?? NaN,
    suggestedTokens: tokens ?? NaN,
    suggestedBlock: hashBlock(sent.fingerprint),
    offeredBlock: hashBlock(offered.fingerprint),
  };
}

function readUsages({
  outcome,
  judge,
}: SelectionRecord): Pick<
  TurnFacts,
  | "inputTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "judgeInputTokens"
  | "judgeOutputTokens"
  | "judgeRequests"
> {
  return {
    inputTokens: outcome?.usage?.inputTokens ?? NaN,
    cacheReadTokens: outcome?.usage?.cacheReadTokens ?? 0,
    cacheWriteTokens: outcome?.usage?.cacheWriteTokens ?? 0,
    judgeInputTokens: judge === null ? 0 : (judge.usage?.inputTokens ?? NaN),
    judgeOutputTokens: judge === null ? 0 : (judge.usage?.outputTokens ?? NaN),
    judgeRequests: judge?.requests ?? 0,
  };
}

function readHarms(
  record: SelectionRecord,
): Pick<TurnFacts, "modelError" | "strayCall" | "revealed" | "called"> {
  const called = record.outcome?.called ?? [];
  return {
    modelError: record.outcome?.error === true,
    strayCall: called.some((name) => isStray(record, name)),
    revealed: called.includes(finderName) || (record.findTools?.found ?? 0) > 0,
    called: [...new Set(called)],
  };
}

function readRecovery(
  record: SelectionRecord,
): Pick<TurnFacts, "searches" | "foundTools" | "recoveredCalls" | "stoppedCalls"> {
  const { findTools, guard, outcome, tools } = record;
  const called = outcome?.called ?? [];
  const isRevealed = (called: string): boolean =>
    tools.some(({ name, reason }) => name === called && reason === "revealed");
  return {
    searches: findTools?.searches ?? 0,
    foundTools: findTools?.found ?? 0,
    recoveredCalls: called.filter(isRevealed).length,
    stoppedCalls: guard?.stopped.length ?? 0,
  };
}

/** Findings about a record that its facts include. */
export interface RecordFindings extends Pick<
  TurnFacts,
  "exposures" | "exposedUnder" | "missedUnder"
> {
  /** Id of its unit. */
  readonly unit: string;
}

/** Reads the facts of a record. */
export function readTurnFacts(record: SelectionRecord, findings: RecordFindings): TurnFacts {
  const { status, outcome, judge } = record;
  const { unit, exposures, exposedUnder, missedUnder } = findings;
  return {
    time: Date.parse(record.time),
    thread: record.threadId ?? record.runId ?? unit,
    request: record.request === null ? NaN : hash53(record.request),
    step: record.step ?? NaN,
    enforced: record.enforced,
    asked: wasAsked(record),
    failed: status === "failed",
    abstained: isAllAbstained(record),
    fallback: record.fallback,
    reason: record.reason,
    returned: outcome !== null && !outcome.error && status !== "cancelled",
    exposures,
    ...readBlocks(record),
    ...readUsages(record),
    model: outcome?.model ?? null,
    judgeLatencyMs: judge?.latencyMs ?? NaN,
    modelLatencyMs: outcome?.latencyMs ?? NaN,
    exposedUnder,
    missedUnder,
    ...readHarms(record),
    ...readRecovery(record),
  };
}
