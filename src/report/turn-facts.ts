/** What the report keeps of one record: who it counts for, and the facts of its turn. Pure; everything else is forgotten. */

import type { SelectionRecord } from "../core/record.js";
import { exposuresOf } from "./exposures.js";
import type { Exposure } from "./exposures.js";
import { hash53 } from "./hash.js";
import type { CohortKey, CohortPolicy, UnitKind } from "./summary.js";

/** One copy of a turn. Texts that are only compared are hashes; `NaN` stands for an unknown number and equals nothing. */
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
  readonly skipped: boolean;
  readonly fallback: boolean;
  readonly reason: string;
  /** The model was called and answered. */
  readonly returned: boolean;
  readonly exposures: readonly Exposure[];
  readonly fullTokens: number;
  readonly suggestedTokens: number;
  /** Hash of the tools block that enforce would send; `NaN` if unknown. */
  readonly block: number;
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
  /** Bits of the what-if: which threshold pairs would restore the full catalog; `NaN` if it cannot be recomputed. */
  readonly doubts: number;
  /** Harms that the second gate compares. */
  readonly modelError: boolean;
  readonly strayCall: boolean;
  readonly revealed: boolean;
  readonly calledTool: boolean;
}

/** The tool that lets the model find hidden ones. */
const finderName = "find_tools";

/** The unit of evidence that a record counts for; `null` if it names neither group, thread nor run. */
export function unitOf(
  record: SelectionRecord,
): { readonly kind: UnitKind; readonly id: string } | null {
  if (record.groupId !== null) return { kind: "group", id: record.groupId };
  if (record.threadId !== null) return { kind: "thread", id: record.threadId };
  if (record.runId !== null) return { kind: "run", id: record.runId };
  return null;
}

/** The cohort of a record. */
export function cohortOf(record: SelectionRecord): {
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

function allAbstained(record: SelectionRecord): boolean {
  let judged = 0;
  for (const { verdict } of record.tools) {
    if (verdict === null) continue;
    if (verdict !== "abstained") return false;
    judged++;
  }
  return judged > 0;
}

/** A call of a tool that was not offered: unknown to the catalog, or hidden by an enforced selection. */
function isStray(record: SelectionRecord, name: string): boolean {
  const namesakes = record.tools.filter((entry) => entry.name === name);
  return record.enforced ? !namesakes.some((entry) => entry.kept) : namesakes.length === 0;
}

/** The tools block that enforce would send: the whole catalog where nothing is hidden. */
function blockOf(record: SelectionRecord): number {
  const isWhole = record.status === "skipped" || record.fallback;
  const fingerprint = isWhole
    ? (record.catalog.fingerprint ?? record.suggested.fingerprint)
    : record.suggested.fingerprint;
  return fingerprint === null ? NaN : hash53(fingerprint);
}

type Usages = Pick<
  TurnFacts,
  | "inputTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "judgeInputTokens"
  | "judgeOutputTokens"
  | "judgeRequests"
>;

function usagesOf({ outcome, judge }: SelectionRecord): Usages {
  return {
    inputTokens: outcome?.usage?.inputTokens ?? NaN,
    cacheReadTokens: outcome?.usage?.cacheReadTokens ?? 0,
    cacheWriteTokens: outcome?.usage?.cacheWriteTokens ?? 0,
    judgeInputTokens: judge === null ? 0 : (judge.usage?.inputTokens ?? NaN),
    judgeOutputTokens: judge === null ? 0 : (judge.usage?.outputTokens ?? NaN),
    judgeRequests: judge?.requests ?? 0,
  };
}

type Harms = Pick<TurnFacts, "modelError" | "strayCall" | "revealed" | "calledTool">;

function harmsOf(record: SelectionRecord): Harms {
  const called = record.outcome?.called ?? [];
  return {
    modelError: record.outcome?.error === true,
    strayCall: called.some((name) => isStray(record, name)),
    revealed: called.includes(finderName),
    calledTool: called.length > 0,
  };
}

/** Distils a record. `unit` is the id of its unit, `doubts` what the what-if makes of the turn. */
export function turnFacts(record: SelectionRecord, unit: string, doubts: number): TurnFacts {
  const { status, outcome, catalog, suggested, judge } = record;
  const isWhole = status === "skipped" || record.fallback;
  const fullTokens = catalog.definitionTokens ?? NaN;
  return {
    time: Date.parse(record.time),
    thread: record.threadId ?? record.runId ?? unit,
    request: record.request === null ? NaN : hash53(record.request),
    step: record.step ?? NaN,
    enforced: record.enforced,
    asked: status === "decided" || status === "uncertain" || status === "failed",
    failed: status === "failed",
    abstained: allAbstained(record),
    skipped: status === "skipped",
    fallback: record.fallback,
    reason: record.reason,
    returned: outcome !== null && !outcome.error && status !== "cancelled",
    exposures: exposuresOf(record),
    fullTokens,
    suggestedTokens: isWhole ? fullTokens : (suggested.definitionTokens ?? NaN),
    block: blockOf(record),
    ...usagesOf(record),
    model: outcome?.model ?? null,
    judgeLatencyMs: judge?.latencyMs ?? NaN,
    modelLatencyMs: outcome?.latencyMs ?? NaN,
    doubts,
    ...harmsOf(record),
  };
}
