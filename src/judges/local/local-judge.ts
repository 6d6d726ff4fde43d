/** The embedded judge: offline, in process, free; its weights are loaded when it is first asked. */

import * as z from "zod";
import { sha256Hex } from "../../core/fingerprint.js";
import { parseOptions } from "../../core/parse-options.js";
import type { Judge } from "../../core/types.js";
import type { Engine } from "./engine.js";
import { trained } from "./trained.js";

const hintsExpectation = 'lists of example requests by tool name ({ send_mail: ["write to Bob"] })';

const optionsSchema = z.strictObject({
  hints: z
    .record(z.string(), z.array(z.string(hintsExpectation), hintsExpectation), hintsExpectation)
    .optional(),
});

/** Options of {@link localJudge}. */
export interface LocalJudgeOptions {
  /**
   * Example requests by tool name: what users say when they need the tool. One to five each; they help most where
   * descriptions do not speak the users' language. Only the first 1,000 characters of each are read.
   * @default none
   * @example { TripAdviceTool: ["plan a weekend in Rome", "where should we go in May?"] }
   */
  readonly hints?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * The embedded judge: needs no key, no network and no native code, costs nothing, and nothing leaves the process.
 *
 * It matches the conversation with names, descriptions and parameters of the tools, by words and by meaning, in English.
 * A request that gives it nothing to go by (a greeting, another language, unknown words) is answered with `null` for every
 * tool: it never rejects on ignorance. Its probabilities are those of one tool among dozens, so it brings its own
 * `thresholds`. It reads the weights (some two megabytes) when it is first asked, and keeps what it has read of a tool
 * for as long as the tool's description object lives. It never holds the event loop for more than a few milliseconds.
 *
 * @throws {InvalidOptionsError} on a misspelt or wrong option.
 * @example
 * const judge = localJudge({ hints: { get_weather: ["do I need an umbrella?"] } });
 * const { probabilities } = await judge.judge(
 *   {
 *     context: { request: "Will it rain in Oslo?", messages: [] },
 *     candidates: [{ name: "get_weather", description: "Weather forecast for a city" }],
 *   },
 *   { signal: AbortSignal.timeout(1000) },
 * );
 */
export function localJudge(options: LocalJudgeOptions = {}): Judge {
  const { hints = {} } = parseOptions(optionsSchema, options, "localJudge");
  const hintsByTool = new Map(Object.entries(hints));
  let engine: Promise<Engine> | undefined;

  async function load(): Promise<Engine> {
    const { createShippedEngine } = await import("./shipped-engine.js");
    return createShippedEngine(hintsByTool);
  }

  return {
    id: hintsByTool.size === 0 ? trained.id : `${trained.id}+hints-${digestOf(hints)}`,
    thresholds: trained.thresholds,
    async judge(request, { signal }) {
      signal.throwIfAborted();
      engine ??= load().catch((error: unknown) => {
        engine = undefined;
        throw error;
      });
      const judge = await engine;
      return {
        probabilities: await judge(request, signal),
        usage: { inputTokens: 0, outputTokens: 0 },
        requests: 0,
      };
    },
  };
}

/** Judges with different hints answer differently, so their ids differ. */
function digestOf(hints: Readonly<Record<string, readonly string[]>>): string {
  const sorted = Object.entries(hints).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify(sorted)).slice(0, 8);
}
