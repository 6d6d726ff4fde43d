/** Builds the record of a turn; the outcome is added after the model answered. */

import { sumDefinitionTokens } from "./catalog.js";
import type { CatalogTool } from "./catalog.js";
import { lastUserIndex } from "./context.js";
import { listFingerprint } from "./fingerprint.js";
import { readCount, readServerText } from "./judge-reply.js";
import type { RecordedUsage } from "./judge-reply.js";
import type { SelectionRecord } from "./record.js";
import type { SelectionPolicy } from "./decide.js";
import { cutText } from "./text.js";
import type {
  JudgeContext,
  Mode,
  ModelOutcome,
  SelectionReason,
  SelectionStatus,
  ToolOutcome,
  Turn,
  TurnMessage,
} from "./types.js";

/** Catalogs over this size list only tools that were judged, kept or called. */
const fullListSize = 500;
/** Ids and names are cut to so many characters, the names of called tools alike. */
const maxIdChars = 256;

/** The judge's part of a record. */
export type JudgeRecord = {
  readonly id: string;
  readonly model: string | null;
  readonly batches: number;
  readonly requests: number;
  readonly retries: number;
  readonly latencyMs: number;
  readonly cached: boolean;
  /** `false`: all judgments are those of an earlier step. Only with `rejudge: "user-message"`. */
  readonly rejudged?: boolean | undefined;
  readonly usage: RecordedUsage | null;
};

/** The policy of a turn, as far as a record holds it. */
export interface RecordedPolicy extends SelectionPolicy {
  readonly mode: Mode;
  /** The share of threads that is enforced, in [0, 1]; `null` where no share applies. */
  readonly enforceShare: number | null;
  readonly policyFingerprint: string;
  /** The turn has valid overrides. */
  readonly overridden: boolean;
}

/** Everything that a record is made of, before the model answered. */
export interface RecordParts {
  readonly id: string;
  /** Epoch milliseconds of the start of the turn. */
  readonly startedAt: number;
  readonly turn: Pick<Turn, "threadId" | "runId" | "groupId">;
  readonly messages: readonly TurnMessage[];
  readonly agent: string | undefined;
  readonly version: string | undefined;
  readonly policy: RecordedPolicy;
  readonly status: SelectionStatus;
  readonly reason: SelectionReason;
  readonly fallback: boolean;
  readonly judge: JudgeRecord | null;
  readonly catalog: readonly CatalogTool[];
  readonly candidates: number;
  readonly outcomes: readonly ToolOutcome[];
  readonly error: { readonly kind: string; readonly status?: number | undefined } | null;
  /** The finder, where something is hidden that it can get back. */
  readonly finder: CatalogTool | null;
  /** The request carries every tool, and its tool choice restricts them. */
  readonly offersAll: boolean;
  /** What happened since the last model step of the thread; `null` where that is not counted. */
  readonly events: Pick<SelectionRecord, "findTools" | "guard"> | null;
  readonly content: JudgeContext | undefined;
}

const readId = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? cutText(value.toWellFormed(), maxIdChars) : null;

/** Which request of the thread this turn serves, and how many model turns it took so far. */
function locateTurn(messages: readonly TurnMessage[]): {
  readonly request: string | null;
  readonly step: number | null;
} {
  const index = lastUserIndex(messages);
  if (index === -1) return { request: null, step: null };
  const ordinal = messages.slice(0, index + 1).filter(({ role }) => role === "user").length;
  const modelTurns = messages.slice(index).filter(({ role }) => role === "assistant").length;
  return { request: readId(messages[index]?.id) ?? String(ordinal), step: modelTurns + 1 };
}

function describeList(tools: readonly CatalogTool[]): SelectionRecord["offered"] {
  return {
    tools: tools.length,
    definitionTokens: sumDefinitionTokens(tools),
    fingerprint: listFingerprint(tools.map(({ fingerprint }) => fingerprint)),
  };
}

function listTools(parts: RecordParts): SelectionRecord["tools"] {
  return parts.outcomes.map((outcome, index) => ({
    ...outcome,
    name: readId(outcome.name),
    tokens: parts.catalog[index]?.definitionTokens ?? null,
  }));
}

function copyContent(content: JudgeContext | undefined): SelectionRecord["content"] {
  if (content === undefined) return undefined;
  const { request, messages } = content;
  return { request, messages: messages.map(({ role, text }) => ({ role, text })) };
}

/** What is sent of a catalog, the finder included. */
function describeOffer(
  parts: RecordParts,
  isOffered: (index: number) => boolean,
): SelectionRecord["offered"] {
  const { catalog, finder } = parts;
  const tools = catalog.filter((_, index) => isOffered(index));
  return describeList(finder === null ? tools : [...tools, finder]);
}

/** The record as it stands before the model is called, all tools listed. */
export function buildRecord(parts: RecordParts): SelectionRecord {
  const { turn, catalog, policy } = parts;
  const all = describeList(catalog);
  const suggested = parts.outcomes.every(({ kept }) => kept)
    ? all
    : describeOffer(parts, (index) => parts.offersAll || parts.outcomes[index]?.kept !== false);
  return {
    v: 1,
    id: parts.id,
    time: new Date(parts.startedAt).toISOString(),
    threadId: readId(turn.threadId),
    runId: readId(turn.runId),
    groupId: readId(turn.groupId),
    agent: parts.agent?.toWellFormed() ?? null,
    ...locateTurn(parts.messages),
    mode: policy.mode,
    enforced: policy.mode === "enforce",
    enforceShare: policy.enforceShare,
    version: parts.version?.toWellFormed() ?? null,
    policyFingerprint: policy.policyFingerprint,
    status: parts.status,
    reason: parts.reason,
    fallback: parts.fallback,
    policy: {
      confidenceThreshold: policy.confidenceThreshold,
      rejectionThreshold: policy.rejectionThreshold,
      maxTools: policy.maxTools,
      onUncertain: policy.onUncertain,
    },
    judge: parts.judge,
    catalog: {
      fingerprint: all.fingerprint,
      tools: catalog.length,
      candidates: parts.candidates,
      definitionTokens: all.definitionTokens,
    },
    tools: listTools(parts),
    offered: policy.mode === "enforce" ? suggested : all,
    suggested,
    outcome: null,
    error: parts.error,
    findTools: parts.events?.findTools,
    guard: parts.events?.guard,
    overrides: policy.overridden ? true : undefined,
    content: copyContent(parts.content),
  };
}

/** Marks the record of a cancelled turn. */
export function cancelRecord(record: SelectionRecord): SelectionRecord {
  return { ...record, status: "cancelled", reason: "cancelled", fallback: false };
}

/** The result of the model step; `model` is `null` if that is unknown. */
export interface StepOutcome {
  readonly latencyMs: number;
  readonly error: boolean;
  readonly model: ModelOutcome | null;
}

function readUsage(usage: ModelOutcome["usage"]): NonNullable<SelectionRecord["outcome"]>["usage"] {
  const inputTokens = readCount(usage?.inputTokens);
  const outputTokens = readCount(usage?.outputTokens);
  if (inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: readCount(usage?.cacheReadTokens),
    cacheWriteTokens: readCount(usage?.cacheWriteTokens),
  };
}

/** Called tools that the selection hid, or would have hidden; each once. */
function findMissed(called: readonly string[], tools: SelectionRecord["tools"]): string[] {
  const kept = new Set(tools.filter((tool) => tool.kept).map(({ name }) => name));
  const hidden = new Set(tools.filter((tool) => !tool.kept).map(({ name }) => name));
  return [...new Set(called)].filter((name) => hidden.has(name) && !kept.has(name));
}

/** Adds the outcome; `null` if the model was never called, or its calls are unknown. */
export function completeRecord(record: SelectionRecord, step: StepOutcome | null): SelectionRecord {
  const called = (step?.model?.called ?? []).map((name) =>
    cutText(name.toWellFormed(), maxIdChars),
  );
  const calledNames = new Set<string | null>(called);
  const tools =
    record.tools.length <= fullListSize
      ? record.tools
      : record.tools.filter(
          ({ name, probability, kept }) => kept || probability !== null || calledNames.has(name),
        );
  const isKnown = step !== null && (step.error || step.model !== null);
  if (!isKnown) return { ...record, tools };
  return {
    ...record,
    tools,
    outcome: {
      called,
      missed: findMissed(called, record.tools),
      model: readServerText(step.model?.model),
      latencyMs: Math.max(0, step.latencyMs),
      error: step.error,
      usage: readUsage(step.model?.usage),
    },
  };
}
