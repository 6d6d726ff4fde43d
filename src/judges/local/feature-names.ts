/** The features of one tool for one turn, in column order, and the way in which each may move the probability. */

/** 1: the probability may only rise with the feature; -1: it may only fall; 0: either way. */
const directions = {
  /**
   * Closeness in meaning to the request, above the catalog's mean and behind the best tool; both in deviations, because
   * encoders differ in scale.
   */
  requestStanding: 1,
  requestGap: 1,
  /** The same of the clause of the request that fits best. */
  clauseStanding: 1,
  clauseGap: 1,
  /** Of the request at the end of what was said before it. */
  windowStanding: 1,
  windowGap: 1,
  /** Of the latest text that is not the user's: an offer, a tool's result. */
  latestStanding: 1,
  latestGap: 1,
  /** Of the user's message before. */
  previousStanding: 1,
  previousGap: 1,
  /** BM25 with the request and with the window: in deviations, and as a share of the best. */
  wordStanding: 1,
  wordShare: 1,
  windowWordStanding: 1,
  latestWordStanding: 1,
  /** Share of the tool's name in the request, and of the request in the tool; rare words count more. */
  nameCover: 1,
  requestCover: 1,
  /** The name itself is in the request, or in the latest text. */
  isNamed: 1,
  /** Meaning and words together: in deviations, by rank, and behind the first and the fourth. */
  joint: 1,
  jointRank: -1,
  jointGap: 1,
  jointGapToFourth: 1,
  /** Kinship with the tools that fit best: of their server, of their name, spoken of by their parameters, close in meaning. */
  kinServer: 1,
  kinName: 1,
  kinNeed: 1,
  kinStanding: 1,
  /** Of the turn, the same for all its tools. */
  bestStanding: 0,
  bestCover: 0,
  bestJoint: 0,
  catalogSize: 0,
  requestLength: 0,
  clauseCount: 0,
  history: 0,
} as const satisfies Readonly<Record<string, -1 | 0 | 1>>;

/** Name of a feature. */
export type Feature = keyof typeof directions;

/** All features, in column order. */
const featureNames = Object.keys(directions) as readonly Feature[];

/** Number of columns. */
export const featureCount: number = featureNames.length;

/** The direction of each feature, in column order. */
export const featureDirections: readonly number[] = Object.values(directions);

/** Column of each feature. */
export const column = Object.fromEntries(
  featureNames.map((feature, index) => [feature, index]),
) as Readonly<Record<Feature, number>>;
