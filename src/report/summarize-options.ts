/** The options of `summarize`, checked once. */

import * as z from "zod";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import { pricesSchema } from "./saving/prices.js";
import type { Prices } from "./saving/prices.js";

/** Options of `summarize`. All are optional. */
export interface SummarizeOptions {
  /**
   * The share of units that may miss a tool, above 0 and below 1.
   * @default 0.01
   */
  readonly maxMissRate?: number | undefined;
  /**
   * How often this gate is looked at before it is obeyed: the error of each bound is divided by it.
   * @default 1
   */
  readonly looks?: number | undefined;
  /** Not ready if the judged cohort ran with another policy than the one with this fingerprint. */
  readonly expectPolicy?: string | undefined;
  /**
   * Names and globs of tools that must never be hidden; they join the suggested `alwaysInclude`.
   * @default []
   */
  readonly critical?: readonly string[] | undefined;
  /**
   * Counts records from this time on: a date, or epoch milliseconds. Earlier enforced records still
   * end a unit's evidence.
   */
  readonly since?: Date | number | undefined;
  /**
   * `shadow`: would it have hidden a called tool? `enforced`: are enforced units worse off than
   * control units?
   * @default "shadow"
   */
  readonly gate?: "shadow" | "enforced" | undefined;
  /** Task success by thread id, for the enforced gate. */
  readonly labels?: ReadonlyMap<string, boolean> | undefined;
  /** Prices, or price ratios; for money, and where the presets do not fit. */
  readonly prices?: Prices | undefined;
  /** Called with the number of records read so far, every 10,000 records. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

const rate = "a number above 0 and below 1";
const names = "an array of names and globs";

/** The `since` option: a point in time, as epoch milliseconds. */
export const sinceSchema = z
  .union([z.date(), z.number("a date or epoch milliseconds")], "a date or epoch milliseconds")
  .transform(Number)
  .optional();

/** The `onProgress` option. */
export const progressSchema = z
  .custom<(records: number) => void>((value) => typeof value === "function", "a function")
  .optional();

const summarizeOptionsSchema = z.strictObject({
  maxMissRate: z.number(rate).gt(0, rate).lt(1, rate).default(0.01),
  looks: integerFrom(1).default(1),
  expectPolicy: z.string("a policy fingerprint").min(1, "a policy fingerprint").optional(),
  critical: z.array(z.string(names).min(1, names), names).default([]),
  since: sinceSchema,
  gate: z.enum(["shadow", "enforced"], '"shadow" or "enforced"').default("shadow"),
  labels: z
    .custom<ReadonlyMap<string, boolean>>((value) => value instanceof Map, "a Map of thread ids")
    .optional(),
  prices: pricesSchema.default(() => pricesSchema.parse({})),
  onProgress: progressSchema,
});

/** Options with every default filled in. */
export interface ResolvedSummarizeOptions extends z.output<typeof summarizeOptionsSchema> {
  /** The one-sided error of each bound. */
  readonly alpha: number;
}

/** @throws {InvalidOptionsError} if an option is unknown, of the wrong type or out of range. */
export function resolveSummarizeOptions(
  options: SummarizeOptions | undefined,
): ResolvedSummarizeOptions {
  const resolved = parseOptions(summarizeOptionsSchema, options, "summarize");
  return { ...resolved, alpha: 0.05 / resolved.looks };
}
