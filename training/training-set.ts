/** The turns that the head learns from, each with its weight: the corpus, public sets, and talk that needs no tool. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCases } from "../src/evaluation/cases.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";
import type { CorpusAgent } from "./corpus/read-corpus.js";
import { shrinkPart, type Part } from "./sources.js";
import {
  describeTools,
  listAgentTurns,
  listMixedTurns,
  listPartTurns,
  readContext,
  type LabelledTurn,
} from "./turns.js";

/** A turn and how much it counts. */
export interface WeightedTurn {
  readonly turn: LabelledTurn;
  readonly weight: number;
}

/** Sizes of the catalogs that requests of the corpus are put on, beside their own of 90 to 150. */
const mixedSizes = [40, 256] as const;
const partSizes = [32, 128] as const;
const weights = { own: 2, mixed: 1, public: 0.5, talk: 1 };
const partLimits = { cases: 60, tools: 150 };
const talkCount = 120;

/** Parts of the public sets, small enough to be encoded in minutes. */
export function shrinkParts(parts: readonly Part[], seed: number): readonly Part[] {
  return parts.map((part) => shrinkPart(part, { ...partLimits, seed }));
}

/** Requests of MetaTool that need no tool (general knowledge, writing), put on catalogs of the corpus. */
export function listTalkTurns(
  dataFolder: string,
  agents: readonly CorpusAgent[],
  seed: number,
): readonly LabelledTurn[] {
  const text = readFileSync(join(dataFolder, "metatool_awareness_cases.jsonl"), "utf8");
  const idle = parseCases(text).filter(({ needed }) => needed !== null && needed.length === 0);
  return shuffled(idle, seededRandom(`${seed}:talk`))
    .slice(0, talkCount)
    .map(({ id, messages }, index) => {
      const agent = agents[index % agents.length] as CorpusAgent;
      const tools = describeTools(agent);
      return {
        id,
        unit: agent.id,
        source: "MetaTool awareness",
        kind: "none",
        language: "en",
        messages,
        context: readContext(messages),
        catalog: tools,
        wanted: [],
        tools,
        needs: [],
      };
    });
}

/** All turns that the head learns from, but those in another language: it abstains on these. */
export function listTrainingTurns(
  agents: readonly CorpusAgent[],
  parts: readonly Part[],
  { dataFolder, seed }: { readonly dataFolder: string; readonly seed: number },
): readonly WeightedTurn[] {
  const weighted: WeightedTurn[] = [];
  const add = (turns: readonly LabelledTurn[], weight: number): void => {
    for (const turn of turns) if (turn.language === "en") weighted.push({ turn, weight });
  };
  for (const agent of agents) {
    add(listAgentTurns(agent), weights.own);
    for (const size of mixedSizes) {
      add(listMixedTurns(agent, agents, { size, seed }), weights.mixed);
    }
  }
  for (const part of parts) {
    for (const size of partSizes) {
      add(listPartTurns(part, { size, seed, count: partLimits.cases }), weights.public);
    }
  }
  add(listTalkTurns(dataFolder, agents, seed), weights.talk);
  return weighted;
}
