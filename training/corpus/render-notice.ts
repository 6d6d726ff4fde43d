/** Renders the attributions of `NOTICE.md`. */

import type { ServerCatalog } from "./read-corpus.js";

const registries = {
  npm: "https://www.npmjs.com/package/",
  pypi: "https://pypi.org/project/",
} as const;

const opening = `# Attributions

\`catalogs.jsonl\` holds tool names, descriptions and parameter schemas as these packages list them.
They belong to the authors of the packages and are redistributed under the licence that each
package declares. They serve to train and measure the embedded judge; no code of a package is here.

| server | package | version | licence |
| --- | --- | --- | --- |
`;

/** Lists each package with its version and licence, sorted by server. */
export function renderNotice(catalogs: readonly ServerCatalog[]): string {
  const sorted = catalogs.toSorted((a, b) => a.server.localeCompare(b.server));
  const rows = sorted.map((catalog) => {
    const link = `[${catalog.package}](${registries[catalog.registry]}${catalog.package})`;
    return `| ${catalog.server} | ${link} | ${catalog.version} | ${catalog.licence} |\n`;
  });
  return opening + rows.join("");
}
