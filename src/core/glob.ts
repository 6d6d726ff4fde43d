/** Name patterns: `*` stands for any run of characters, everything else for itself. */

function toPattern(glob: string): RegExp {
  const literal = glob
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join(".*");
  return new RegExp(`^${literal}$`, "s");
}

/** Compiles names and globs into one test. */
export function nameMatcher(globs: readonly string[]): (name: string) => boolean {
  const names = new Set(globs.filter((glob) => !glob.includes("*")));
  const patterns = globs.filter((glob) => glob.includes("*")).map(toPattern);
  return (name) => names.has(name) || patterns.some((pattern) => pattern.test(name));
}
