/** What every adapter takes from a LangChain run: ids, overrides, cancellation, and a trace for the judge that no stream sees. */

import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch/web";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import { RunnableLambda } from "@langchain/core/runnables";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { Selection, Turn, TurnOverrides } from "../core/types.js";
import { isList, read, readText } from "./read.js";

/** Name of the event that announces a selection to callbacks and traces. */
const selectionEventName = "toolsieve_selection";

/** LangGraph hands a subgraph its parent's stream under this key of `configurable`. */
const subgraphStreamKey = "__pregel_stream";

/** The config of the run in progress, where the platform has async context; `undefined` elsewhere. */
export function currentConfig(): RunnableConfig | undefined {
  try {
    const config: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig();
    return typeof config === "object" && config !== null ? config : undefined;
  } catch {
    return undefined;
  }
}

/** Handlers that pass a run's content on to whoever reads the agent's stream. */
function feedsStream(handler: unknown): boolean {
  return (
    read(handler, "lc_prefer_streaming") === true ||
    read(handler, "lc_prefer_chat_model_stream_events") === true ||
    read(handler, "name") === "StreamToolsHandler"
  );
}

function withoutStreams(callbacks: Callbacks | undefined): Callbacks | undefined {
  if (callbacks === undefined) return undefined;
  if (isList(callbacks)) return callbacks.filter((handler) => !feedsStream(handler));
  const manager = callbacks.copy();
  for (const handler of callbacks.handlers)
    if (feedsStream(handler)) manager.removeHandler(handler);
  return manager;
}

function judgeConfig(config: RunnableConfig): RunnableConfig {
  const { runName: _runName, runId: _runId, callbacks, configurable, ...rest } = config;
  const quiet = withoutStreams(callbacks);
  return {
    ...rest,
    ...(quiet === undefined ? {} : { callbacks: quiet }),
    ...(configurable === undefined
      ? {}
      : { configurable: { ...configurable, [subgraphStreamKey]: undefined } }),
  };
}

/**
 * Runs judge calls as one named run, `toolsieve_judge`: tracers and callbacks see it and all it calls, streams do not.
 *
 * The run itself carries neither input nor output, because both would be conversation text.
 */
function judgeScope(config: RunnableConfig | undefined): NonNullable<Turn["judgeScope"]> {
  return async (judge) => {
    const answers: Awaited<ReturnType<typeof judge>>[] = [];
    const run = RunnableLambda.from(async () => {
      answers.push(await judge());
    }).withConfig({
      tags: ["nostream"],
      runName: "toolsieve_judge",
      metadata: { lc_source: "toolsieve" },
    });
    await run.invoke({}, config === undefined ? undefined : judgeConfig(config));
    return answers[0] as Awaited<ReturnType<typeof judge>>;
  };
}

/**
 * The part of a turn that a run decides.
 *
 * @param config the run's config: callbacks and metadata.
 * @param runtime what the host says of thread, cancellation and context; a node's config says all of it.
 */
export function turnOfRun(
  config: RunnableConfig | undefined,
  runtime: unknown = config,
): Pick<Turn, "threadId" | "runId" | "signal" | "overrides" | "judgeScope"> {
  const threadId = readText(read(runtime, "configurable"), "thread_id");
  const runId = readText(read(config, "metadata"), "run_id");
  const signal = read(runtime, "signal");
  const overrides = read(read(runtime, "context"), "toolSelector");
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...(runId === undefined ? {} : { runId }),
    ...(signal instanceof AbortSignal ? { signal } : {}),
    ...(overrides === undefined ? {} : { overrides: overrides as TurnOverrides }),
    judgeScope: judgeScope(config),
  };
}

/**
 * Tells callbacks and traces what was selected: names and counts, never content. Never fails and never waits.
 *
 * `streamEvents` sees enforced selections only: a shadow one may come after the stream has ended.
 */
export function announceSelection(selection: Selection, config: RunnableConfig | undefined): void {
  if (config === undefined) return;
  const { status, reason, fallback, enforced, outcomes, suggested } = selection;
  const kept = outcomes.filter((outcome) => outcome.kept);
  const payload = {
    status,
    reason,
    fallback,
    enforced,
    tools: outcomes.length,
    offered: selection.tools.length,
    suggested: suggested.length,
    kept: kept.map(({ name }) => name).filter((name) => name !== null),
  };
  const callbacks = enforced ? config.callbacks : withoutStreams(config.callbacks);
  const { callbacks: _callbacks, ...rest } = config;
  const target: RunnableConfig = callbacks === undefined ? rest : { ...rest, callbacks };
  dispatchCustomEvent(selectionEventName, payload, target).catch(() => undefined);
}
