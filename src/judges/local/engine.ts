/** The heavy half of the embedded judge: matches a conversation with tools and answers with probabilities. */

import type { JudgeRequest, ToolDescription } from "../../core/types.js";
import { isEmptyTalk, isEvidence } from "./evidence.js";
import { computeFeatures } from "./features.js";
import type { Model } from "./model.js";
import { queryTexts, readQuery } from "./query.js";
import { createSlices, type Slices } from "../../core/slices.js";
import { profileTool, type ToolProfile } from "./tool-profile.js";
import { probabilityOf } from "./trees.js";

/** Answers one request, in candidate order; `null` where there is nothing to go by. */
export type Engine = (
  request: JudgeRequest,
  signal: AbortSignal,
) => Promise<readonly (number | null)[]>;

async function finish<T>(steps: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = slices.pause();
    if (pause !== undefined) await pause;
  }
}

/** The texts to match with, or none if nothing was said that is evidence. Empty talk counts as what was said before it. */
function evidentTexts(
  { table }: Model,
  { context }: JudgeRequest,
  tools: readonly ToolProfile[],
): readonly string[] {
  const texts = queryTexts(context);
  const request = context.request;
  if (!isEmptyTalk(request)) return isEvidence(table, request, tools) ? texts : [];
  return texts.some((text) => isEvidence(table, text, tools)) ? texts : [];
}

/** Raises each tool's probability to what it is for one text's features; yields after every tool. */
function* raise(
  probabilities: Float64Array,
  { trees }: Model,
  rows: Float32Array,
): Generator<void, void> {
  for (let tool = 0; tool < probabilities.length; tool += 1) {
    const probability = probabilityOf(trees, rows, tool);
    if (probability > (probabilities[tool] as number)) probabilities[tool] = probability;
    yield;
  }
}

/**
 * Builds an engine; `hints` are example requests by tool name. Work on a tool is kept for as long as its description
 * object lives.
 */
export function createEngine(model: Model, hints: ReadonlyMap<string, readonly string[]>): Engine {
  const profiles = new WeakMap<ToolDescription, ToolProfile>();

  function profileOf(tool: ToolDescription): ToolProfile {
    const known = profiles.get(tool);
    if (known !== undefined) return known;
    const profile = profileTool(model.table, tool, hints.get(tool.name) ?? []);
    profiles.set(tool, profile);
    return profile;
  }

  function* profilesOf(candidates: readonly ToolDescription[]): Generator<void, ToolProfile[]> {
    const read: ToolProfile[] = [];
    for (const candidate of candidates) {
      read.push(profileOf(candidate));
      yield;
    }
    return read;
  }

  return async (request, signal) => {
    signal.throwIfAborted();
    const slices = createSlices(signal);
    const tools = await finish(profilesOf(request.candidates), slices);
    const texts = evidentTexts(model, request, tools);
    if (texts.length === 0) return tools.map(() => null);
    const probabilities = new Float64Array(tools.length);
    for (const text of texts) {
      const query = readQuery(model.table, text);
      const rows = await finish(computeFeatures(model.table, tools, query), slices);
      await finish(raise(probabilities, model, rows), slices);
    }
    return [...probabilities];
  };
}
