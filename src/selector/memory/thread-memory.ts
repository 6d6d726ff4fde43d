/**
 * The memory of a thread: how it is read from a host's state, and what one step changes in it.
 * Pure.
 */

import * as z from "zod";
import type {
  MemoryChange,
  MemoryEvents,
  RememberedJudgment,
  RememberedTool,
  RunMemory,
  ThreadMemory,
} from "../../core/types.js";

/** Entries that a list holds at most; the oldest make room. */
export const memoryLimits = {
  sticky: 1024,
  revealed: 128,
  called: 256,
  hidden: 8192,
  judged: 1024,
  searches: 64,
  stopped: 64,
  pending: 8,
} as const;

/** Longest name or id that is remembered, in UTF-16 units. */
const maxTextChars = 512;
const text = z.string().max(maxTextChars);
const tool = z.object({ name: text, fingerprint: text });
const judgment = tool.extend({ probability: z.number().min(0).max(1).nullable() });

/** Longest search that waits, as JSON. */
export const maxPendingChars = 4000;
const pending = z.string().max(maxPendingChars);

/** A list that may have come from anywhere: too long is not valid. */
const list = <S extends z.ZodType>(item: S, most: number): z.ZodReadonly<z.ZodArray<S>> =>
  z.array(item).max(most).readonly();

const threadMemorySchema = z.object({
  v: z.literal(1),
  sticky: list(tool, memoryLimits.sticky),
  revealed: list(tool, memoryLimits.revealed),
  called: list(text, memoryLimits.called),
  catalog: text.nullable(),
  hidden: list(text, memoryLimits.hidden),
  events: z.object({
    searches: z.int().min(0),
    found: z.int().min(0),
    stopped: list(text, memoryLimits.stopped),
  }),
  pending: list(pending, memoryLimits.pending),
  run: z
    .object({
      request: text,
      shown: list(text, memoryLimits.sticky),
      judged: list(judgment, memoryLimits.judged),
      searches: list(z.object({ digest: text, count: z.int().min(1) }), memoryLimits.searches),
    })
    .nullable(),
});

/** A list of a change: an entry that cannot be remembered, such as an endless name, is left out. */
const entries = <S extends z.ZodType>(item: S) =>
  z
    .array(z.unknown())
    .transform((values) => values.flatMap((value) => item.safeParse(value).data ?? []))
    .optional();

const memoryChangeSchema = z.strictObject({
  request: text.optional(),
  forget: entries(tool),
  unstick: entries(text),
  stick: entries(tool),
  reveal: entries(tool),
  called: entries(text),
  catalog: text.optional(),
  hidden: entries(text),
  judged: entries(judgment),
  searched: text.nullable().optional(),
  pending: pending.optional(),
  stopped: text.optional(),
  recorded: z.boolean().optional(),
});

const noEvents: MemoryEvents = Object.freeze({ searches: 0, found: 0, stopped: [] });

/** A thread of which nothing is known. */
export const emptyMemory: ThreadMemory = Object.freeze({
  v: 1,
  sticky: [],
  revealed: [],
  called: [],
  catalog: null,
  hidden: [],
  events: noEvents,
  pending: [],
  run: null,
});

function parseSafely<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | null {
  try {
    return schema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}

/** A fingerprint as it is remembered: a quarter of it tells definitions apart just as well. */
export function shortenFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 16);
}

/** A tool as it is remembered. */
export function toRememberedTool(name: string, fingerprint: string): RememberedTool {
  return { name, fingerprint: shortenFingerprint(fingerprint) };
}

const isSame = (one: RememberedTool, other: RememberedTool): boolean =>
  one.name === other.name && one.fingerprint === other.fingerprint;

/** Without the tools that are forgotten. */
function without<T extends RememberedTool>(
  tools: readonly T[],
  forgotten: readonly RememberedTool[],
): readonly T[] {
  if (forgotten.length === 0) return tools;
  return tools.filter((known) => !forgotten.some((gone) => isSame(known, gone)));
}

/**
 * Adds tools at the end; one that is there already keeps its place, and takes the newer definition.
 */
function addTools<T extends RememberedTool>(
  known: readonly T[],
  added: readonly T[],
  most: number,
): readonly T[] {
  const byName = new Map(known.map((entry) => [entry.name, entry]));
  for (const entry of added) byName.set(entry.name, entry);
  return [...byName.values()].slice(-most);
}

/** Adds names at the end; one that is there already moves there. */
function addNames(known: readonly string[], added: readonly string[], most: number): string[] {
  const newest = new Set(added);
  return [...known.filter((name) => !newest.has(name)), ...newest].slice(-most);
}

function countSearch(
  searches: RunMemory["searches"],
  digest: string | null | undefined,
): RunMemory["searches"] {
  if (digest === undefined || digest === null) return searches;
  const known = searches.find((search) => search.digest === digest);
  const others = searches.filter((search) => search !== known);
  return [...others, { digest, count: (known?.count ?? 0) + 1 }].slice(-memoryLimits.searches);
}

/**
 * Judgments of more tools than the memory holds are not remembered at all: half of them would be of
 * no use.
 */
function addJudged(
  known: readonly RememberedJudgment[],
  added: readonly RememberedJudgment[],
): readonly RememberedJudgment[] {
  const all = addTools(known, added, Number.MAX_SAFE_INTEGER);
  return all.length > memoryLimits.judged ? [] : all;
}

function changeRun({ run, sticky }: ThreadMemory, change: MemoryChange): RunMemory | null {
  const { request = run?.request, forget = [], judged = [], searched } = change;
  if (request === undefined) return null;
  const current: RunMemory =
    run?.request === request ? run : { request, shown: [], judged: [], searches: [] };
  const known = new Set(sticky.map(({ name }) => name));
  const fresh = (change.stick ?? []).map(({ name }) => name).filter((name) => !known.has(name));
  return {
    request,
    shown: addNames(current.shown, fresh, memoryLimits.sticky),
    judged: addJudged(without(current.judged, forget), judged),
    searches: countSearch(current.searches, searched),
  };
}

function changeEvents(events: MemoryEvents, change: MemoryChange): MemoryEvents {
  const { searches, found, stopped } = change.recorded === true ? noEvents : events;
  return {
    searches: searches + (change.searched === undefined ? 0 : 1),
    found: found + (change.reveal?.length ?? 0),
    stopped:
      change.stopped === undefined
        ? stopped
        : [...stopped, change.stopped].slice(-memoryLimits.stopped),
  };
}

function changePending(
  waiting: readonly string[],
  { pending: added, recorded }: MemoryChange,
): readonly string[] {
  const left = recorded === true ? [] : waiting;
  return added === undefined ? left : [...left, added].slice(-memoryLimits.pending);
}

/** The memory after a step. Neither argument is changed. */
export function applyMemoryChange(memory: ThreadMemory, change: MemoryChange): ThreadMemory {
  const { forget = [], unstick = [], stick = [], reveal = [], called = [] } = change;
  const gone = new Set(unstick);
  const stuck = without(memory.sticky, forget).filter(({ name }) => !gone.has(name));
  return {
    v: 1,
    sticky: addTools(stuck, stick, memoryLimits.sticky),
    revealed: addTools(without(memory.revealed, forget), reveal, memoryLimits.revealed),
    called: addNames(memory.called, called, memoryLimits.called),
    catalog: change.catalog ?? memory.catalog,
    hidden: (change.hidden ?? memory.hidden).slice(0, memoryLimits.hidden),
    events: changeEvents(memory.events, change),
    pending: changePending(memory.pending, change),
    run: changeRun(memory, change),
  };
}

/**
 * The memory that a host's state holds; an empty one where there is none, or where it cannot be
 * read. Never throws.
 *
 * A state without a default holds the first change as it was written.
 */
export function parseThreadMemory(value: unknown): ThreadMemory {
  const memory = parseSafely(threadMemorySchema, value);
  if (memory !== null) return memory;
  const change = parseSafely(memoryChangeSchema, value);
  return change === null ? emptyMemory : applyMemoryChange(emptyMemory, change);
}

/**
 * The reducer of a graph's state: applies a change, or takes over a whole memory, as a fork or a
 * subgraph writes it. What is neither changes nothing. Never throws.
 */
export function reduceMemory(current: unknown, update: unknown): ThreadMemory {
  const whole = parseSafely(threadMemorySchema, update);
  if (whole !== null) return whole;
  const change = parseSafely(memoryChangeSchema, update);
  const memory = parseThreadMemory(current);
  return change === null ? memory : applyMemoryChange(memory, change);
}

/**
 * True for a call of a tool that was hidden at the last model step, and that the finder has not
 * revealed since.
 */
export function isHiddenCall(memory: ThreadMemory, name: string): boolean {
  return memory.hidden.includes(name) && !memory.revealed.some((tool) => tool.name === name);
}
