/** A turn as it is when it is sent: the caller may change his lists while the judge works. */

import type { Turn } from "./types.js";

/** What a turn may have as a getter or method of a class, which a spread does not copy. */
const fields = [
  "describe",
  "toolChoice",
  "threadId",
  "runId",
  "groupId",
  "signal",
  "overrides",
  "emptyAllowed",
  "judgeScope",
] as const satisfies readonly (keyof Turn)[];

/** A list as it is now; what is no list, or cannot be read, is passed on. */
function copyOf<V>(list: readonly V[]): readonly V[] {
  try {
    return Array.isArray(list) ? [...list] : list;
  } catch {
    return list;
  }
}

/** The turn with copies of its lists, and with everything else that it has. */
export function snapshotOf<T>(turn: Turn<T>): Turn<T> {
  return {
    ...turn,
    ...Object.fromEntries(fields.map((field) => [field, turn[field]])),
    messages: copyOf(turn.messages),
    tools: copyOf(turn.tools),
  };
}
