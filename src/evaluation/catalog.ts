/** Catalogs for labelled cases: the tools needed among distractors drawn with a seed. */

import * as z from "zod";
import { ToolSieveError } from "../errors.js";
import type { ToolDescription } from "../core/types.js";
import { parseJsonLines, type LabelledCase } from "./cases.js";
import { seededRandom, shuffled } from "./random.js";

/** Tools by id. Several definitions may share a name; a judge sees the name, labels use the id. */
export type Catalog = ReadonlyMap<string, ToolDescription>;

/** The tools of a case in a seeded order, and which of them are needed. */
export interface CaseCatalog {
  readonly tools: readonly ToolDescription[];
  /** For each tool whether the case needs it; `null` where that is not known. */
  readonly needed: readonly boolean[] | null;
}

export interface CaseCatalogOptions {
  /**
   * Pad with distractors from the catalog up to this many tools; `null` judges the case's own
   * candidates alone.
   */
  readonly size: number | null;
  /** Fixes the catalog, together with the id of the case. */
  readonly seed: number;
}

const toolLine = z.looseObject({
  id: z.string().optional(),
  name: z.string(),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Reads a catalog, one `{id?, name, description?, parameters?}` a line; the id defaults to the
 * name.
 *
 * @throws {ToolSieveError} that names the line and the first wrong field, never its content.
 */
export function parseCatalog(text: string): Catalog {
  const tools = parseJsonLines(text, (value) => toolLine.parse(value));
  return new Map(
    tools.map(({ id, name, description, parameters }) => [
      id ?? name,
      { name, description, parameters },
    ]),
  );
}

interface Likeness {
  readonly name: string;
  readonly words: ReadonlySet<string>;
}

const likenesses = new WeakMap<ToolDescription, Likeness>();

function readLikeness(tool: ToolDescription): Likeness {
  const known = likenesses.get(tool);
  if (known !== undefined) return known;
  const likeness = {
    name: tool.name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""),
    words: new Set(tool.description?.toLowerCase().match(/[\p{L}\p{N}]+/gu)),
  };
  likenesses.set(tool, likeness);
  return likeness;
}

/**
 * True if one tool could stand in for the other: names equal but for case and punctuation, or
 * descriptions that share at least 80 % of their words (Jaccard index). Such a distractor would be
 * a second correct answer.
 */
export function isNearDuplicate(a: ToolDescription, b: ToolDescription): boolean {
  const one = readLikeness(a);
  const other = readLikeness(b);
  if (one.name === other.name) return true;
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  const union = one.words.size + other.words.size - shared;
  return union > 0 && shared / union >= 0.8;
}

function findTool(catalog: Catalog, id: string, caseId: string): ToolDescription {
  const tool = catalog.get(id);
  if (tool !== undefined) return tool;
  throw new ToolSieveError(
    `Case ${JSON.stringify(caseId)} names the tool ${JSON.stringify(id)}, which the catalog does not hold.`,
  );
}

/**
 * Draws distractors until the catalog is full; none of them nearly equals a needed tool or shares a
 * name.
 */
function addDistractors(
  ids: ReadonlySet<string>,
  needed: ReadonlySet<string>,
  catalog: Catalog,
  size: number,
  random: () => number,
): ReadonlySet<string> {
  const full = new Set(ids);
  const findTools = (wanted: ReadonlySet<string>): readonly ToolDescription[] =>
    [...wanted].flatMap((id) => catalog.get(id) ?? []);
  const wanted = findTools(needed);
  const names = new Set(findTools(ids).map(({ name }) => name));
  for (const [id, tool] of shuffled([...catalog], random)) {
    if (full.size >= size) break;
    if (names.has(tool.name) || wanted.some((other) => isNearDuplicate(tool, other))) continue;
    full.add(id);
    names.add(tool.name);
  }
  return full;
}

/**
 * The tools to judge for a case, in a seeded order: its own candidates, or the whole catalog; and
 * with a `size`, if it is known which tools are needed, distractors up to it. A case in which no
 * tool applies is never padded (a distractor might apply), nor is a conversation that names its
 * candidates.
 *
 * @returns `null` if there is nothing to measure: no candidates, or a needed tool is not among
 * them.
 * @throws {ToolSieveError} if the case names a tool that the catalog does not hold.
 * @example
 * const built = buildCaseCatalog(labelledCase, catalog, { size: 64, seed: 1 });
 */
export function buildCaseCatalog(
  labelledCase: LabelledCase,
  catalog: Catalog,
  { size, seed }: CaseCatalogOptions,
): CaseCatalog | null {
  const { id: caseId, candidates, needed, labels } = labelledCase;
  const random = seededRandom(`${seed}:${caseId}`);
  const wanted = new Set(needed);
  const isPadded =
    size !== null && wanted.size > 0 && (candidates === null || labels === "applicable");
  const own = new Set(candidates ?? (isPadded ? wanted : catalog.keys()));
  for (const id of [...own, ...wanted]) findTool(catalog, id, caseId);
  if (own.size === 0 || ![...wanted].every((id) => own.has(id))) return null;
  const ids = shuffled(
    [...(isPadded ? addDistractors(own, wanted, catalog, size, random) : own)],
    random,
  );
  return {
    tools: ids.map((id) => findTool(catalog, id, caseId)),
    needed: needed === null ? null : ids.map((id) => wanted.has(id)),
  };
}
