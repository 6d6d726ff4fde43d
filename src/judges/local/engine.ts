/** The heavy half of the embedded judge: matches a conversation with a catalog and answers with probabilities. */

import { LRUCache } from "lru-cache";
import { createSlices, type Slices } from "../../core/slices.js";
import { waitAtMost } from "../../core/timers.js";
import type { JudgeOptions, JudgeRequest, ToolDescription } from "../../core/types.js";
import type { VectorSource, VectorStore } from "../../encoder/vector-store.js";
import { isTask } from "./evidence.js";
import { computeFeatures, type MatchedTool } from "./features.js";
import { judgeRows, type Head } from "./head.js";
import { readingLimits } from "./reading-limits.js";
import { readToolProfile, type ToolProfile } from "./tool-profile.js";
import { toolText } from "./tool-text.js";
import { listTurnTexts, readTurnTexts, type TurnTexts } from "./turn-texts.js";
import { readCatalogWords } from "./word-matches.js";

/** What the engine stands on. */
export interface EngineParts {
  readonly head: Head;
  readonly encoder: () => Promise<Pick<VectorSource, "encodeAll">>;
  /** Holds the vectors of tools; computes with the same encoder. */
  readonly store: VectorStore;
  /** Example requests by tool name. */
  readonly hints: ReadonlyMap<string, readonly string[]>;
}

/** Answers one request, in candidate order; `null` for every tool where there is nothing to go by. */
export interface Engine {
  judge(request: JudgeRequest, options: JudgeOptions): Promise<readonly (number | null)[]>;
  prepare(tools: readonly ToolDescription[], signal: AbortSignal): Promise<void>;
}

/** How many texts of conversations are remembered: what is the request now is history on the next turn. */
const maxTurnTexts = 500;
/** What a judgment takes once the vectors of the tools are there, with a margin. */
const reservedMs = 250;

/** A tool as it is read once: its words, and the texts that its vectors stand for. */
interface ReadTool {
  readonly profile: ToolProfile;
  readonly texts: readonly string[];
}

/** Runs steps to their end, in slices. */
async function finish<T>(steps: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = slices.pause();
    if (pause !== undefined) await pause;
  }
}

/** Builds an engine. Work on a tool's words is kept for as long as its description object lives. */
export function createEngine({ head, encoder, store, hints }: EngineParts): Engine {
  const toolsRead = new WeakMap<ToolDescription, ReadTool>();
  const turnVectors = new LRUCache<string, Float32Array>({ max: maxTurnTexts });

  function readTool(tool: ToolDescription): ReadTool {
    const known = toolsRead.get(tool);
    if (known !== undefined) return known;
    const examples = hints.get(tool.name) ?? [];
    const profile = readToolProfile(tool, examples);
    const read = { profile, texts: [toolText(tool), ...examples.map(cutHint)] };
    toolsRead.set(tool, read);
    return read;
  }

  function* readTools(candidates: readonly ToolDescription[]): Generator<void, ReadTool[]> {
    const read: ReadTool[] = [];
    for (const candidate of candidates) {
      read.push(readTool(candidate));
      yield;
    }
    return read;
  }

  /** The tools with their vectors; `null` if these are not there in time. */
  async function matchTools(
    tools: readonly ReadTool[],
    { signal, deadline }: JudgeOptions,
  ): Promise<readonly MatchedTool[] | null> {
    const texts = tools.flatMap((tool) => tool.texts);
    if (store.getAll(texts).includes(undefined)) {
      const left = (deadline ?? Number.POSITIVE_INFINITY) - Date.now() - reservedMs;
      const ready = store.prepare(texts, { signal });
      await (left < maxTimerMs ? waitAtMost(Math.max(0, left), ready, () => undefined) : ready);
    }
    const matched: MatchedTool[] = [];
    for (const { profile, texts } of tools) {
      const vectors = texts.flatMap((text) => store.get(text) ?? []);
      const [vector] = vectors;
      if (vector === undefined || vectors.length < texts.length) return null;
      matched.push({ profile, vector, vectors });
    }
    return matched;
  }

  async function encodeTurn(
    texts: TurnTexts,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const all = listTurnTexts(texts);
    const vectors = new Map<string, Float32Array>();
    for (const kind of ["text", "window"] as const) {
      const wanted = all.filter((text) => (kind === "window") === (text === texts.window));
      const missing = wanted.filter((text) => !turnVectors.has(`${kind}\n${text}`));
      const loaded = missing.length === 0 ? null : await encoder();
      const computed = (await loaded?.encodeAll(missing, { signal, ...readingLimits[kind] })) ?? [];
      for (const [index, text] of missing.entries()) {
        turnVectors.set(`${kind}\n${text}`, computed[index]);
      }
      for (const text of wanted) {
        vectors.set(text, turnVectors.get(`${kind}\n${text}`) as Float32Array);
      }
    }
    return vectors;
  }

  return {
    async judge({ context, candidates }, options) {
      const { signal } = options;
      signal.throwIfAborted();
      const slices = createSlices(signal);
      const nothing = candidates.map(() => null);
      const texts = readTurnTexts(context);
      const read = await finish(readTools(candidates), slices);
      const profiles = read.map(({ profile }) => profile);
      if (!isTask(texts.request, profiles)) return nothing;
      const tools = await matchTools(read, options);
      if (tools === null) return nothing;
      const vectors = await encodeTurn(texts, signal);
      const catalog = readCatalogWords(profiles);
      const rows = await finish(computeFeatures({ catalog, tools, texts, vectors }), slices);
      return finish(judgeRows(head, rows), slices);
    },
    prepare(tools, signal) {
      return store.prepare(
        tools.flatMap((tool) => readTool(tool).texts),
        { signal },
      );
    },
  };
}

/** Longer delays overflow a timer. */
const maxTimerMs = 2 ** 31 - 1;
const hintChars = 1000;

function cutHint(hint: string): string {
  return hint.slice(0, hintChars);
}
