/**
 * What cached tokens and the judge cost, as ratios to a fresh input token: presets by model,
 * overridden by the user.
 */

import * as z from "zod";
import { nameMatcher } from "../../core/glob.js";
import type { CacheRatios } from "../summary.js";

const price = (): z.ZodNumber => z.number("a price from 0").min(0, "a price from 0");

const modelPrices = z.strictObject(
  {
    input: z.number("a price above 0").gt(0, "a price above 0").optional(),
    cacheRead: price().optional(),
    cacheWrite: price().optional(),
    cacheReadRatio: price().optional(),
    cacheWriteRatio: price().optional(),
  },
  "an object with prices",
);

/** The schema of a price list. */
export const pricesSchema = z.strictObject({
  currency: z.string("a currency").min(1, "a currency").default("USD"),
  cacheLifetimeSeconds: z.number("seconds above 0").gt(0, "seconds above 0").default(300),
  models: z.record(z.string(), modelPrices, "an object of prices by model").default({}),
  judge: z
    .strictObject(
      {
        input: price().optional(),
        output: price().optional(),
        inputRatio: price().optional(),
        outputRatio: price().optional(),
      },
      "an object with prices",
    )
    .default({}),
});

/**
 * A price list: prices per million tokens by model name or glob (the first match wins; `*` stands
 * for records without a model too), or ratios where only those are known, and the judge's own
 * prices.
 *
 * @example
 * ```ts
 * const prices: Prices = {
 *   models: { "claude-*": { input: 3, cacheRead: 0.3, cacheWrite: 3.75 } },
 *   judge: { input: 0.1, output: 0.4 },
 * };
 * ```
 */
export type Prices = z.input<typeof pricesSchema>;

export type ResolvedPrices = z.output<typeof pricesSchema>;

/** Token prices in a turn of one model, relative to a fresh input token. */
export interface TurnRatios {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly judgeInput: number;
  readonly judgeOutput: number;
  readonly source: CacheRatios["source"];
  /** Price of a million fresh input tokens; `null` if unknown. */
  readonly inputPrice: number | null;
}

/**
 * A judge's token at a tenth of the model's input price; a local judge reports no tokens at all.
 */
const defaultJudgeRatio = 0.1;
const defaultRatios = { cacheRead: 0.1, cacheWrite: 1.25 } as const;

/** List prices of the providers, as of late 2025; the newest families first. */
const presets: readonly {
  readonly pattern: RegExp;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}[] = [
  { pattern: /claude/i, cacheRead: 0.1, cacheWrite: 1.25 },
  { pattern: /gpt-5/i, cacheRead: 0.1, cacheWrite: 1 },
  { pattern: /gpt-4\.1|(^|\/)o3|o4-mini/i, cacheRead: 0.25, cacheWrite: 1 },
  { pattern: /gpt-4o|(^|\/)o1/i, cacheRead: 0.5, cacheWrite: 1 },
  { pattern: /gemini/i, cacheRead: 0.1, cacheWrite: 1 },
  { pattern: /deepseek/i, cacheRead: 0.1, cacheWrite: 1 },
];

const divide = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined ? undefined : part / whole;

/**
 * The ratios of turns of one model; the model's own prices first, then presets, then the defaults.
 */
export function findRatios(model: string | null, prices: ResolvedPrices): TurnRatios {
  const listed = Object.entries(prices.models).find(([glob]) =>
    model === null ? glob === "*" : nameMatcher([glob])(model),
  )?.[1];
  const preset = presets.find(({ pattern }) => model !== null && pattern.test(model));
  const assumed = preset ?? defaultRatios;
  const read = listed?.cacheReadRatio ?? divide(listed?.cacheRead, listed?.input);
  const write = listed?.cacheWriteRatio ?? divide(listed?.cacheWrite, listed?.input);
  const { judge } = prices;
  return {
    cacheRead: read ?? assumed.cacheRead,
    cacheWrite: write ?? assumed.cacheWrite,
    judgeInput: judge.inputRatio ?? divide(judge.input, listed?.input) ?? defaultJudgeRatio,
    judgeOutput: judge.outputRatio ?? divide(judge.output, listed?.input) ?? defaultJudgeRatio,
    source:
      read !== undefined || write !== undefined
        ? "option"
        : preset === undefined
          ? "default"
          : "preset",
    inputPrice: listed?.input ?? null,
  };
}
