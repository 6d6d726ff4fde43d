/** A turn as it is when it is sent: the caller may change its lists while the judge works. */

import type { Turn } from "./types.js";

/** Fields that may be getters or methods of a class, which a spread does not copy. */
const fields = [
  "describe",
  "toolChoice",
  "threadId",
  "runId",
  "groupId",
  "signal",
  "overrides",
  "emptyAllowed",
  "memory",
  "savedMemory",
  "allowedToolsApi",
  "judgeScope",
] as const satisfies readonly (keyof Turn)[];

const copyList = <V>(list: readonly V[]): readonly V[] => (Array.isArray(list) ? [...list] : list);

/** The turn with copies of its lists, and with everything else that it has. */
export function snapshotTurn<T>(turn: Turn<T>): Turn<T> {
  return {
    ...turn,
    ...Object.fromEntries(fields.map((field) => [field, turn[field]])),
    messages: copyList(turn.messages),
    tools: copyList(turn.tools),
  };
}
