/**
 * Calls an embedding model: in batches, several at a time, with retries; every vector is checked
 * before any is used.
 */

import pMap from "p-map";
import * as z from "zod";
import { untilAborted } from "../../core/abort.js";
import { isControlFlow } from "../../core/control-flow.js";
import { integerFrom } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import { wait } from "../../core/timers.js";
import { ToolSieveError } from "../../errors.js";

/** The part of LangChain's `Embeddings` that is used; any object with these two functions. */
export interface EmbeddingModel {
  embedDocuments(texts: string[]): Promise<readonly ArrayLike<number>[]>;
  embedQuery(text: string): Promise<ArrayLike<number>>;
  /**
   * Names the model in a shared store.
   *
   * @default its class, `model` or `modelName`, and `dimensions`
   */
  readId?(): Promise<string>;
}

/** An option that is an embedding model. */
const embeddingModelOption: z.ZodCustom<EmbeddingModel, EmbeddingModel> = z.custom<EmbeddingModel>(
  (value) =>
    typeof read(value, "embedDocuments") === "function" &&
    typeof read(value, "embedQuery") === "function",
  "LangChain embeddings (`embedDocuments` and `embedQuery`)",
);

/** Loads with the first text, not with the module. */
const embeddedDefault: EmbeddingModel = {
  embedDocuments: async (texts) => (await loadEmbedded()).embedDocuments(texts),
  embedQuery: async (text) => (await loadEmbedded()).embedQuery(text),
  readId: async () => (await loadEmbedded()).readId?.() ?? "embedded",
};

async function loadEmbedded(): Promise<EmbeddingModel> {
  const { embeddedModel } = await import("./embedded-model.js");
  return embeddedModel;
}

/** Option fields of what calls an embedding model; spread into a `strictObject`. */
export const embeddingFields = {
  embeddings: embeddingModelOption.default(() => embeddedDefault),
  batchSize: integerFrom(1).default(128),
  concurrency: integerFrom(1).default(4),
  retries: integerFrom(0).default(2),
};

export interface EmbeddingCallOptions {
  /** Any LangChain embeddings. @default the encoder of this package, offline */
  readonly embeddings?: EmbeddingModel | undefined;
  /** Texts of one request, from 1. @default 128 */
  readonly batchSize?: number | undefined;
  /** Requests at one time, from 1. @default 4 */
  readonly concurrency?: number | undefined;
  /** How often a failed request is repeated, beside what the model itself does. @default 2 */
  readonly retries?: number | undefined;
}

export interface EmbeddingSettings {
  readonly embeddings: EmbeddingModel;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly retries: number;
}

const baseDelayMs = 100;
const maxDelayMs = 2000;

function isVector(value: unknown): value is ArrayLike<number> {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList) return false;
  const numbers = value as unknown as ArrayLike<unknown>;
  return numbers.length > 0 && Array.from(numbers).every((one) => Number.isFinite(one));
}

/**
 * A vector of length 1 in the direction of an embedding.
 *
 * @throws {ToolSieveError} if it holds anything but finite numbers.
 */
export function toUnitVector(embedding: unknown): Float32Array {
  if (!isVector(embedding)) {
    throw new ToolSieveError("Expected an embedding to be a list of finite numbers.");
  }
  const vector = Float64Array.from(embedding);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length > 0 ? value / length : 0));
}

/**
 * Checks that vectors have one length.
 *
 * @throws {ToolSieveError} if they have not.
 */
export function checkLengths(vectors: readonly Float32Array[]): void {
  const lengths = [...new Set(vectors.map(({ length }) => length))];
  if (lengths.length < 2) return;
  throw new ToolSieveError(
    `Expected all embeddings to have one length, got ${lengths.slice(0, 3).join(" and ")}.`,
  );
}

/**
 * Repeats a failed call after a pause; the last failure is told without its text, which may hold
 * what was sent.
 */
async function retry<T>(call: () => Promise<T>, retries: number, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await untilAborted(call(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isControlFlow(error)) throw error;
      if (attempt >= retries) {
        throw new ToolSieveError("The embedding model failed.", { cause: error });
      }
    }
    await wait(Math.min(maxDelayMs, baseDelayMs * 2 ** attempt), signal);
  }
}

async function embedBatch(
  texts: readonly string[],
  { embeddings, retries }: EmbeddingSettings,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const call = async (): Promise<unknown> => embeddings.embedDocuments([...texts]);
  const answer = await retry(call, retries, signal);
  const count = Array.isArray(answer) ? answer.length : 0;
  if (!Array.isArray(answer) || count !== texts.length) {
    throw new ToolSieveError(
      `Expected the embedding model to answer ${texts.length} vectors, got ${count}.`,
    );
  }
  return answer.map(toUnitVector);
}

/**
 * Embeds texts, in their order.
 *
 * @throws {ToolSieveError} if a request fails for good, or if any vector is missing, not finite or
 *   of another length.
 * @throws the signal's reason when it aborts.
 */
export async function embedTexts(
  texts: readonly string[],
  settings: EmbeddingSettings,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { batchSize, concurrency } = settings;
  const batches = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, at) =>
    texts.slice(at * batchSize, (at + 1) * batchSize),
  );
  const embed = (batch: readonly string[]): Promise<readonly Float32Array[]> =>
    embedBatch(batch, settings, signal);
  const vectors = (await pMap(batches, embed, { concurrency })).flat();
  checkLengths(vectors);
  return vectors;
}

/** Embeds one query. Throws as {@link embedTexts} does. */
export async function embedQuery(
  text: string,
  { embeddings, retries }: EmbeddingSettings,
  signal: AbortSignal,
): Promise<Float32Array> {
  const call = async (): Promise<unknown> => embeddings.embedQuery(text);
  return toUnitVector(await retry(call, retries, signal));
}
