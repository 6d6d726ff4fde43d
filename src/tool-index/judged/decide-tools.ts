/** Decides among any number of tools: in one request where they fit, else in rounds and a final. */

import pMap from "p-map";
import type { DecisionBackend } from "../../core/decision-backend.js";
import type { ToolDescription } from "../../core/types.js";

export interface RankedTool {
  readonly tool: ToolDescription;
  /** The share of the choice among those of its request. */
  readonly share: number;
}

/** What was decided about some tools. */
export interface RankedDecision {
  readonly applicable: number;
  readonly ranked: readonly RankedTool[];
}

export interface DecideOptions {
  readonly backend: DecisionBackend;
  /** Rounds in which less than this speaks for any tool send none to the final. */
  readonly applicabilityThreshold: number;
  readonly signal: AbortSignal;
  readonly deadline: number;
}

const concurrency = 4;

async function decideOnce(
  query: string,
  tools: readonly ToolDescription[],
  options: DecideOptions,
): Promise<RankedDecision> {
  const { backend, signal, deadline } = options;
  const { applicable, shares } = await backend.decide(query, tools, { signal, deadline });
  const ranked = tools.map((tool, at) => ({ tool, share: shares[at] ?? 0 }));
  return { applicable, ranked: ranked.sort((a, b) => b.share - a.share) };
}

/** One request, or two rounds where the service calls it too large. */
async function decidePart(
  query: string,
  tools: readonly ToolDescription[],
  options: DecideOptions,
): Promise<RankedDecision> {
  try {
    return await decideOnce(query, tools, options);
  } catch (error) {
    if (tools.length < 2 || !options.backend.isTooLarge(error)) throw error;
    const middle = Math.ceil(tools.length / 2);
    return decideInRounds(query, [tools.slice(0, middle), tools.slice(middle)], options);
  }
}

/** The best of each round meet in a final; so many of each that they fit into one request. */
async function decideInRounds(
  query: string,
  parts: readonly (readonly ToolDescription[])[],
  options: DecideOptions,
): Promise<RankedDecision> {
  const rounds = await pMap(parts, (part) => decidePart(query, part, options), { concurrency });
  const applicable = Math.max(...rounds.map((round) => round.applicable));
  const open = rounds.filter((round) => round.applicable >= options.applicabilityThreshold);
  const [first] = open;
  if (first === undefined) return { applicable, ranked: [] };
  if (open.length === 1) return first;
  const seats = Math.max(...parts.map(({ length }) => length));
  const perRound = Math.max(1, Math.floor(seats / open.length));
  const finalists = open.flatMap(({ ranked }) => ranked.slice(0, perRound).map(({ tool }) => tool));
  const entered = parts.reduce((sum, { length }) => sum + length, 0);
  if (finalists.length < entered) return decideTools(query, finalists, options);
  // Every tool stands alone in its request: there is nothing left to compare them by.
  const ranked = open.flatMap((round) => round.ranked).sort((a, b) => b.share - a.share);
  return { applicable, ranked };
}

/** Decides among tools, at least one. */
export async function decideTools(
  query: string,
  tools: readonly ToolDescription[],
  options: DecideOptions,
): Promise<RankedDecision> {
  const parts = options.backend.split(tools);
  const [only] = parts;
  return parts.length === 1 && only !== undefined
    ? decidePart(query, only, options)
    : decideInRounds(query, parts, options);
}
