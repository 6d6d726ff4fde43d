/** A trained model, ready to be asked. */

import type { Trees } from "./trees.js";
import type { WordTable } from "./word-table.js";

/** All that training produces and a judgment needs. */
export interface Model {
  readonly table: WordTable;
  readonly trees: Trees;
  /** The best-fitting tools of a batch never get less than this. */
  readonly benefitOfDoubt: number;
}
