/** The turns that the head learns from and is measured on: requests with their catalogs and needs, from corpus and public sets. */

import { buildContext, contextOptionsSchema } from "../src/core/context.js";
import type { JudgeContext, ToolDescription, TurnMessage } from "../src/core/types.js";
import { buildCaseCatalog, isNearDuplicate } from "../src/evaluation/catalog.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";
import type { CorpusAgent, CorpusRequest, GroupTool } from "./corpus/read-corpus.js";
import type { Part } from "./sources.js";

/** One turn of an agent. */
export interface LabelledTurn {
  readonly id: string;
  /** What is drawn for intervals and left out as a whole: a group of servers, a conversation. */
  readonly unit: string;
  readonly source: string;
  readonly kind: string;
  readonly language: string;
  readonly messages: readonly TurnMessage[];
  readonly context: JudgeContext;
  /** All tools of the agent. */
  readonly catalog: readonly ToolDescription[];
  /** For each need the names of the tools that serve it; pinned tools may be among them. */
  readonly wanted: readonly (readonly string[])[];
  /** The candidates: pinned tools are not among them. */
  readonly tools: readonly ToolDescription[];
  /** For each need that no pinned tool serves the places of the tools that do. */
  readonly needs: readonly (readonly number[])[];
}

const contextOptions = contextOptionsSchema.parse({});

/** The judge's view of a conversation at the default options. */
export function readContext(messages: readonly TurnMessage[]): JudgeContext {
  return buildContext(messages, contextOptions, (text) => text);
}

const described = new WeakMap<GroupTool, ToolDescription>();

/** The same object for the same tool, so that what is read of it is read once. */
function describe(tool: GroupTool): ToolDescription {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const { name, description, parameters } = tool;
  const made = { name, description, parameters };
  described.set(tool, made);
  return made;
}

/** The tools of an agent, as a judge sees them. */
export function describeTools({ tools }: CorpusAgent): readonly ToolDescription[] {
  return tools.map(describe);
}

/** Tools whose calls or results are in the history: they are pinned. */
function listPinned({ messages }: CorpusRequest): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ toolCalls = [], toolName }) => [
      ...toolCalls,
      ...(toolName === undefined ? [] : [toolName]),
    ]),
  );
}

function toTurnMessage(message: CorpusRequest["messages"][number]): TurnMessage {
  const { role, text, toolName } = message;
  return { role, text, toolName, toolCalls: message.toolCalls?.map((name) => ({ name })) };
}

/** A request of the corpus on a list of tools; needs that a pinned tool serves are met already. */
export function toTurn(request: CorpusRequest, tools: readonly ToolDescription[]): LabelledTurn {
  const pinned = listPinned(request);
  const candidates = tools.filter(({ name }) => !pinned.has(name));
  const places = new Map(candidates.map(({ name }, index) => [name, index]));
  const messages = request.messages.map(toTurnMessage);
  const open = request.needs.filter((need) => !need.some((name) => pinned.has(name)));
  return {
    id: request.id,
    unit: request.group,
    source: "corpus",
    kind: request.kind,
    language: request.language,
    messages,
    context: readContext(messages),
    catalog: tools,
    wanted: request.needs,
    tools: candidates,
    needs: open.map((need) => need.flatMap((name) => places.get(name) ?? [])),
  };
}

/** The turns of an agent on its own catalog. */
export function listAgentTurns({ tools, requests }: CorpusAgent): readonly LabelledTurn[] {
  const candidates = tools.map(describe);
  return requests.map((request) => toTurn(request, candidates));
}

/** The tools that a request needs, and those that may not be added to its catalog. */
function fits(tool: ToolDescription, wanted: readonly ToolDescription[]): boolean {
  return !wanted.some((other) => isNearDuplicate(tool, other));
}

/**
 * The turns of an agent on catalogs of other sizes: parts of its own, or its own beside tools of other agents. A request
 * that needs nothing is never given tools of others: one of them might apply.
 */
export function listMixedTurns(
  agent: CorpusAgent,
  others: readonly CorpusAgent[],
  { size, seed }: { readonly size: number; readonly seed: number },
): readonly LabelledTurn[] {
  const own = agent.tools.map(describe);
  const foreign = others.filter(({ id }) => id !== agent.id).flatMap(({ tools }) => tools);
  return agent.requests.flatMap((request) => {
    const random = seededRandom(`${seed}:${size}:${request.id}`);
    const needed = new Set([...request.needs.flat(), ...listPinned(request)]);
    const wanted = own.filter(({ name }) => needed.has(name));
    const rest = shuffled(
      own.filter((tool) => !wanted.includes(tool)),
      random,
    );
    const tools = [...wanted, ...rest].slice(0, Math.max(size, wanted.length));
    if (tools.length < size) {
      if (request.needs.length === 0) return [];
      const names = new Set(tools.map(({ name }) => name));
      for (const tool of shuffled(foreign, random)) {
        if (tools.length >= size) break;
        const candidate = describe(tool);
        if (names.has(tool.name) || !fits(candidate, wanted)) continue;
        names.add(tool.name);
        tools.push(candidate);
      }
    }
    return [toTurn(request, shuffled(tools, random))];
  });
}

/** Turns of a public set, on catalogs of one size where it may be padded. */
export function listPartTurns(
  part: Part,
  { size, seed, count }: { readonly size: number; readonly seed: number; readonly count: number },
): readonly LabelledTurn[] {
  const turns: LabelledTurn[] = [];
  for (const { labelled, context } of shuffled(
    part.cases,
    seededRandom(`${seed}:${part.name}:${size}`),
  )) {
    if (turns.length >= count) break;
    if (context.request.trim() === "") continue;
    const built = buildCaseCatalog(labelled, part.catalog, { size, seed });
    if (built === null || built.needed === null) continue;
    const needed = built.needed.flatMap((isNeeded, index) => (isNeeded ? [index] : []));
    turns.push({
      id: labelled.id,
      unit: labelled.unit,
      source: part.name,
      kind: needed.length > 0 ? "needs" : "none",
      language: "en",
      messages: labelled.messages,
      context,
      catalog: built.tools,
      wanted: needed.map((index) => [built.tools[index]?.name ?? ""]),
      tools: built.tools,
      needs: needed.map((index) => [index]),
    });
  }
  return turns;
}
