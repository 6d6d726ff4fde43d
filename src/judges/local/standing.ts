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

interface Spread {
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

function spreadOf(rows: Float32Array, feature: Feature): Spread {
  let best = -Infinity;
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let at = column[feature]; at < rows.length; at += featureCount) {
    const value = rows[at] as number;
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
  closeness(tool: number): number;
  /** Largest share of its name that it has in common with the name of one of them; words rare among names count more. */
  nameShare(tool: number): number;
  /** Largest share of its name that the parameters of one of them speak of, though its name does not. */
  needs(tool: number): number;
}

function kinshipWith(leaders: readonly number[], tools: readonly ToolProfile[]): Kinship {
  const holders = new Map<number, number>();
  for (const { name } of tools) {
    for (const id of name) holders.set(id, (holders.get(id) ?? 0) + 1);
  }
  const rarity = (id: number): number => Math.log(tools.length / (holders.get(id) ?? 1) + 0.5);
  const kin = leaders.map((leader) => {
    const profile = tools[leader] as ToolProfile;
    const names: ReadonlySet<number> = new Set(profile.name);
    const needs: ReadonlySet<number> = new Set(profile.parameters.filter((id) => !names.has(id)));
    return { leader, profile, names, needs };
  });
  const largest = (tool: number, measure: (one: (typeof kin)[number]) => number): number =>
    kin.reduce((most, one) => (one.leader === tool ? most : Math.max(most, measure(one))), 0);
  const shareIn = (tool: number, words: ReadonlySet<number>): number => {
    let total = 0;
    let common = 0;
    for (const id of (tools[tool] as ToolProfile).name) {
      const weight = rarity(id);
      total += weight;
      if (words.has(id)) common += weight;
    }
    return total <= 0 ? 0 : common / total;
  };
  return {
    closeness: (tool) =>
      largest(tool, ({ profile }) => dot((tools[tool] as ToolProfile).vector, profile.vector)),
    nameShare: (tool) => largest(tool, ({ names }) => shareIn(tool, names)),
    needs: (tool) => largest(tool, ({ needs }) => shareIn(tool, needs)),
  };
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
  const kinship = kinshipWith(order.slice(0, leaderCount), tools);
  const first = valueOf(order[0]);
  const fourth = valueOf(order[Math.min(3, order.length - 1)]);
  const bestCover = spreadOf(rows, "queryCover").best;
  const bestMeaning = spreadOf(rows, "clauseMeaning").best;
  const bestSoftCover = spreadOf(rows, "softQueryCover").best;
  for (const [rank, tool] of order.entries()) {
    const set = (feature: Feature, value: number): void => {
      rows[tool * featureCount + column[feature]] = value;
    };
    set("consensus", valueOf(tool));
    set("consensusMargin", valueOf(tool) - first);
    set("consensusMarginToFourth", valueOf(tool) - fourth);
    set("consensusRank", Math.log1p(rank));
    set("leaderCloseness", kinship.closeness(tool));
    set("leaderNameShare", kinship.nameShare(tool));
    set("leaderNeeds", kinship.needs(tool));
    set("bestCover", bestCover);
    set("bestMeaning", bestMeaning);
    set("bestSoftCover", bestSoftCover);
    yield;
  }
}
