/**
 * Writes one readable listing per group, for people who write and check requests.
 *
 * Run with `npx tsx training/corpus/write-listings.ts FOLDER`; the folder is outside the repository.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { joinGroupTools, readCatalogs, readGroups, type GroupTool } from "./read-corpus.js";

const maxDescriptionLength = 200;

function renderTool({ server, name, description, parameters }: GroupTool): string {
  const text = description.replaceAll(/\s+/g, " ").trim().slice(0, maxDescriptionLength);
  const { properties } = parameters;
  const isRecord = typeof properties === "object" && properties !== null;
  const names = isRecord ? Object.keys(properties) : [];
  return `${server}/${name} — ${text} [${names.join(", ")}]`;
}

function main(): void {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("Usage: write-listings.ts FOLDER");
  mkdirSync(folder, { recursive: true });
  const catalogs = readCatalogs();
  for (const group of readGroups()) {
    const tools = joinGroupTools(group, catalogs);
    const lines = tools.map(renderTool).join("\n");
    writeFileSync(join(folder, `${group.id}.md`), `${lines}\n`);
    console.log(
      `${group.id} ${group.split}: ${group.servers.length} servers, ${tools.length} tools`,
    );
  }
}

main();
