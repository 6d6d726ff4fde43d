/** The embedded judge: offline, in process, free; its weights are loaded when it is first asked. */

import * as z from "zod";
import { sha256Hex } from "../../core/fingerprint.js";
import { parseOptions } from "../../core/parse-options.js";
import type { Judge } from "../../core/types.js";
import { isEmbeddingModel, type EmbeddingModel } from "./embedding-encoder.js";
import type { Engine } from "./engine.js";
import { trained } from "./trained.js";

const hintsExpectation = 'lists of example requests by tool name ({ send_mail: ["write to Bob"] })';

const optionsSchema = z.strictObject({
  hints: z
    .record(z.string(), z.array(z.string(hintsExpectation), hintsExpectation), hintsExpectation)
    .optional(),
  encoder: z
    .custom<EmbeddingModel>(isEmbeddingModel, "an object with `embedDocuments` and `embedQuery`")
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
  /**
   * An embedding model of LangChain, or any object with `embedDocuments` and `embedQuery`, instead of the shipped encoder.
   * Texts of conversations and tools go to it. The judge's thresholds are those of the shipped encoder: find your own with
   * `toolsieve tune` on a shadow log, and set them on the selector.
   * @default the shipped encoder
   * @example new OpenAIEmbeddings({ model: "text-embedding-3-small" })
   */
  readonly encoder?: EmbeddingModel | undefined;
}

/**
 * The embedded judge: needs no key, no network and no native code, costs nothing, and nothing leaves the process.
 *
 * It reads the whole catalog at once (`scope: "catalog"`): a small text encoder and the words of request and tools say how well
 * each tool fits, relative to the others; one cut, calibrated on catalogs that it was not trained on, parts the tools that are
 * kept from the rest. It reads English. A request that gives it nothing to go by (a greeting, another language, unknown words)
 * is answered with `null` for every tool: it never rejects on ignorance.
 *
 * Vectors of tools are computed once in a process, in the background or with `prepare`; while they are not there within the
 * turn's budget, it abstains. It never holds the event loop for more than a few milliseconds.
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
  const { hints = {}, encoder } = parseOptions(optionsSchema, options, "localJudge");
  let loading: Promise<Engine> | undefined;

  async function load(): Promise<Engine> {
    const { loadEngine } = await import("./load-engine.js");
    return loadEngine(new Map(Object.entries(hints)), encoder);
  }

  function getEngine(): Promise<Engine> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    id: buildId(hints, encoder),
    scope: "catalog",
    thresholds: trained.thresholds,
    maxTools: trained.maxTools,
    async judge(request, judgeOptions) {
      judgeOptions.signal.throwIfAborted();
      const engine = await getEngine();
      return {
        probabilities: await engine.judge(request, judgeOptions),
        usage: { inputTokens: 0, outputTokens: 0 },
        requests: 0,
      };
    },
    async prepare(candidates, { signal }) {
      const engine = await getEngine();
      await engine.prepare(candidates, signal);
    },
  };
}

/** Judges that answer differently have different ids. */
function buildId(
  hints: Readonly<Record<string, readonly string[]>>,
  encoder: EmbeddingModel | undefined,
): string {
  const base = encoder === undefined ? trained.id : `${trained.id}+embeddings`;
  if (Object.keys(hints).length === 0) return base;
  const sorted = Object.entries(hints).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${base}+hints-${sha256Hex(JSON.stringify(sorted)).slice(0, 8)}`;
}
