/** Turns labelled turns into rows of features, with the runtime's own code. */

import type { ToolDescription } from "../src/core/types.js";
import { computeFeatures, type MatchedTool } from "../src/judges/local/features.js";
import { readToolProfile, type ToolProfile } from "../src/judges/local/tool-profile.js";
import { toolText } from "../src/judges/local/tool-text.js";
import { listTurnTexts, readTurnTexts } from "../src/judges/local/turn-texts.js";
import { readCatalogWords } from "../src/judges/local/word-matches.js";
import type { LabelledTurn } from "./turns.js";
import type { Vectors } from "./vectors.js";

/** The rows of one turn; `labels` has 1 for every tool that serves a need. */
export interface TurnRows {
  readonly turn: LabelledTurn;
  readonly rows: Float32Array;
  readonly labels: Uint8Array;
}

/** Computes the vectors that turns need. */
export async function ensureVectors(
  turns: readonly LabelledTurn[],
  vectors: Vectors,
): Promise<void> {
  const tools = new Set(turns.flatMap(({ tools }) => tools));
  await vectors.ensure([...tools].map(toolText), "tool");
  const texts = turns.map(({ context }) => readTurnTexts(context));
  await vectors.ensure(
    texts.map(({ window }) => window).filter((text) => text !== ""),
    "window",
  );
  await vectors.ensure(
    texts.flatMap((one) => listTurnTexts({ ...one, window: "" })),
    "text",
  );
}

const profiles = new WeakMap<ToolDescription, ToolProfile>();

function readProfile(tool: ToolDescription): ToolProfile {
  const known = profiles.get(tool) ?? readToolProfile(tool, []);
  profiles.set(tool, known);
  return known;
}

function matchTool(tool: ToolDescription, vectors: Vectors): MatchedTool {
  const vector = vectors.get(toolText(tool), "tool");
  return { profile: readProfile(tool), vector, vectors: [vector] };
}

/** Computes the rows of one turn. */
export function featurise(turn: LabelledTurn, vectors: Vectors): TurnRows {
  const texts = readTurnTexts(turn.context);
  const byText = new Map(
    listTurnTexts(texts).map((text) => [
      text,
      vectors.get(text, text === texts.window ? "window" : "text"),
    ]),
  );
  const tools = turn.tools.map((tool) => matchTool(tool, vectors));
  const catalog = readCatalogWords(tools.map(({ profile }) => profile));
  const steps = computeFeatures({ catalog, tools, texts, vectors: byText });
  for (;;) {
    const step = steps.next();
    if (step.done !== true) continue;
    const labels = new Uint8Array(tools.length);
    for (const place of turn.needs.flat()) labels[place] = 1;
    return { turn, rows: step.value, labels };
  }
}
