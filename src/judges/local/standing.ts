/** Where a tool stands among the tools of its batch: margins, standings, and kinship with those that fit best. */

import { column, featureCount, type Feature } from "./feature-names.js";
import type { ToolProfile } from "./tool-profile.js";
import { dot } from "./word-table.js";

const margins: readonly (readonly [from: Feature, to: Feature])[] = [
  ["bm25", "bm25Margin"],
  ["queryCover", "queryCoverMargin"],
  ["meaning", "meaningMargin"],
  ["clauseMeaning", "clauseMargin"],
  ["nameMeaning", "nameMeaningMargin"],
  ["softQueryCover", "softQueryMargin"],
  ["softNameCover", "softNameMargin"],
];

/** Deviations from the mean; `least` keeps a batch of equals from looking like a contest. */
const standings: readonly (readonly [from: Feature, to: Feature, least: number])[] = [
  ["bm25", "bm25Standing", 0.5],
  ["meaning", "meaningStanding", 0.03],
  ["clauseMeaning", "clauseStanding", 0.03],
  ["softQueryCover", "softQueryStanding", 0.02],
  ["softNameCover", "softNameStanding", 0.03],
];

const leaderCount = 3;

/** Columns, in an object of their own: reading them is most of the work here. */
const at: Readonly<Record<Feature, number>> = { ...column };

/** A tool that repeats so many of the request's pairs of words was written to be chosen, more likely than to be of use. */
const echoedPairs = 4;

function isEcho(rows: Float32Array, from: number): boolean {
  return (rows[from + column.echoCount] as number) >= echoedPairs;
}

function hasHonest(rows: Float32Array): boolean {
  for (let from = 0; from < rows.length; from += featureCount) {
    if (!isEcho(rows, from)) return true;
  }
  return false;
}

interface Spread {
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Of the tools that echo the request all values are left out: nobody is measured against them. */
function spreadOf(rows: Float32Array, feature: Feature): Spread {
  let best = -Infinity;
  let sum = 0;
  let squares = 0;
  let count = 0;
  const isAnyHonest = hasHonest(rows);
  for (let from = 0; from < rows.length; from += featureCount) {
    if (isAnyHonest && isEcho(rows, from)) continue;
    const value = rows[from + column[feature]] as number;
    if (value > best) best = value;
    sum += value;
    squares += value * value;
    count += 1;
  }
  const mean = sum / count;
  return { best, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

function mapColumn(
  rows: Float32Array,
  from: Feature,
  to: Feature,
  change: (value: number) => number,
): void {
  const shift = column[to] - column[from];
  for (let at = column[from]; at < rows.length; at += featureCount) {
    rows[at + shift] = change(rows[at] as number);
  }
}

/** Kinship of a tool with the tools that fit best: it may belong to their kit, or supply what they ask for. */
interface Kinship {
  /** How close it comes to one of them in meaning. */
  readonly closeness: number;
  /** Largest share of its name that it has in common with the name of one of them; words rare among names count more. */
  readonly nameShare: number;
  /** Largest share of its name that the parameters of one of them speak of, though its name does not. */
  readonly needs: number;
}

interface Leader {
  readonly profile: ToolProfile;
  readonly names: ReadonlySet<number>;
  readonly needs: ReadonlySet<number>;
}

/** How rare each word is among the names of the tools. */
function nameRarity(tools: readonly ToolProfile[]): ReadonlyMap<number, number> {
  const holders = new Map<number, number>();
  for (const { name } of tools) {
    for (const id of name) holders.set(id, (holders.get(id) ?? 0) + 1);
  }
  for (const [id, count] of holders) holders.set(id, Math.log(tools.length / count + 0.5));
  return holders;
}

function leaderOf(profile: ToolProfile): Leader {
  const names: ReadonlySet<number> = new Set(profile.name);
  return { profile, names, needs: new Set(profile.parameters.filter((id) => !names.has(id))) };
}

function kinshipOf(
  tool: ToolProfile,
  leaders: readonly Leader[],
  rarity: ReadonlyMap<number, number>,
): Kinship {
  const kinship = { closeness: 0, nameShare: 0, needs: 0 };
  for (const { profile, names, needs } of leaders) {
    if (profile === tool) continue;
    let total = 0;
    let common = 0;
    let needed = 0;
    for (const id of tool.name) {
      const weight = rarity.get(id) ?? 0;
      total += weight;
      if (names.has(id)) common += weight;
      else if (needs.has(id)) needed += weight;
    }
    kinship.closeness = Math.max(kinship.closeness, dot(tool.vector, profile.vector));
    if (total <= 0) continue;
    kinship.nameShare = Math.max(kinship.nameShare, common / total);
    kinship.needs = Math.max(kinship.needs, needed / total);
  }
  return kinship;
}

/** Mean of a tool's standings, for every tool. */
function consensusOf(rows: Float32Array): Float32Array {
  return Float32Array.from({ length: rows.length / featureCount }, (_, tool) => {
    let sum = 0;
    for (const [, to] of standings) sum += rows[tool * featureCount + column[to]] as number;
    return sum / standings.length;
  });
}

/** Fills in the features that compare the tools of a batch; yields after every tool. */
export function* compareTools(
  rows: Float32Array,
  tools: readonly ToolProfile[],
): Generator<void, void> {
  if (tools.length === 0) return;
  for (const [from, to] of margins) {
    const { best } = spreadOf(rows, from);
    mapColumn(rows, from, to, (value) => value - best);
  }
  yield;
  for (const [from, to, least] of standings) {
    const { mean, deviation } = spreadOf(rows, from);
    mapColumn(rows, from, to, (value) => (value - mean) / (deviation + least));
  }
  yield;
  const consensus = consensusOf(rows);
  const valueOf = (tool: number | undefined): number => consensus[tool ?? 0] as number;
  const order = [...consensus.keys()].sort((a, b) => valueOf(b) - valueOf(a) || a - b);
  const honest = order.filter((tool) => !isEcho(rows, tool * featureCount));
  const contest = honest.length > 0 ? honest : order;
  const leaders = contest.slice(0, leaderCount).map((tool) => leaderOf(tools[tool] as ToolProfile));
  const rarity = nameRarity(tools);
  const first = valueOf(contest[0]);
  const fourth = valueOf(contest[Math.min(3, contest.length - 1)]);
  const bestCover = spreadOf(rows, "queryCover").best;
  const bestMeaning = spreadOf(rows, "clauseMeaning").best;
  const bestSoftCover = spreadOf(rows, "softQueryCover").best;
  yield;
  let rank = 0;
  for (const tool of order) {
    const from = tool * featureCount;
    const kinship = kinshipOf(tools[tool] as ToolProfile, leaders, rarity);
    rows[from + at.consensus] = valueOf(tool);
    rows[from + at.consensusMargin] = valueOf(tool) - first;
    rows[from + at.consensusMarginToFourth] = valueOf(tool) - fourth;
    rows[from + at.consensusRank] = Math.log1p(rank);
    rows[from + at.leaderCloseness] = kinship.closeness;
    rows[from + at.leaderNameShare] = kinship.nameShare;
    rows[from + at.leaderNeeds] = kinship.needs;
    rows[from + at.bestCover] = bestCover;
    rows[from + at.bestMeaning] = bestMeaning;
    rows[from + at.bestSoftCover] = bestSoftCover;
    if (contest === order || !isEcho(rows, from)) rank += 1;
    yield;
  }
}
