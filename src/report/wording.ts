/** The words for units, alike everywhere. */

import { formatCount } from "../core/format.js";
import type { UnitKind } from "./summary.js";

const nouns: Readonly<Record<UnitKind, readonly [string, string]>> = {
  group: ["group", "groups"],
  thread: ["conversation", "conversations"],
  run: ["run", "runs"],
};

/** "1 conversation", "299 conversations". */
export const countUnits = (count: number, unit: UnitKind): string =>
  `${formatCount(count)} ${nouns[unit][count === 1 ? 0 : 1]}`;

/** "conversations". */
export const unitNouns = (unit: UnitKind): string => nouns[unit][1];

/** "conversation". */
export const unitNoun = (unit: UnitKind): string => nouns[unit][0];
