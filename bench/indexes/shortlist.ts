/**
 * Measures the selector's shortlist in front of the embedded judge on a catalog of thousands, with
 * default options in enforce mode; prints recall of the needed tools and the share hidden.
 */

import { parseArgs } from "node:util";
import { createToolSelector } from "../../src/index.js";
import type { ToolDescription } from "../../src/index.js";
import { readSources } from "../../training/sources.js";
import { median } from "../quality/rankers.js";

const { values } = parseArgs({
  options: { data: { type: "string" }, cases: { type: "string", default: "200" } },
});
if (values.data === undefined) {
  process.stderr.write("Usage: npx tsx bench/indexes/shortlist.ts --data FOLDER [--cases 200]\n");
  process.exit(2);
}

/** The catalog is indexed on the first turn; a busy machine must not end the turn before. */
const timeoutMs = 120_000;
const selector = createToolSelector({ mode: "enforce", timeoutMs });
const parts = readSources(values.data)
  .flatMap((source) => source.parts)
  .filter(({ name }) => name.startsWith("Seal"));

for (const { name, catalog, cases } of parts) {
  const tools: readonly ToolDescription[] = [...catalog.values()];
  const chosen = cases
    .flatMap(({ labelled: { needed, messages } }) =>
      needed === null || needed.length === 0 ? [] : [{ needed, messages }],
    )
    .filter((_, index, all) => index % Math.ceil(all.length / Number(values.cases)) === 0);
  let needs = 0;
  let met = 0;
  let offered = 0;
  let fallbacks = 0;
  const times: number[] = [];
  for (const { needed, messages } of chosen) {
    const start = performance.now();
    const selection = await selector.select({
      messages,
      tools,
    });
    times.push(performance.now() - start);
    const names = new Set(selection.tools.map((tool) => tool.name));
    needs += needed.length;
    met += needed.filter((need) => names.has(catalog.get(need)?.name ?? need)).length;
    offered += selection.tools.length;
    if (selection.fallback) fallbacks += 1;
  }
  const percent = (share: number): string => (100 * share).toFixed(1);
  process.stdout.write(
    `${name}, ${tools.length} tools, ${chosen.length} cases: ${percent(met / needs)} % of the needed tools offered, ` +
      `${percent(1 - offered / (chosen.length * tools.length))} % hidden, ${fallbacks} fallbacks, ` +
      `median ${median(times).toFixed(0)} ms a turn\n`,
  );
}
await selector.close();
