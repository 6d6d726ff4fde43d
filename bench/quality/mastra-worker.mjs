/** Runs the tool search of @mastra/core over catalogs, in a Node that it supports. argv: package folder, input JSON, output JSON. */

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, inputFile, outputFile] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, "package.json"));
const load = (id) => import(pathToFileURL(resolve(id)).href);
const { ToolSearchProcessor } = await load("@mastra/core/processors");
const { createTool } = await load("@mastra/core/tools");

const jobs = JSON.parse(readFileSync(inputFile, "utf8"));
const results = [];
for (const { tools, queries, limit } of jobs) {
  const indexStart = performance.now();
  const processor = new ToolSearchProcessor({
    tools: Object.fromEntries(
      tools.map(({ key, description }) => [
        key,
        createTool({ id: key, description, execute: () => Promise.resolve({}) }),
      ]),
    ),
    search: { topK: limit },
  });
  const step = await processor.processInputStep({ tools: {}, messageList: { addSystem() {} } });
  const search = step.tools.search_tools;
  const indexMs = performance.now() - indexStart;
  const rankings = [];
  const latencies = [];
  for (const query of queries) {
    const start = performance.now();
    const found = await search.execute({ query }, {});
    latencies.push(performance.now() - start);
    rankings.push((found?.results ?? []).map(({ name }) => name));
  }
  latencies.sort((a, b) => a - b);
  results.push({ rankings, indexMs, medianMs: latencies[Math.floor(latencies.length / 2)] ?? 0 });
}
writeFileSync(outputFile, JSON.stringify(results));
