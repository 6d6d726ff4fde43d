/**
 * The options of a tool selector: their schema, their defaults, and the fingerprint of those that
 * change a selection.
 */

import * as z from "zod";
import { InvalidOptionsError } from "../errors.js";
import { callSafely } from "./call-safely.js";
import { contextOptionsSchema } from "./context.js";
import type { ContextOptions, Redact } from "./context.js";
import { sha256Hex } from "./fingerprint.js";
import { canonicalJson } from "./json.js";
import { judgeLimitsSchema } from "./limits.js";
import type { JudgeLimits } from "./limits.js";
import {
  booleanOption,
  functionOption,
  integerFrom,
  numberBetween,
  parseOptions,
  textOption,
} from "./parse-options.js";
import { describeThreadPolicy, threadOptionsShape } from "./thread-options.js";
import type { ThreadOptions } from "./thread-options.js";
import type {
  Judge,
  JudgeContext,
  JudgeFunction,
  Logger,
  Mode,
  Sink,
  Turn,
  TurnOverrides,
} from "./types.js";
import { loggerSchema } from "./warn-once.js";

/**
 * Options of `createToolSelector`, in four groups: judging, policy, across turns, evidence. All are
 * optional.
 */
export interface ToolSelectorOptions extends ThreadOptions {
  // --- judging ---
  /**
   * The judge, which gives the probability that a tool is applicable.
   * @default localJudge()
   */
  readonly judge?: Judge | JudgeFunction | undefined;
  /**
   * How the conversation is cut for the judge, or a function that builds the judge's context.
   * @default { strategy: "recent-window", maxMessages: 8, maxChars: 8000 }
   */
  readonly context?: ContextOptions | ((turn: Turn) => JudgeContext) | undefined;
  /**
   * Runs over every text of the conversation before any judge sees it. One that throws restores the
   * full catalog.
   */
  readonly redact?: Redact | undefined;
  /**
   * Candidates per judge call, from 1; a judge's own limit wins if it is smaller.
   * @default 64; all candidates in one call where the judge's `scope` is "catalog"
   */
  readonly batchSize?: number | undefined;
  /**
   * Judge calls of one turn at a time, from 1.
   * @default 4
   */
  readonly concurrency?: number | undefined;
  /**
   * One total budget for judging a turn, in milliseconds from 1 to 2^31 − 1, retries and backoff
   * included.
   * @default 2000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Caps on the text of each tool and of each batch in a judge's prompt; the tools themselves are
   * never shortened.
   * @default { descriptionChars: 2000, schemaChars: 4000, batchChars: 100000 }
   */
  readonly limits?: JudgeLimits | undefined;

  // --- policy ---
  /**
   * Whether a selection is applied. A function is called on every turn; if it fails or is late, the
   * turn is in shadow.
   * @default "shadow"
   */
  readonly mode?: Mode | ((turn: Turn) => Mode | Promise<Mode>) | undefined;
  /**
   * Judged tools offered at most, from 1; pinned, abstained and unjudged tools do not count.
   * @default the judge's own, else 8
   */
  readonly maxTools?: number | undefined;
  /**
   * A probability from here on means applicable.
   * @default the judge's own, else 0.8
   */
  readonly confidenceThreshold?: number | undefined;
  /**
   * A probability up to here means not applicable; below `confidenceThreshold`.
   * @default the judge's own, else 0.2
   */
  readonly rejectionThreshold?: number | undefined;
  /**
   * `fallback`: any doubt restores the full catalog (small catalogs). `keep`: only confident
   * rejections are hidden (large ones).
   * @default "fallback"
   */
  readonly onUncertain?: "fallback" | "keep" | undefined;
  /**
   * Names and globs (`fs_*`) of tools that are never judged and never hidden.
   * @default []
   */
  readonly alwaysInclude?: readonly string[] | undefined;
  /**
   * Never hide a tool whose calls or results are in the messages being sent.
   * @default true
   */
  readonly pinHistory?: boolean | undefined;
  /**
   * Turns with fewer candidates are skipped; from 1.
   * @default 1
   */
  readonly minCandidates?: number | undefined;
  /**
   * Enforces for this share of the threads only, from 0 to 1, stable by thread id; the others, and
   * turns without a thread id, stay in shadow. A number or a function of the turn; one that fails
   * or is late means shadow.
   * @default enforce for all
   */
  readonly enforceShare?: number | ((turn: Turn) => number | Promise<number>) | undefined;
  /**
   * Judges this share of the shadow threads only, from 0 to 1, stable by thread id.
   * @default judge all
   */
  readonly shadowShare?: number | ((turn: Turn) => number | Promise<number>) | undefined;

  // --- evidence ---
  /** Names this version of the agent in every record. */
  readonly version?: string | undefined;
  /** Names this agent in every record; subagents share a thread id. */
  readonly agent?: string | undefined;
  /** Where records go. */
  readonly sinks?: Sink | readonly Sink[] | undefined;
  /**
   * Adds the judge's context to each record, after redaction. Without it a record holds no message
   * text.
   * @default false
   */
  readonly content?: boolean | undefined;
  /** Serverless: keeps shadow work alive after the response. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /**
   * Tokens of a text.
   * @default characters / 4, rounded up
   */
  readonly countTokens?: ((text: string) => number) | undefined;
  /**
   * Receives warnings, never conversation text.
   * @default silent
   */
  readonly logger?: Logger | undefined;
  /** Epoch milliseconds; a seam for tests. */
  readonly now?: (() => number) | undefined;
  /** Ids of records; a seam for tests. */
  readonly newId?: (() => string) | undefined;
}

const modes = ["off", "shadow", "enforce"] as const;
export const modeSchema = z.enum(modes, '"off", "shadow" or "enforce"');
export const shareSchema = numberBetween(0, 1);

/** The longest delay that a timer takes. */
const longestTimeoutMs = 2 ** 31 - 1;
const timeout = integerFrom(1).max(longestTimeoutMs, `an integer from 1 to ${longestTimeoutMs}`);

const globs = z
  .array(textOption(), "an array of names and globs")
  .transform((names): readonly string[] => names);

function hasMethod(value: unknown, method: string): boolean {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function"
  );
}

const judgeSchema = z.custom<Judge | JudgeFunction>(
  (value) =>
    typeof value === "function" ||
    (hasMethod(value, "judge") && typeof Reflect.get(value as object, "id") === "string"),
  "a judge ({ id, judge }) or a function",
);
const isSink = (value: unknown): boolean => hasMethod(value, "write");
const sinksSchema = z
  .custom<Sink | readonly Sink[]>(
    (value) => (Array.isArray(value) ? value.every(isSink) : isSink(value)),
    "a sink ({ write }) or an array of sinks",
  )
  .transform((sinks): readonly Sink[] => (Array.isArray(sinks) ? sinks : [sinks as Sink]));
/** Anything a function of the turn may decide, or a fixed value. */
const perTurn = <S extends z.ZodType>(
  schema: S,
): z.ZodUnion<[z.ZodCustom<(turn: Turn) => z.output<S> | Promise<z.output<S>>>, S]> =>
  z.union([functionOption<(turn: Turn) => z.output<S> | Promise<z.output<S>>>(), schema]);

const toolSelectorOptionsSchema = z.strictObject({
  judge: judgeSchema.optional(),
  context: z
    .union([functionOption<(turn: Turn) => JudgeContext>(), contextOptionsSchema])
    .default(() => contextOptionsSchema.parse({})),
  redact: functionOption<Redact>().optional(),
  batchSize: integerFrom(1).optional(),
  concurrency: integerFrom(1).default(4),
  timeoutMs: timeout.default(2000),
  limits: judgeLimitsSchema.default(() => judgeLimitsSchema.parse({})),
  mode: perTurn(modeSchema).default("shadow"),
  maxTools: integerFrom(1).optional(),
  confidenceThreshold: numberBetween(0, 1).optional(),
  rejectionThreshold: numberBetween(0, 1).optional(),
  onUncertain: z.enum(["fallback", "keep"], '"fallback" or "keep"').default("fallback"),
  alwaysInclude: globs.default([]),
  pinHistory: booleanOption().default(true),
  minCandidates: integerFrom(1).default(1),
  enforceShare: perTurn(shareSchema).optional(),
  shadowShare: perTurn(shareSchema).optional(),
  ...threadOptionsShape,
  version: textOption().optional(),
  agent: textOption().optional(),
  sinks: sinksSchema.default([]),
  content: booleanOption().default(false),
  waitUntil: functionOption<(work: Promise<unknown>) => void>().optional(),
  countTokens: functionOption<(text: string) => number>().default(
    () => (text: string) => Math.ceil(text.length / 4),
  ),
  logger: loggerSchema.optional(),
  now: functionOption<() => number>().default(() => Date.now),
  newId: functionOption<() => string>().default(() => randomId),
});

export const turnOverridesSchema = z.strictObject({
  mode: modeSchema.optional(),
  maxTools: integerFrom(1).optional(),
  alwaysInclude: globs.optional(),
});

type Parsed = z.output<typeof toolSelectorOptionsSchema>;

/**
 * Options with every default filled in; the judge is always a judge object, the thresholds are
 * those in force.
 */
export interface ResolvedOptions extends Omit<
  Parsed,
  "judge" | "batchSize" | "maxTools" | "confidenceThreshold" | "rejectionThreshold"
> {
  readonly judge: Judge;
  /** Candidates per judge call; `Infinity` where all of them go in one. */
  readonly batchSize: number;
  readonly maxTools: number;
  readonly confidenceThreshold: number;
  readonly rejectionThreshold: number;
}

function resolveThresholds(
  parsed: Parsed,
  judge: Judge,
): { readonly confidenceThreshold: number; readonly rejectionThreshold: number } {
  const own = judge.thresholds;
  const confidenceThreshold = parsed.confidenceThreshold ?? own?.confidence ?? 0.8;
  const rejectionThreshold = parsed.rejectionThreshold ?? own?.rejection ?? 0.2;
  if (
    !(
      0 <= rejectionThreshold &&
      rejectionThreshold < confidenceThreshold &&
      confidenceThreshold <= 1
    )
  ) {
    throw new InvalidOptionsError(
      `Expected \`rejectionThreshold\` to be below \`confidenceThreshold\`, both from 0 to 1, got \`${rejectionThreshold}\` and \`${confidenceThreshold}\`.`,
    );
  }
  return { confidenceThreshold, rejectionThreshold };
}

/** The fields of a judge that batches and caps depend on. */
const judgeTraitsSchema = z.object({
  judge: z.object({
    batchSize: integerFrom(1).optional(),
    maxTools: integerFrom(1).optional(),
    scope: z.enum(["tool", "catalog"], '"tool" or "catalog"').optional(),
  }),
});

/** Epoch milliseconds that a date can hold. */
const isTime = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) <= 8.64e15;
const isId = (value: unknown): value is string => typeof value === "string" && value !== "";
const randomId = (): string => crypto.randomUUID();

/** A user's function, backed by our own where it fails. */
function withFallback<V>(
  given: () => V,
  isValid: (value: unknown) => value is V,
  own: () => V,
): () => V {
  return () => callSafely(given, isValid) ?? own();
}

/**
 * Checks the options once and fills in the defaults.
 *
 * @throws {InvalidOptionsError} if an option is unknown, of the wrong type or out of range.
 */
export function resolveOptions(
  options: ToolSelectorOptions | undefined,
  chooseJudge: (judge: Judge | JudgeFunction | undefined) => Judge,
): ResolvedOptions {
  const parsed = parseOptions(toolSelectorOptionsSchema, options, "createToolSelector");
  const judge = chooseJudge(parsed.judge);
  const { batchSize, maxTools, scope } = judge;
  parseOptions(judgeTraitsSchema, { judge: { batchSize, maxTools, scope } }, "createToolSelector");
  return {
    ...parsed,
    judge,
    batchSize: parsed.batchSize ?? (scope === "catalog" ? Number.POSITIVE_INFINITY : 64),
    maxTools: parsed.maxTools ?? maxTools ?? 8,
    ...resolveThresholds(parsed, judge),
    now: withFallback(parsed.now, isTime, Date.now),
    newId: withFallback(parsed.newId, isId, randomId),
  };
}

/** Every option that changes a selection, as plain data; functions count by their presence. */
function describePolicy(options: ResolvedOptions, overrides: TurnOverrides | null): unknown {
  return {
    judge: options.judge.id,
    judgeBatchSize: options.judge.batchSize ?? null,
    context: typeof options.context === "function" ? "function" : options.context,
    redact: options.redact !== undefined,
    batchSize: Number.isFinite(options.batchSize) ? options.batchSize : "catalog",
    concurrency: options.concurrency,
    timeoutMs: options.timeoutMs,
    limits: options.limits,
    maxTools: options.maxTools,
    confidenceThreshold: options.confidenceThreshold,
    rejectionThreshold: options.rejectionThreshold,
    onUncertain: options.onUncertain,
    alwaysInclude: options.alwaysInclude.toSorted(),
    pinHistory: options.pinHistory,
    minCandidates: options.minCandidates,
    acrossTurns: describeThreadPolicy(options),
    overrides,
  };
}

/**
 * SHA-256 over every option that changes a selection, and over the overrides of the turn, if any.
 */
export function fingerprintPolicy(
  options: ResolvedOptions,
  overrides: TurnOverrides | null = null,
): string {
  return sha256Hex(canonicalJson(describePolicy(options, overrides)));
}
