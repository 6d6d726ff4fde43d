/**
 * Collects the tool catalogs of the packages in `packages.json` into `catalogs.jsonl`.
 *
 * Run with `npx tsx training/corpus/collect-catalogs.ts [--cache FOLDER] [--only server,server]`.
 * Catalogs that are there stay as they are; packages that are missing are tried.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pMap from "p-map";
import { z } from "zod";
import { demoServers, startServers } from "../../examples/demo/servers.js";
import { CollectFailure } from "./failure.js";
import { findCopies, isCopiedServer, readToolWords, type ToolWords } from "./find-copies.js";
import { installPackage } from "./install-package.js";
import { listServerTools, type ListedTool } from "./list-server-tools.js";
import { readCatalogs, type ServerCatalog } from "./read-corpus.js";
import { renderNotice } from "./render-notice.js";
import { readServerPackages, type ServerPackage } from "./server-packages.js";

/** Tools of one server that the corpus keeps, in the order of its list. */
const maxToolsOfServer = 60;
const answerTimeoutMs = 30_000;
const parallelInstalls = 4;
const permissive = /^\(?(mit|apache|bsd|isc|mpl|mozilla|0bsd|cc0|unlicense|the unlicense)/i;

const folder = fileURLToPath(new URL("./", import.meta.url));
const catalogsFile = join(folder, "catalogs.jsonl");
const collectedFile = join(folder, "collected.json");

const failureSchema = z.strictObject({
  server: z.string(),
  package: z.string(),
  reason: z.string(),
});

type Failure = Readonly<z.output<typeof failureSchema>>;

async function readDemoWords(cache: string): Promise<readonly ToolWords[]> {
  const home = join(cache, "demo");
  mkdirSync(home, { recursive: true });
  const servers = await startServers(demoServers(home, join(home, "memory.json")), {
    timeoutMs: 60_000,
  });
  await servers.close();
  if (servers.failed.length > 0) throw new Error(`Demo servers failed: ${servers.failed[0]?.name}`);
  return servers.running.flatMap(({ name: server, tools }) =>
    tools.map(({ name, description }) =>
      readToolWords({ name: name.replace(`${server}__`, ""), description, parameters: {} }),
    ),
  );
}

function dropCopies(
  tools: readonly ListedTool[],
  demo: readonly ToolWords[],
  others: readonly ServerCatalog[],
): readonly ListedTool[] {
  const demoCopies = findCopies(tools, demo);
  if (isCopiedServer(demoCopies.size, tools.length)) {
    throw new CollectFailure("copy of a demo server", `${demoCopies.size} of ${tools.length}`);
  }
  for (const other of others) {
    const copies = findCopies(tools, other.tools.map(readToolWords));
    if (isCopiedServer(copies.size, tools.length)) {
      throw new CollectFailure("copy of another server", other.server);
    }
  }
  return tools.filter((tool) => !demoCopies.has(tool));
}

async function collect(spec: ServerPackage, cache: string): Promise<ServerCatalog> {
  const { command, licence } = await installPackage(spec, cache);
  if (!permissive.test(licence)) throw new CollectFailure("licence", licence || "none");
  const start = { command, args: spec.args, env: spec.env, files: spec.files };
  const tools = await listServerTools(start, answerTimeoutMs);
  if (tools.length === 0) throw new CollectFailure("no tools", "an empty list");
  return {
    server: spec.server,
    registry: spec.registry,
    package: spec.name,
    version: spec.version,
    licence,
    tools: tools.slice(0, maxToolsOfServer),
  };
}

function readFailures(): readonly Failure[] {
  if (!existsSync(collectedFile)) return [];
  const schema = z.looseObject({ failures: z.array(failureSchema) });
  return schema.parse(JSON.parse(readFileSync(collectedFile, "utf8"))).failures;
}

function writeSummary(
  catalogs: readonly ServerCatalog[],
  tried: number,
  failures: readonly Failure[],
): void {
  const tools = catalogs.reduce((sum, catalog) => sum + catalog.tools.length, 0);
  const summary = { tried, started: catalogs.length, tools, failures };
  writeFileSync(join(folder, "NOTICE.md"), renderNotice(catalogs));
  writeFileSync(collectedFile, `${JSON.stringify(summary, undefined, 2)}\n`);
  console.log(`${catalogs.length} of ${tried} servers, ${tools} tools`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { cache: { type: "string" }, only: { type: "string" } },
  });
  const cache = values.cache ?? join(tmpdir(), "toolsieve-corpus");
  mkdirSync(cache, { recursive: true });
  const catalogs = existsSync(catalogsFile) ? [...readCatalogs(catalogsFile)] : [];
  const packages = readServerPackages(join(folder, "packages.json"));
  const only = values.only?.split(",");
  const known = new Set(catalogs.map(({ server }) => server));
  const missing = packages.filter(
    ({ server }) => !known.has(server) && (only === undefined || only.includes(server)),
  );
  const demo = await readDemoWords(cache);
  const failures: Failure[] = [];

  const tryOne = async (spec: ServerPackage): Promise<void> => {
    try {
      const catalog = await collect(spec, cache);
      const tools = dropCopies(catalog.tools, demo, catalogs);
      const kept = { ...catalog, tools };
      catalogs.push(kept);
      appendFileSync(catalogsFile, `${JSON.stringify(kept)}\n`);
      console.log(`${spec.server}: ${tools.length} tools`);
    } catch (error) {
      const reason = error instanceof CollectFailure ? error.reason : "protocol";
      failures.push({ server: spec.server, package: spec.name, reason });
      console.log(`${spec.server}: ${reason}: ${String(error).replaceAll("\n", " ")}`);
    }
  };
  await pMap(missing, tryOne, { concurrency: parallelInstalls });

  const tried = new Set(missing.map(({ server }) => server));
  const earlier = readFailures().filter(({ server }) => !tried.has(server));
  writeSummary(catalogs, packages.length, [...earlier, ...failures]);
}

await main();
