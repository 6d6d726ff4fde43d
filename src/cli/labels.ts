/** Reads labels of task success: CSV with the columns `threadId` and `success`. */

import { ToolSieveError } from "../errors.js";

const successes: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

/** A field without the quotes that it may be wrapped in (RFC 4180). */
function unquote(field: string): string {
  const text = field.trim();
  return text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replaceAll('""', '"')
    : text;
}

/**
 * Parses labels; the success is what follows the last comma of a line, so thread ids may hold
 * commas.
 *
 * @returns success by thread id.
 * @throws {ToolSieveError} that names the line.
 */
export function parseLabels(text: string): ReadonlyMap<string, boolean> {
  const labels = new Map<string, boolean>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const comma = line.lastIndexOf(",");
    const threadId = unquote(line.slice(0, Math.max(0, comma)));
    const word = unquote(line.slice(comma + 1)).toLowerCase();
    if (index === 0 && threadId.toLowerCase() === "threadid" && word === "success") continue;
    const success = successes.get(word);
    if (threadId === "" || success === undefined) {
      throw new ToolSieveError(
        `Expected line ${index + 1} to be a thread id, a comma, and true or false.`,
      );
    }
    labels.set(threadId, success);
  }
  return labels;
}
