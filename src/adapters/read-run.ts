/**
 * Reads a LangChain run: ids, overrides, cancellation, and a trace for the judge that no stream
 * sees.
 */

import { RunnableLambda } from "@langchain/core/runnables";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { read, readText } from "../core/read.js";
import type { Turn, TurnOverrides } from "../core/types.js";
import { dropStreamHandlers } from "./stream-handlers.js";

/** LangGraph hands a subgraph its parent's stream under this key of `configurable`. */
const subgraphStreamKey = "__pregel_stream";

/**
 * The config of the run in progress, where the platform has async context; `undefined` elsewhere.
 */
export function currentConfig(): RunnableConfig | undefined {
  try {
    const config: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig();
    return typeof config === "object" && config !== null ? config : undefined;
  } catch {
    return undefined;
  }
}

function toJudgeConfig(config: RunnableConfig): RunnableConfig {
  const { runName: _runName, runId: _runId, callbacks: all, configurable, ...rest } = config;
  const judgeConfig: RunnableConfig = rest;
  const callbacks = dropStreamHandlers(all);
  if (callbacks !== undefined) judgeConfig.callbacks = callbacks;
  if (configurable !== undefined) {
    judgeConfig.configurable = { ...configurable, [subgraphStreamKey]: undefined };
  }
  return judgeConfig;
}

/**
 * Runs judge calls as one named run, `toolsieve_judge`: tracers and callbacks see it and all it
 * calls, streams do not.
 *
 * The run itself carries neither input nor output, because both would be conversation text.
 */
function createJudgeScope(config: RunnableConfig | undefined): NonNullable<Turn["judgeScope"]> {
  return async (judge) => {
    const answers: Awaited<ReturnType<typeof judge>>[] = [];
    const run = RunnableLambda.from(async () => {
      answers.push(await judge());
    }).withConfig({
      tags: ["nostream"],
      runName: "toolsieve_judge",
      metadata: { lc_source: "toolsieve" },
    });
    await run.invoke({}, config === undefined ? undefined : toJudgeConfig(config));
    return answers[0] as Awaited<ReturnType<typeof judge>>;
  };
}

/**
 * The part of a turn that a run decides.
 *
 * @param config the run's config: callbacks and metadata.
 * @param runtime holds thread, cancellation and context; of a node that is its config.
 */
export function readRun(
  config: RunnableConfig | undefined,
  runtime: unknown = config,
): Pick<Turn, "threadId" | "runId" | "signal" | "overrides" | "judgeScope"> {
  const signal = read(runtime, "signal");
  return {
    threadId: readText(read(runtime, "configurable"), "thread_id"),
    runId: readText(read(config, "metadata"), "run_id"),
    signal: signal instanceof AbortSignal ? signal : undefined,
    overrides: read(read(runtime, "context"), "toolSelector") as TurnOverrides | undefined,
    judgeScope: createJudgeScope(config),
  };
}
