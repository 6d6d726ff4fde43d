/** Reads catalogs, groups and requests of the corpus into typed objects. */

import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const toolSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()).readonly(),
});

const catalogSchema = z.strictObject({
  server: z.string().min(1),
  registry: z.enum(["npm", "pypi"]),
  package: z.string().min(1),
  version: z.string().min(1),
  licence: z.string().min(1),
  tools: z.array(toolSchema).min(1).readonly(),
});

const groupSchema = z.strictObject({
  id: z.string().regex(/^g\d\d$/),
  split: z.enum(["train", "calibration", "test"]),
  servers: z.array(z.string()).min(1).readonly(),
});

const messageSchema = z.strictObject({
  role: z.enum(["user", "assistant", "tool"]),
  text: z.string(),
  /** Tools that an assistant message calls. */
  toolCalls: z.array(z.string()).readonly().optional(),
  /** Tool whose result a tool message holds. */
  toolName: z.string().optional(),
});

/** One line of a file of requests. */
export const requestSchema = z.strictObject({
  id: z.string().regex(/^g\d\d-\d{3,4}$/),
  group: z.string(),
  kind: z.enum([
    "direct",
    "indirect",
    "multi",
    "follow-up",
    "prerequisite",
    "correction",
    "inner-step",
    "none",
    "terse",
  ]),
  language: z.enum(["en", "es", "de", "fr", "pt", "zh", "ja"]),
  messages: z.array(messageSchema).min(1).readonly(),
  /** One entry per need: all tools any of which would serve it. */
  needs: z.array(z.array(z.string()).min(1).readonly()).readonly(),
  /** Present if a second reader found the same needs. */
  checked: z.literal(true).optional(),
});

/** The tools that one server lists. */
export type ServerCatalog = z.output<typeof catalogSchema>;
/** Servers that one agent combines; no server is in two groups. */
export type ServerGroup = z.output<typeof groupSchema>;
/** A request to the agent of one group, with the tools that it needs. */
export type CorpusRequest = z.output<typeof requestSchema>;

/** A tool of a group, under the name that the agent's model sees. */
export interface GroupTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One agent: its tools and the requests that were written for it. */
export interface CorpusAgent {
  readonly id: string;
  readonly split: ServerGroup["split"];
  readonly tools: readonly GroupTool[];
  readonly requests: readonly CorpusRequest[];
}

const corpusFolder = new URL("./", import.meta.url);

function readLines<T>(file: string | URL, schema: z.ZodType<T>): readonly T[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

/** Reads `catalogs.jsonl`. */
export function readCatalogs(
  file: string | URL = new URL("catalogs.jsonl", corpusFolder),
): readonly ServerCatalog[] {
  return readLines(file, catalogSchema);
}

/** Reads `groups.json`. */
export function readGroups(
  file: string | URL = new URL("groups.json", corpusFolder),
): readonly ServerGroup[] {
  return z.array(groupSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/**
 * Joins the tools of a group's servers.
 *
 * A name that two servers of the group share becomes `server__tool` for each of them, as MCP
 * clients do; all other names stay.
 *
 * @throws Error if a server of the group has no catalog.
 */
export function joinGroupTools(
  group: ServerGroup,
  catalogs: readonly ServerCatalog[],
): readonly GroupTool[] {
  const servers = group.servers.map((server) => findCatalog(server, catalogs));
  const owners = new Map<string, number>();
  for (const { tools } of servers) {
    for (const name of new Set(tools.map((tool) => tool.name))) {
      owners.set(name, (owners.get(name) ?? 0) + 1);
    }
  }
  return servers.flatMap(({ server, tools }) =>
    tools.map(({ name, description, parameters }) => ({
      server,
      name: owners.get(name) === 1 ? name : `${server}__${name}`,
      description,
      parameters,
    })),
  );
}

function findCatalog(server: string, catalogs: readonly ServerCatalog[]): ServerCatalog {
  const catalog = catalogs.find((candidate) => candidate.server === server);
  if (catalog === undefined) throw new Error(`No catalog of server ${server}`);
  return catalog;
}

/**
 * Reads the requests of one group; none if nobody has written any yet.
 *
 * @throws Error if a request belongs elsewhere or needs a tool that the group lacks.
 */
export function readRequests(
  group: string,
  tools: readonly GroupTool[],
  folder: string | URL = new URL("requests/", corpusFolder),
): readonly CorpusRequest[] {
  const file = new URL(`${group}.jsonl`, folder);
  if (!existsSync(file)) return [];
  const names = new Set(tools.map(({ name }) => name));
  const requests = readLines(file, requestSchema);
  for (const request of requests) {
    if (request.group !== group) throw new Error(`${request.id} belongs to ${request.group}`);
    const unknown = request.needs.flat().find((name) => !names.has(name));
    if (unknown !== undefined) throw new Error(`${request.id} needs an unknown tool: ${unknown}`);
  }
  return requests;
}

/** Reads the whole corpus, one entry per group. */
export function readCorpus(): readonly CorpusAgent[] {
  const catalogs = readCatalogs();
  return readGroups().map((group) => {
    const tools = joinGroupTools(group, catalogs);
    return { id: group.id, split: group.split, tools, requests: readRequests(group.id, tools) };
  });
}
