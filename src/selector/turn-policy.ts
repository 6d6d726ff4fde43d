/** What applies to one turn: its mode (a kill switch may be asked), its share of the rollout, its overrides. */

import type * as z from "zod";
import { startBudget } from "./budget.js";
import { untilAborted } from "../core/abort.js";
import { hashToShare } from "../core/fingerprint.js";
import {
  fingerprintPolicy,
  modeSchema,
  shareSchema,
  turnOverridesSchema,
} from "../core/options.js";
import type { ResolvedOptions } from "../core/options.js";
import type { Mode, Turn } from "../core/types.js";
import type { Warn } from "../core/warn-once.js";

export interface TurnPolicy {
  readonly mode: Mode;
  readonly maxTools: number;
  readonly alwaysInclude: readonly string[];
  readonly policyFingerprint: string;
  /** The turn has valid overrides. */
  readonly overridden: boolean;
  /** The share of threads that is enforced, in [0, 1]; `null` where no share applies. */
  readonly enforceShare: number | null;
}

type Valid = z.output<typeof turnOverridesSchema>;

/** One override; `null` if it is unknown, not valid, or throws when it is read. */
function readOverride(key: string, value: unknown): Valid | null {
  try {
    return turnOverridesSchema.safeParse({ [key]: value }).data ?? null;
  } catch {
    return null;
  }
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}

/** Reads each override on its own, so that a wrong one takes nothing from the others. Never throws. */
function readOverrides(value: unknown, warn: Warn): Valid {
  if (value === undefined || value === null) return {};
  const overrides: Valid = {};
  for (const [key, override] of entriesOf(value)) {
    if (override === undefined) continue;
    const valid = readOverride(key, override);
    Object.assign(overrides, valid);
    if (valid !== null) continue;
    const name = JSON.stringify(key.slice(0, 60));
    warn(`override:${key}`, `Ignored the override ${name}: unknown or not valid.`);
  }
  return overrides;
}

/** A fixed value, or what a function of the turn answers in time; `undefined` if it fails, is late, or answers nonsense. */
async function resolvePerTurn<V>(
  setting: V | ((turn: Turn) => V | Promise<V>),
  schema: z.ZodType<V>,
  { turn, signal }: { readonly turn: Turn; readonly signal: AbortSignal },
): Promise<V | undefined> {
  if (typeof setting !== "function") return setting;
  try {
    const ask = setting as (turn: Turn) => V | Promise<V>;
    const parsed = schema.safeParse(await untilAborted((async () => ask(turn))(), signal));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

interface Asking {
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly warn: Warn;
}

async function resolveMode(
  options: ResolvedOptions,
  { turn, signal, warn }: Asking,
): Promise<Mode> {
  const mode = await resolvePerTurn(options.mode, modeSchema, { turn, signal });
  if (mode === undefined)
    warn("mode", "`mode` failed, was late or answered no mode: this turn is in shadow.");
  return mode ?? "shadow";
}

/** The share in force; one that cannot be had is 0. */
async function resolveShare(
  name: "enforceShare" | "shadowShare",
  options: ResolvedOptions,
  { turn, signal, warn }: Asking,
): Promise<number | null> {
  const setting = options[name];
  if (setting === undefined) return null;
  const share = await resolvePerTurn<number>(setting, shareSchema, { turn, signal });
  if (share === undefined)
    warn(name, `\`${name}\` failed, was late or answered no number from 0 to 1: it counts as 0.`);
  return share ?? 0;
}

function isInShare(threadId: string | undefined, share: number | null, salt: string): boolean {
  if (share === null) return true;
  return threadId !== undefined && hashToShare(`${salt}${threadId}`) < share;
}

/**
 * Resolves what applies to a turn, within one budget.
 *
 * An override of the mode wins over `mode` and `enforceShare`. Whatever fails or is late means shadow. Never rejects.
 */
export async function resolveTurnPolicy(
  turn: Turn,
  options: ResolvedOptions,
  warn: Warn,
): Promise<TurnPolicy> {
  const overrides = readOverrides(turn.overrides, warn);
  const budget = startBudget({
    timeoutMs: options.timeoutMs,
    signal: turn.signal,
  });
  try {
    // A caller who cancels leaves unanswered what nobody failed to answer.
    const warnOfFailure: Warn = (key, message) => {
      if (turn.signal?.aborted !== true) warn(key, message);
    };
    const asking: Asking = { turn, signal: budget.signal, warn: warnOfFailure };
    const wanted = overrides.mode ?? (await resolveMode(options, asking));
    const isShared = wanted === "enforce" && overrides.mode === undefined;
    const enforceShare = isShared ? await resolveShare("enforceShare", options, asking) : null;
    const mode =
      wanted === "enforce" && !isInShare(turn.threadId, enforceShare, "") ? "shadow" : wanted;
    return {
      mode,
      maxTools: overrides.maxTools ?? options.maxTools,
      alwaysInclude: [...options.alwaysInclude, ...(overrides.alwaysInclude ?? [])],
      policyFingerprint: fingerprintOf(options, overrides),
      overridden: Object.keys(overrides).length > 0,
      enforceShare,
    };
  } finally {
    budget.dispose();
  }
}

/** False for a shadow turn outside `shadowShare`: it is not judged. Asked beside the model, so that it delays nothing. */
export async function isSampled(
  turn: Turn,
  options: ResolvedOptions,
  { signal, warn }: Omit<Asking, "turn">,
): Promise<boolean> {
  const share = await resolveShare("shadowShare", options, { turn, signal, warn });
  return isInShare(turn.threadId, share, "shadow:");
}

const plainFingerprints = new WeakMap<ResolvedOptions, string>();

/** Turns with overrides have a fingerprint of their own. */
function fingerprintOf(options: ResolvedOptions, overrides: Valid): string {
  if (Object.keys(overrides).length > 0) {
    return fingerprintPolicy(options, overrides);
  }
  const known = plainFingerprints.get(options) ?? fingerprintPolicy(options);
  plainFingerprints.set(options, known);
  return known;
}
