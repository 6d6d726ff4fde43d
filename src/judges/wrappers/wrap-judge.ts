/** What wrappers have in common: the judge keeps its identity, and only the asking changes. */

import type { Judge } from "../../core/types.js";

/** A judge that asks differently and is otherwise the same: `id`, `batchSize` and `thresholds` are kept. */
export function wrapJudge(judge: Judge, ask: Judge["judge"]): Judge {
  return {
    id: judge.id,
    ...(judge.batchSize === undefined ? {} : { batchSize: judge.batchSize }),
    ...(judge.thresholds === undefined ? {} : { thresholds: judge.thresholds }),
    judge: ask,
  };
}
