/**
 * Resolves the policy of one turn: its mode (which a kill switch may decide), its share of the
 * rollout, its overrides.
 */

import type * as z from "zod";
import { untilAborted } from "../core/abort.js";
import type { RecordedPolicy } from "../core/build-record.js";
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
import { startBudget } from "./budget.js";

export interface TurnPolicy extends RecordedPolicy {
  readonly alwaysInclude: readonly string[];
}

type ValidOverrides = z.output<typeof turnOverridesSchema>;

/** Reads each override on its own, so that a wrong one takes nothing from the others. */
function readOverrides(value: unknown, warn: Warn): ValidOverrides {
  const overrides: ValidOverrides = {};
  try {
    for (const [key, override] of Object.entries(value ?? {})) {
      if (override === undefined) continue;
      const { data } = turnOverridesSchema.safeParse({ [key]: override });
      Object.assign(overrides, data);
      if (data !== undefined) continue;
      const name = JSON.stringify(key.slice(0, 60));
      warn(`override:${key}`, `Ignored the override ${name}: unknown or not valid.`);
    }
  } catch {
    warn("overrides", "Ignored overrides that cannot be read.");
  }
  return overrides;
}

interface PolicyRequest {
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly warn: Warn;
}

/**
 * A fixed value, or the answer of a function of the turn; `undefined` if that fails, is late or is
 * invalid.
 */
async function resolvePerTurn<V>(
  setting: V | ((turn: Turn) => V | Promise<V>),
  schema: z.ZodType<V>,
  { turn, signal }: PolicyRequest,
): Promise<V | undefined> {
  if (typeof setting !== "function") return setting;
  try {
    const ask = setting as (turn: Turn) => V | Promise<V>;
    return schema.safeParse(await untilAborted((async () => ask(turn))(), signal)).data;
  } catch {
    return undefined;
  }
}

async function resolveMode(options: ResolvedOptions, request: PolicyRequest): Promise<Mode> {
  const mode = await resolvePerTurn(options.mode, modeSchema, request);
  if (mode === undefined)
    request.warn("mode", "`mode` failed, was late or answered no mode: this turn is in shadow.");
  return mode ?? "shadow";
}

/** The share in force; one that cannot be had is 0. */
async function resolveShare(
  name: "enforceShare" | "shadowShare",
  options: ResolvedOptions,
  request: PolicyRequest,
): Promise<number | null> {
  const setting = options[name];
  if (setting === undefined) return null;
  const share = await resolvePerTurn<number>(setting, shareSchema, request);
  if (share === undefined)
    request.warn(
      name,
      `\`${name}\` failed, was late or answered no number from 0 to 1: it counts as 0.`,
    );
  return share ?? 0;
}

function isInShare(threadId: string | undefined, share: number | null, salt: string): boolean {
  if (share === null) return true;
  return threadId !== undefined && hashToShare(`${salt}${threadId}`) < share;
}

/**
 * The mode after overrides and the rollout. An override of the mode wins over `mode` and
 * `enforceShare`.
 */
async function resolveModeAndShare(
  overrides: ValidOverrides,
  options: ResolvedOptions,
  request: PolicyRequest,
): Promise<{ readonly mode: Mode; readonly enforceShare: number | null }> {
  if (overrides.mode !== undefined) return { mode: overrides.mode, enforceShare: null };
  const mode = await resolveMode(options, request);
  if (mode !== "enforce") return { mode, enforceShare: null };
  const enforceShare = await resolveShare("enforceShare", options, request);
  const isEnforced = isInShare(request.turn.threadId, enforceShare, "");
  return { mode: isEnforced ? "enforce" : "shadow", enforceShare };
}

/**
 * Resolves the policy of a turn within one budget. A setting that fails or is late means shadow.
 * Never rejects.
 */
export async function resolveTurnPolicy(
  turn: Turn,
  options: ResolvedOptions,
  warn: Warn,
): Promise<TurnPolicy> {
  const overrides = readOverrides(turn.overrides, warn);
  const budget = startBudget({ timeoutMs: options.timeoutMs, signal: turn.signal });
  const warnUnlessCancelled: Warn = (key, message) => {
    if (turn.signal?.aborted !== true) warn(key, message);
  };
  const request = { turn, signal: budget.signal, warn: warnUnlessCancelled };
  try {
    return {
      ...(await resolveModeAndShare(overrides, options, request)),
      confidenceThreshold: options.confidenceThreshold,
      rejectionThreshold: options.rejectionThreshold,
      onUncertain: options.onUncertain,
      maxTools: overrides.maxTools ?? options.maxTools,
      alwaysInclude: [...options.alwaysInclude, ...(overrides.alwaysInclude ?? [])],
      policyFingerprint: fingerprintTurnPolicy(options, overrides),
      overridden: Object.keys(overrides).length > 0,
    };
  } finally {
    budget.dispose();
  }
}

/**
 * False for a shadow turn outside `shadowShare`: it is not judged. Evaluated beside the model,
 * without delay for it.
 */
export async function isSampled(
  turn: Turn,
  { options, warn }: { readonly options: ResolvedOptions; readonly warn: Warn },
  signal: AbortSignal,
): Promise<boolean> {
  const share = await resolveShare("shadowShare", options, { turn, signal, warn });
  return isInShare(turn.threadId, share, "shadow:");
}

const fingerprints = new WeakMap<ResolvedOptions, string>();

/** Turns with overrides have a fingerprint of their own. */
function fingerprintTurnPolicy(options: ResolvedOptions, overrides: ValidOverrides): string {
  if (Object.keys(overrides).length > 0) return fingerprintPolicy(options, overrides);
  const known = fingerprints.get(options) ?? fingerprintPolicy(options);
  fingerprints.set(options, known);
  return known;
}
