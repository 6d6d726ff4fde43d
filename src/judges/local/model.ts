/** A trained model, ready to be asked. */

import type { Trees } from "./trees.js";
import type { WordTable } from "./word-table.js";

/** All that training produces and a judgment needs. */
export interface Model {
  readonly table: WordTable;
  readonly trees: Trees;
}
