/** The subpaths of the package, from its manifest. */

import manifest from "../../package.json" with { type: "json" };

/** `jev`, `testing/fake-judge`, …: every export but the root and the manifest. */
export const subpaths: readonly string[] = Object.keys(manifest.exports)
  .map((path) => path.replace("./", ""))
  .filter((path) => path !== "." && path !== "package.json");
