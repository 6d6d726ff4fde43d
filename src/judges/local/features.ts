/** The features of all tools of a catalog for one turn: meaning and words, against the rest of the catalog. */

import { column, featureCount, type Feature } from "./feature-names.js";
import { createKinship, dot, type KinTool } from "./kinship.js";
import { measureSpread, standing, type Spread } from "./spread.js";
import { readPairs, readStems, type ToolProfile } from "./tool-profile.js";
import type { TurnTexts } from "./turn-texts.js";
import { matchWords, type CatalogWords } from "./word-matches.js";

/** A tool of a catalog; the first vector is that of its own text, the others those of example requests. */
export interface MatchedTool extends KinTool {
  readonly vectors: readonly Float32Array[];
}

/** All that is compared. */
export interface FeatureInput {
  readonly catalog: CatalogWords;
  /** In the order of the catalog's profiles. */
  readonly tools: readonly MatchedTool[];
  readonly texts: TurnTexts;
  /** The vector of each of the turn's texts. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** Deviations below these are noise, in the unit of the value. */
const leastDeviation = { cosine: 0.03, words: 0.5, joint: 0.1 };
const wordWeight = 0.5;
const contextWeight = 0.25;
const leaderCount = 5;
const absent = -1;
/** A tool that repeats that much of the request was written to be chosen, more likely than to be of use. */
const echoes = [
  { pairs: 2, share: 0.75 },
  { pairs: 4, share: 0.5 },
] as const;

type Values = Float32Array;

/** 1 for the tools that no other is measured against: those that repeat the request, and all but the first of equals. */
function markOdd({ tools }: CatalogWords, request: string): Uint8Array {
  const pairs = [...readPairs(readStems(request))];
  const seen = new Set<string>();
  const isOdd = ({ pairs: own, prose }: ToolProfile): boolean => {
    const repeated = pairs.filter((pair) => own.has(pair)).length;
    const isEcho = echoes.some(
      (least) => repeated >= least.pairs && repeated >= least.share * pairs.length,
    );
    const isRepeat = prose !== "" && seen.has(prose);
    seen.add(prose);
    return isEcho || isRepeat;
  };
  return Uint8Array.from(tools, (tool) => (isOdd(tool) ? 1 : 0));
}

/** Closeness of every tool to a text: of the tool itself, or of the example request that comes closest. */
function* compare(tools: readonly MatchedTool[], text: Values): Generator<void, Values> {
  const cosines = new Float32Array(tools.length);
  for (const [index, { vectors }] of tools.entries()) {
    cosines[index] = vectors.reduce((most, vector) => Math.max(most, dot(vector, text)), -1);
    if (index % 32 === 31) yield;
  }
  return cosines;
}

/** How far a cosine is behind the best one, in deviations: encoders differ in scale, not in this. */
function findGap(value: number, { best, deviation }: Spread): number {
  return (value - best) / (deviation + leastDeviation.cosine);
}

/** The rows of a catalog, filled column by column. */
class Rows {
  readonly values: Float32Array;
  private readonly marks: Uint8Array;

  constructor(marks: Uint8Array) {
    this.marks = marks;
    this.values = new Float32Array(marks.length * featureCount);
  }

  fill(feature: Feature, valueFor: (tool: number) => number): void {
    for (let tool = 0; tool < this.marks.length; tool += 1) {
      this.values[tool * featureCount + column[feature]] = valueFor(tool);
    }
  }

  spread(values: Values): Spread {
    return measureSpread(values, this.marks);
  }

  /** Fills in standing and gap of values, and returns the standings. */
  place(standingFeature: Feature, gapFeature: Feature | null, values: Values): Values {
    const spread = this.spread(values);
    const standings = values.map((value) => standing(value, spread, leastDeviation.cosine));
    this.fill(standingFeature, (tool) => standings[tool] as number);
    if (gapFeature !== null)
      this.fill(gapFeature, (tool) => findGap(values[tool] as number, spread));
    return standings;
  }

  placeWords(feature: Feature, scores: Values): Values {
    const spread = this.spread(scores);
    const standings = scores.map((score) => standing(score, spread, leastDeviation.words));
    this.fill(feature, (tool) => standings[tool] as number);
    return standings;
  }
}

/** Fills in the features of meaning, and returns what the joint score takes of them. */
function* placeMeaning(
  rows: Rows,
  { tools, texts, vectors }: FeatureInput,
): Generator<void, Values> {
  const cosinesOf = function* (text: string): Generator<void, Values | null> {
    const vector = vectors.get(text);
    return vector === undefined ? null : yield* compare(tools, vector);
  };
  const request = (yield* cosinesOf(texts.request)) ?? new Float32Array(tools.length);
  const requestSpread = rows.spread(request);
  const requestStandings = rows.place("requestStanding", "requestGap", request);
  const bestStanding = rows.spread(requestStandings).best;
  rows.fill("bestStanding", () => bestStanding);

  const clauseStandings = requestStandings.slice();
  const clauseGaps = request.map((value) => findGap(value, requestSpread));
  for (const clause of texts.clauses) {
    const cosines = yield* cosinesOf(clause);
    if (cosines === null) continue;
    const spread = rows.spread(cosines);
    for (const [tool, value] of cosines.entries()) {
      const own = standing(value, spread, leastDeviation.cosine);
      clauseStandings[tool] = Math.max(clauseStandings[tool] as number, own);
      clauseGaps[tool] = Math.max(clauseGaps[tool] as number, findGap(value, spread));
    }
  }
  rows.fill("clauseStanding", (tool) => clauseStandings[tool] as number);
  rows.fill("clauseGap", (tool) => clauseGaps[tool] as number);

  const joint = clauseStandings.slice();
  const window = (yield* cosinesOf(texts.window)) ?? request;
  const windowStandings = rows.place("windowStanding", "windowGap", window);
  for (const [tool, value] of windowStandings.entries()) {
    if (texts.window !== "") joint[tool] = (joint[tool] as number) + contextWeight * value;
  }
  for (const name of ["latest", "previous"] as const) {
    const cosines = yield* cosinesOf(texts[name]);
    if (cosines === null) {
      rows.fill(`${name}Standing`, () => absent);
      rows.fill(`${name}Gap`, () => absent);
      continue;
    }
    const standings = rows.place(`${name}Standing`, `${name}Gap`, cosines);
    if (name !== "latest") continue;
    for (const [tool, value] of standings.entries()) {
      joint[tool] = (joint[tool] as number) + contextWeight * value;
    }
  }
  return joint;
}

/** Fills in the features of words, and returns what the joint score takes of them. */
function* placeWords(rows: Rows, { catalog, texts }: FeatureInput): Generator<void, Values> {
  const request = matchWords(catalog, texts.request);
  yield;
  const spread = rows.spread(request.scores);
  const standings = rows.placeWords("wordStanding", request.scores);
  rows.fill("wordShare", (tool) =>
    spread.best <= 0 ? 0 : (request.scores[tool] as number) / spread.best,
  );
  rows.fill("nameCover", (tool) => request.nameCover[tool] as number);
  rows.fill("requestCover", (tool) => request.textCover[tool] as number);
  const bestCover = rows.spread(request.textCover).best;
  rows.fill("bestCover", () => bestCover);
  const { window, latest } = texts;
  rows.placeWords(
    "windowWordStanding",
    window === "" ? request.scores : matchWords(catalog, window).scores,
  );
  yield;
  if (latest === "") rows.fill("latestWordStanding", () => absent);
  else rows.placeWords("latestWordStanding", matchWords(catalog, latest).scores);
  const spoken = `${texts.request}\n${latest}`.toLowerCase();
  rows.fill("isNamed", (tool) => {
    const { plainName, name } = catalog.tools[tool] as ToolProfile;
    return name.length > 1 && spoken.includes(plainName) ? 1 : 0;
  });
  return standings;
}

/** Fills in joint score and kinship with the tools that lead by it. */
function* placeJoint(
  rows: Rows,
  { catalog, tools }: FeatureInput,
  joint: Values,
  marks: Uint8Array,
): Generator<void, void> {
  const order = [...joint.keys()].sort(
    (a, b) => (joint[b] as number) - (joint[a] as number) || a - b,
  );
  const honest = order.filter((tool) => marks[tool] === 0);
  const contest = honest.length > 0 ? honest : order;
  const first = joint[contest[0] ?? 0] as number;
  const fourth = joint[contest[Math.min(3, contest.length - 1)] ?? 0] as number;
  rows.fill("joint", (tool) => joint[tool] as number);
  rows.fill("jointGap", (tool) => (joint[tool] as number) - first);
  rows.fill("jointGapToFourth", (tool) => (joint[tool] as number) - fourth);
  rows.fill("bestJoint", () => first);
  const ranks = new Float32Array(tools.length);
  let rank = 0;
  for (const tool of order) {
    ranks[tool] = Math.log1p(rank);
    if (contest === order || marks[tool] === 0) rank += 1;
  }
  rows.fill("jointRank", (tool) => ranks[tool] as number);
  yield;
  const leaders = contest.slice(0, leaderCount).map((tool) => tools[tool] as MatchedTool);
  const kinshipWith = createKinship(catalog, leaders);
  const cosines = new Float32Array(tools.length);
  for (const [index, tool] of tools.entries()) {
    const { server, name, need, cosine } = kinshipWith(tool);
    const from = index * featureCount;
    rows.values[from + column.kinServer] = server;
    rows.values[from + column.kinName] = name;
    rows.values[from + column.kinNeed] = need;
    cosines[index] = cosine;
    if (index % 32 === 31) yield;
  }
  rows.place("kinStanding", null, cosines);
}

/** Computes one row of features for each tool; yields often. */
export function* computeFeatures(input: FeatureInput): Generator<void, Float32Array> {
  const { catalog, tools, texts } = input;
  const marks = markOdd(catalog, texts.request);
  const rows = new Rows(marks);
  yield;
  const joint = yield* placeMeaning(rows, input);
  const words = yield* placeWords(rows, input);
  for (const [tool, value] of words.entries()) {
    joint[tool] = (joint[tool] as number) + wordWeight * value;
  }
  yield* placeJoint(rows, input, joint, marks);
  const length = texts.isTalk ? 0 : readStems(texts.request).length;
  rows.fill("catalogSize", () => Math.log(tools.length));
  rows.fill("requestLength", () => Math.log1p(length));
  rows.fill("clauseCount", () => texts.clauses.length);
  rows.fill("history", () => (texts.window === "" ? 0 : texts.latest === "" ? 1 : 2));
  return rows.values;
}
