/** Name patterns: `*` stands for any run of characters, everything else for itself. */

/**
 * True if the parts occur in the name in order, the first at its start and the last at its end.
 * Linear, however many stars.
 */
function matches(name: string, [head = "", ...rest]: readonly string[]): boolean {
  if (!name.startsWith(head)) return false;
  const tail = rest.at(-1) ?? "";
  let from = head.length;
  for (const part of rest.slice(0, -1)) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from + tail.length <= name.length && name.endsWith(tail);
}

/** Compiles names and globs into one test. */
export function nameMatcher(globs: readonly string[]): (name: string) => boolean {
  const names = new Set(globs.filter((glob) => !glob.includes("*")));
  const patterns = globs.filter((glob) => glob.includes("*")).map((glob) => glob.split("*"));
  return (name) => names.has(name) || patterns.some((parts) => matches(name, parts));
}
