/**
 * A tool index that compares meanings: vectors of any LangChain embeddings, in memory or in a
 * LangGraph store.
 */

import * as z from "zod";
import { canonicalJson } from "../../core/json.js";
import { parseOptions } from "../../core/parse-options.js";
import { read } from "../../core/read.js";
import { cleanText, cutText } from "../../core/text.js";
import type {
  MetadataFilter,
  ToolIndex,
  ToolSearchRequest,
  ToolSearchResult,
} from "../../core/types.js";
import { isWanted, metadataFilterSchema } from "../metadata-filter.js";
import { emptyResult, inspectTools, parseSearchRequest, toToolMatch } from "../tool-index.js";
import {
  checkLengths,
  embeddingFields,
  embedQuery,
  type EmbeddingCallOptions,
  type EmbeddingModel,
} from "./embed-texts.js";
import { createStoreStorage, toolStoreOption, type ToolStore } from "./langgraph-storage.js";
import {
  readTools,
  toolReadingFields,
  type ToolDocument,
  type ToolReadingOptions,
} from "./tool-document.js";
import { createMemoryStorage, type StoredTool } from "./tool-storage.js";
import { createVectorSessions, type VectorSession } from "./vector-sessions.js";
import { rankTools } from "./rank-tools.js";
import { createVectorSource } from "./vector-source.js";

const safeInteger = "a positive safe integer";
const finite = "a finite number";
const records = "records of `embedTools`";

const optionsSchema = z.strictObject({
  ...embeddingFields,
  ...toolReadingFields,
  topK: z.number(safeInteger).int(safeInteger).min(1, safeInteger),
  minScore: z.number(finite).default(-1),
  filter: metadataFilterSchema.optional(),
  store: toolStoreOption.optional(),
  documents: z
    .array(
      z.looseObject(
        { content: z.string(records), vector: z.array(z.number(records), records) },
        records,
      ),
      records,
    )
    .default([]),
});

export interface EmbeddingToolIndexOptions extends EmbeddingCallOptions, ToolReadingOptions {
  /** Matches of a search that does not say `maxResults`; a positive safe integer. */
  readonly topK: number;
  /** Matches with a lower cosine similarity are left out. @default -1 */
  readonly minScore?: number | undefined;
  /** Holds for every search, beside its own filter. */
  readonly filter?: MetadataFilter | undefined;
  /** Where other processes find vectors and sessions. @default the memory of this process */
  readonly store?: ToolStore | undefined;
  /** Vectors that are there already: records of `embedTools` with the same embeddings. */
  readonly documents?: readonly ToolDocument[] | undefined;
}

const never = new AbortController().signal;
/** More of a query is not embedded. */
const maxQueryChars = 4000;

/** What tells one embedding model from another in a shared store. */
async function nameModel(embeddings: EmbeddingModel): Promise<string> {
  if (embeddings.readId !== undefined) return embeddings.readId();
  const fields = ["model", "modelName", "dimensions"].map((key) => read(embeddings, key));
  const className = read(read(embeddings, "constructor"), "name");
  return canonicalJson([
    className,
    ...fields.map((field) => (typeof field === "object" ? null : field)),
  ]);
}

/**
 * Creates a tool index over embeddings. A match's score is the cosine similarity of query and tool,
 * 0 where it is negative.
 *
 * A text is embedded once: for all sessions of this process, and with a `store` for every process
 * that shares it, also after a restart. What is stored is found by a hash of the text and the name
 * of the model; clearing a session leaves the vectors. Vectors are compared in this process.
 * Indexing fails as a whole: if the model fails, or a vector is missing, not finite or of another
 * length, the session still answers with what it held before.
 *
 * With a remote model, tool texts and queries leave the process.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const index = embeddingToolIndex({ topK: 20 }); // or { embeddings: new OpenAIEmbeddings(), … }
 * await index.indexTools("session-1", tools);
 * const { matches } = await index.search({ sessionId: "session-1", query: "get my money back" });
 */
export function embeddingToolIndex(options: EmbeddingToolIndexOptions): ToolIndex {
  const settings = parseOptions(optionsSchema, options, "embeddingToolIndex");
  const { store, embeddings } = settings;
  const storage =
    store === undefined
      ? createMemoryStorage()
      : createStoreStorage(store, () => nameModel(embeddings));
  const source = createVectorSource(settings, storage, settings.documents);
  const sessions = createVectorSessions(storage, source);

  async function searchSession(
    session: VectorSession,
    request: ToolSearchRequest,
    signal: AbortSignal,
  ): Promise<ToolSearchResult> {
    const isAllowed = session.tools.map(
      ({ tool }) => isWanted(tool, request) && isWanted(tool, { filter: settings.filter }),
    );
    if (!isAllowed.includes(true)) return { ...emptyResult, note: "filter-matches-nothing" };
    const text = cutText(cleanText(request.query), maxQueryChars).trim();
    if (text === "") return emptyResult;
    const query = await embedQuery(text, settings, signal);
    checkLengths([query, ...session.vectors.slice(0, 1)]);
    const ranked = await rankTools(session, query, isAllowed, signal);
    const found = ranked.filter(([, similarity]) => similarity >= settings.minScore);
    const matches = found
      .slice(0, request.maxResults ?? settings.topK)
      .map(([tool, similarity]) =>
        toToolMatch((session.tools[tool] as StoredTool).tool, Math.min(1, Math.max(0, similarity))),
      );
    return { matches, total: found.length };
  }

  const index: ToolIndex = {
    kind: "tool-index",
    async indexTools(sessionId, tools, { signal = never } = {}) {
      signal.throwIfAborted();
      const added = readTools(tools, settings);
      const texts = new Map(added.map(({ key, content }) => [key, content]));
      const vectors = await source.find(texts, signal);
      await sessions.add(sessionId, { tools: added, vectors, signal });
    },
    indexTool: (sessionId, tool, options) => index.indexTools(sessionId, [tool], options),
    async search(given, { signal = never } = {}) {
      signal.throwIfAborted();
      const request = parseSearchRequest(given);
      const session = await sessions.open(request.sessionId, signal);
      if (session === undefined || session.tools.length === 0) return emptyResult;
      return searchSession(session, request, signal);
    },
    clear: (sessionId) => sessions.clear(sessionId),
    async inspect(sessionId, page) {
      const session = await sessions.open(sessionId, never);
      return inspectTools(new Map(session?.tools.map(({ tool }) => [tool.name, tool])), page);
    },
  };
  return index;
}
