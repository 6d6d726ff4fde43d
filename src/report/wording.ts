/** Counts and shares in words, alike everywhere. */

import type { UnitKind } from "./summary.js";

const nouns: Readonly<Record<UnitKind, readonly [string, string]>> = {
  group: ["group", "groups"],
  thread: ["conversation", "conversations"],
  run: ["run", "runs"],
};

/** "1 conversation", "299 conversations". */
export const countUnits = (count: number, unit: UnitKind): string =>
  `${count.toLocaleString("en-US")} ${nouns[unit][count === 1 ? 0 : 1]}`;

/** A share as a percentage of three digits: "0.997 %". */
export const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

/** "conversations". */
export const unitNouns = (unit: UnitKind): string => nouns[unit][1];

/** "conversation". */
export const unitNoun = (unit: UnitKind): string => nouns[unit][0];
