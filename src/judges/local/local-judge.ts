/** The embedded judge: offline, in process, free; its weights are loaded when it is first asked. */

import * as z from "zod";
import { parseOptions } from "../../core/parse-options.js";
import type { Judge } from "../../core/types.js";
import type { Engine } from "./engine.js";

const hintsExpectation = 'example requests by tool name ({ send_mail: ["write to Bob"] })';

const optionsSchema = z.strictObject({
  hints: z.record(z.string(), z.array(z.string()), hintsExpectation).optional(),
});

/** Options of {@link localJudge}. */
export interface LocalJudgeOptions {
  /**
   * Example requests by tool name: what users say when they need the tool. One to five each help most where a tool's
   * description does not speak the users' language.
   * @example { TripAdviceTool: ["plan a weekend in Rome", "where should we go in May?"] }
   */
  readonly hints?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * The embedded judge: needs no key, no network and no native code, and nothing leaves the process.
 *
 * It compares the request with names, descriptions and parameters by their words. A request that gives it nothing to go by
 * (a greeting, another language, no word in common with any tool) is answered with `null` for every tool: it never
 * rejects on ignorance. Its probabilities are low by nature, so it brings its own thresholds.
 *
 * @throws {InvalidOptionsError} on a misspelt option.
 * @example
 * const judge = localJudge();
 * const { probabilities } = await judge.judge(
 *   {
 *     context: { request: "What is the weather in Oslo?", messages: [] },
 *     candidates: [{ name: "get_weather", description: "Current weather of a city" }],
 *   },
 *   { signal: AbortSignal.timeout(1000) },
 * );
 */
export function localJudge(options: LocalJudgeOptions = {}): Judge {
  const parsed = parseOptions(optionsSchema, options, "localJudge");
  const hints = new Map(Object.entries(parsed.hints ?? {}));
  let loading: Promise<Engine> | undefined;
  const load = async (): Promise<Engine> => (await import("./engine.js")).createEngine(hints);

  return {
    id: hints.size === 0 ? "local:0" : "local:0+hints",
    thresholds: { confidence: 0.85, rejection: 0.004 },
    async judge(request, { signal }) {
      loading ??= load();
      const engine = await loading;
      return {
        probabilities: await engine(request, signal),
        usage: { inputTokens: 0, outputTokens: 0 },
        requests: 0,
      };
    },
  };
}
