/**
 * A scripted LangChain chat model for tests: records the tools, tool choice and messages of every
 * call.
 */

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type {
  BaseChatModelCallOptions,
  BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { describeLangChainTool } from "../adapters/describe-langchain-tool.js";
import { read, readText } from "../core/read.js";
import type { ModelUsage } from "../core/types.js";
import { wait } from "./fake-judge.js";

/** What the model answers: text, a message of your own, or a description of one. */
export type ScriptedReply =
  | string
  | AIMessage
  | {
      readonly text?: string;
      readonly toolCalls?: readonly {
        readonly name: string;
        readonly args?: Record<string, unknown>;
        readonly id?: string;
      }[];
      readonly usage?: ModelUsage;
      /** Thrown instead of an answer. */
      readonly error?: unknown;
    };

/** One call as the model received it. */
export interface RecordedModelCall {
  readonly messages: readonly BaseMessage[];
  /** The very objects that were bound, in order; empty if none were. */
  readonly tools: readonly unknown[];
  /** Their names; the type of a provider's own tool. */
  readonly toolNames: readonly string[];
  readonly toolChoice: unknown;
}

/** Options of {@link recordingChatModel}. */
export interface RecordingChatModelOptions {
  /**
   * The answers, one per call, in order; past the end the model says "done". Or a function that is
   * asked with the call and its number, from 1.
   */
  readonly replies?:
    | readonly ScriptedReply[]
    | ((call: RecordedModelCall, number: number) => ScriptedReply | Promise<ScriptedReply>);
  /**
   * Waits before it answers, and between streamed chunks, in milliseconds; an abort ends the wait.
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * The model that the answers name.
   * @default "recording-model"
   */
  readonly modelName?: string;
}

interface CallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** A chat model that records its calls. */
export interface RecordingChatModel extends BaseChatModel<CallOptions> {
  /** In call order. */
  readonly calls: readonly RecordedModelCall[];
}

function readToolName(tool: unknown): string {
  return (
    describeLangChainTool(tool)?.name ??
    readText(tool, "name") ??
    readText(tool, "type") ??
    Object.keys(Object(tool) as object).join()
  );
}

function toUsageMetadata(usage: ModelUsage): UsageMetadata {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const details: NonNullable<UsageMetadata["input_token_details"]> = {};
  if (cacheReadTokens !== undefined) details.cache_read = cacheReadTokens;
  if (cacheWriteTokens !== undefined) details.cache_creation = cacheWriteTokens;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_token_details: details,
  };
}

function toMessage(reply: ScriptedReply, call: number, modelName: string): AIMessage {
  if (AIMessage.isInstance(reply)) return reply;
  const script = typeof reply === "string" ? { text: reply } : reply;
  const message = new AIMessage({
    content: script.text ?? "",
    response_metadata: { model_name: modelName },
    tool_calls: (script.toolCalls ?? []).map(({ name, args = {}, id }, index) => ({
      type: "tool_call" as const,
      name,
      args,
      id: id ?? `call_${call}_${index + 1}`,
    })),
  });
  // Assigned, because the type of the field cannot be inferred for a message without a tool set.
  return script.usage === undefined
    ? message
    : Object.assign(message, { usage_metadata: toUsageMetadata(script.usage) });
}

function withUsage(chunk: AIMessageChunk, { usage_metadata }: AIMessage): AIMessageChunk {
  if (usage_metadata !== undefined) chunk.usage_metadata = usage_metadata;
  return chunk;
}

function toChunk(message: AIMessage): AIMessageChunk {
  const { content, tool_calls = [], response_metadata } = message;
  return withUsage(new AIMessageChunk({ content, response_metadata, tool_calls }), message);
}

/** The words of the text one by one, then calls and usage. */
function* toChunks(message: AIMessage): Generator<AIMessageChunk> {
  for (const word of message.text.match(/\S+\s*|\s+/g) ?? []) {
    yield new AIMessageChunk({ content: word });
  }
  const last = new AIMessageChunk({
    content: "",
    response_metadata: message.response_metadata,
    tool_call_chunks: (message.tool_calls ?? []).map(({ name, args, id }, index) => ({
      type: "tool_call_chunk" as const,
      name,
      args: JSON.stringify(args),
      index,
      id: id ?? `call_${index + 1}`,
    })),
  });
  yield withUsage(last, message);
}

class ScriptedChatModel extends BaseChatModel<CallOptions> implements RecordingChatModel {
  readonly calls: RecordedModelCall[];
  readonly #options: RecordingChatModelOptions;
  readonly #answersInChunks: boolean;

  constructor(
    options: RecordingChatModelOptions,
    { calls, answersInChunks }: { calls: RecordedModelCall[]; answersInChunks: boolean },
  ) {
    super({ maxRetries: 0 });
    this.#options = options;
    this.calls = calls;
    this.#answersInChunks = answersInChunks;
  }

  override _llmType(): string {
    return "recording";
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<CallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, CallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  /** The parser that the base class puts behind the model takes chunks alone. */
  override withStructuredOutput(...parameters: never[]): never {
    if (this.#answersInChunks)
      return super.withStructuredOutput(...(parameters as [never])) as never;
    const { calls } = this;
    return new ScriptedChatModel(this.#options, {
      calls,
      answersInChunks: true,
    }).withStructuredOutput(...parameters);
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): Promise<ChatResult> {
    const answer = await this.#answer(messages, options);
    const message = this.#answersInChunks ? toChunk(answer) : answer;
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = await this.#answer(messages, options);
    for (const chunk of toChunks(message)) {
      await this.#wait(options.signal);
      const generation = new ChatGenerationChunk({ text: chunk.text, message: chunk });
      yield generation;
      await run?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, {
        chunk: generation,
      });
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    await wait(this.#options.delayMs ?? 0, signal ?? null);
  }

  async #answer(
    messages: readonly BaseMessage[],
    options: this["ParsedCallOptions"],
  ): Promise<AIMessage> {
    const tools = options.tools ?? [];
    const call: RecordedModelCall = {
      messages: [...messages],
      tools,
      toolNames: tools.map(readToolName),
      toolChoice: options.tool_choice,
    };
    const number = this.calls.push(call);
    await this.#wait(options.signal);
    const { replies = [], modelName = "recording-model" } = this.#options;
    const reply =
      typeof replies === "function" ? await replies(call, number) : (replies[number - 1] ?? "done");
    const error = read(reply, "error");
    if (error !== undefined) throw error as Error;
    return toMessage(reply, number, modelName);
  }
}

/**
 * A scripted chat model that shows what it was offered.
 *
 * It binds tools, streams word by word, honours the abort signal, and reports usage where the
 * script says so.
 *
 * @example
 * const model = recordingChatModel({ replies: [{ toolCalls: [{ name: "query_order" }] }, "Order 7
 * is on its way."] });
 * const agent = createAgent({ model, tools, middleware: [toolSelectorMiddleware({ judge, mode:
 * "enforce" })] });
 * // … invoke the agent, then: model.calls[0].toolNames
 */
export function recordingChatModel(options: RecordingChatModelOptions = {}): RecordingChatModel {
  return new ScriptedChatModel(options, { calls: [], answersInChunks: false });
}
