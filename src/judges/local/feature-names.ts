/** The features that the trees decide by, in column order, each with the direction in which the fit can only get better. */

const fitDirections = {
  bm25: 1,
  queryCover: 1,
  nameCover: 1,
  leadCover: 1,
  parameterCover: 1,
  nameTrigrams: 1,
  echo: 0,
  echoCount: 0,
  meaning: 1,
  clauseMeaning: 1,
  nameMeaning: 1,
  softQueryCover: 1,
  softNameCover: 1,
  softLeadCover: 1,
  meaningAgainstBackground: 1,
  clauseAgainstBackground: 1,
  backgroundShare: -1,
  toolKnown: 0,
  queryLength: 0,
  queryKnown: 0,
  clauseCount: 0,
  batchSize: 0,
} as const satisfies Readonly<Record<string, -1 | 0 | 1>>;

const standingDirections = {
  bm25Margin: 1,
  queryCoverMargin: 1,
  meaningMargin: 1,
  clauseMargin: 1,
  nameMeaningMargin: 1,
  softQueryMargin: 1,
  softNameMargin: 1,
  bm25Standing: 1,
  meaningStanding: 1,
  clauseStanding: 1,
  softQueryStanding: 1,
  softNameStanding: 1,
  consensus: 1,
  consensusMargin: 1,
  consensusMarginToFourth: 1,
  consensusRank: -1,
  leaderCloseness: 0,
  leaderNameShare: 1,
  leaderNeeds: 1,
  bestCover: 0,
  bestMeaning: 0,
  bestSoftCover: 0,
} as const satisfies Readonly<Record<string, -1 | 0 | 1>>;

const directions = { ...fitDirections, ...standingDirections };

/** A feature of a tool and a query by themselves. */
export type FitFeature = keyof typeof fitDirections;

/** A feature that compares a tool with the others of its batch. */
export type StandingFeature = keyof typeof standingDirections;

/** Name of a feature. */
export type Feature = FitFeature | StandingFeature;

/** The columns of a tool and a query by themselves come first, in this order. */
export const fitFeatures = Object.keys(fitDirections) as readonly FitFeature[];

/** All features, in column order. */
const features = Object.keys(directions) as readonly Feature[];

/** Number of columns. */
export const featureCount: number = features.length;

/** 1 where the probability may only rise with the feature, -1 where it may only fall, 0 where it is free; in column order. */
export const featureDirections: readonly number[] = Object.values(directions);

/** Column of each feature. */
export const column = Object.fromEntries(
  features.map((feature, index) => [feature, index]),
) as Readonly<Record<Feature, number>>;
