/** The engine with the weights that the package carries: loaded on first use, so that whoever brings a judge never reads them. */

import { createEngine, type Engine } from "./engine.js";
import { openModel } from "./packed-model.js";
import { packedModel } from "./weights.js";

/** Opens the shipped weights; `hints` are example requests by tool name. */
export function createShippedEngine(hints: ReadonlyMap<string, readonly string[]>): Engine {
  return createEngine(openModel(packedModel), hints);
}
