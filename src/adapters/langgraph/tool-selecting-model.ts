/**
 * A stand-in for a plain chat model that selects and binds its tools when it is invoked or
 * streamed.
 */

import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import { Runnable } from "@langchain/core/runnables";
import type { RunnableConfig } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { read, readList } from "../../core/read.js";
import type { Turn } from "../../core/types.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import { announceSelection } from "../announce-selection.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { appendFinder, omitFinderTool } from "../finder-tool.js";
import { readModelApi } from "../read-model-api.js";
import { toTurnMessages } from "../read-messages.js";
import { bindTools, readStateMessages } from "./bind-tools.js";
import type { BoundModel } from "./bind-tools.js";
import { readModelOutcome } from "../read-outcome.js";
import { readRun } from "../read-run.js";
import { readMemoryKey } from "../thread-state.js";

export interface ToolSelectingModelOptions<T> {
  readonly model: BaseChatModel;
  readonly tools: readonly T[];
  readonly toolChoice: unknown;
  readonly selector: ToolSelector;
  readonly state: unknown;
  /** The run that asked for the model; used where the call itself brings no config. */
  readonly config: RunnableConfig | undefined;
}

/** Methods that go through the stand-in. All others are the plain model's own. */
const callMethods: ReadonlySet<PropertyKey> = new Set([
  "invoke",
  "batch",
  "stream",
  "transform",
  "streamEvents",
  "streamLog",
  "_streamIterator",
  "pipe",
  "withConfig",
  "withRetry",
  "withFallbacks",
  "withListeners",
]);

function readInputMessages(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  if (typeof input === "string") return [input];
  const toMessages = read(input, "toChatMessages");
  if (typeof toMessages !== "function") return [];
  const messages: unknown = Reflect.apply(toMessages, input, []);
  return Array.isArray(messages) ? messages : [];
}

class SelectingCalls<T> extends Runnable<BaseLanguageModelInput, AIMessageChunk> {
  static override lc_name(): string {
    return "SelectingModel";
  }
  lc_namespace = ["toolsieve", "adapters"];
  readonly #options: ToolSelectingModelOptions<T>;

  constructor(options: ToolSelectingModelOptions<T>) {
    super();
    this.#options = options;
  }

  override async invoke(
    input: BaseLanguageModelInput,
    config: Partial<RunnableConfig> = this.#options.config ?? {},
  ): Promise<AIMessageChunk> {
    return this.#select(input, config, (model) => model.invoke(input, config));
  }

  override async *_streamIterator(
    input: BaseLanguageModelInput,
    config: Partial<RunnableConfig> = this.#options.config ?? {},
  ): AsyncGenerator<AIMessageChunk> {
    const left = new AbortController();
    const signal =
      config.signal === undefined ? left.signal : AbortSignal.any([config.signal, left.signal]);
    const pipe = new TransformStream<AIMessageChunk, AIMessageChunk>();
    const writer = pipe.writable.getWriter();
    const answer = this.#select(input, { ...config, signal }, async (model) => {
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(input, { ...config, signal })) {
        whole = whole === undefined ? chunk : concat(whole, chunk);
        await writer.write(chunk);
      }
      return whole as AIMessageChunk;
    });
    answer
      .then(
        () => writer.close(),
        (error: unknown) => writer.abort(error),
      )
      .catch(() => undefined);
    try {
      yield* pipe.readable;
      await answer;
    } finally {
      left.abort();
      await answer.catch(() => undefined);
    }
  }

  #select(
    input: BaseLanguageModelInput,
    config: RunnableConfig,
    call: (model: BoundModel) => Promise<AIMessageChunk>,
  ): Promise<AIMessageChunk> {
    const { model, toolChoice, selector, state } = this.#options;
    const tools = omitFinderTool(this.#options.tools);
    const prepared = readList(state, "llmInputMessages");
    const sent = prepared.length > 0 ? prepared : readInputMessages(input);
    const messages = sent.length > 0 ? sent : readStateMessages(state);
    const turn: Turn<T> = {
      ...readRun(config),
      messages: toTurnMessages(messages),
      tools,
      describe: describeLangChainTool,
      toolChoice,
      savedMemory: readMemoryKey(state),
      allowedToolsApi: readModelApi(model, tools),
    };
    return selector.run(turn, {
      callModel: async (offered, selection) => {
        const choice = selection?.toolChoice ?? toolChoice;
        return call(bindTools(model, appendFinder(offered, selection), choice));
      },
      onSelection: (selection) => announceSelection(selection, config),
      readOutcome: (result) => readModelOutcome(result, messages),
    });
  }
}

/**
 * The plain model to everyone who looks at it (`instanceof`, `withStructuredOutput`, private
 * members); only calls that reach the model go through a selection first.
 */
export function createToolSelectingModel<T>(options: ToolSelectingModelOptions<T>): BaseChatModel {
  const calls = new SelectingCalls(options);
  return new Proxy(options.model, {
    get(model, key) {
      const owner = callMethods.has(key) ? calls : model;
      const value: unknown = Reflect.get(owner, key, owner);
      return typeof value === "function" && key !== "constructor"
        ? (value.bind(owner) as unknown)
        : value;
    },
  });
}
