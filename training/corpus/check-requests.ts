/**
 * Keeps the requests on whose needs writer and checker agree, and drops all others.
 *
 * Reads `checks/gNN.jsonl`, rewrites `requests/gNN.jsonl` and `checks/summary.json`. A group whose
 * requests are all marked as checked stays as it is. Run with
 * `npx tsx training/corpus/check-requests.ts`.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { mergeNeeds } from "./merge-needs.js";
import { readCorpus, type CorpusAgent, type CorpusRequest } from "./read-corpus.js";

const folder = new URL("./", import.meta.url);
const summaryFile = new URL("checks/summary.json", folder);

const checkSchema = z.strictObject({
  id: z.string(),
  needs: z.array(z.array(z.string()).min(1).readonly()).readonly(),
});

const countSchema = z.strictObject({ requests: z.int(), agreed: z.int() });
const groupSummarySchema = z.strictObject({
  group: z.string(),
  split: z.string(),
  kinds: z.record(z.string(), countSchema).readonly(),
  dropped: z.array(z.string()).readonly(),
});
const summarySchema = z.object({ groups: z.array(groupSummarySchema).readonly() });

type Count = Readonly<z.output<typeof countSchema>>;
type GroupSummary = z.output<typeof groupSummarySchema>;
type Checks = ReadonlyMap<string, CorpusRequest["needs"]>;

/** Reads a group's checks; `undefined` if nobody has checked it. */
function readChecks({ id: group, tools }: CorpusAgent): Checks | undefined {
  const file = new URL(`checks/${group}.jsonl`, folder);
  if (!existsSync(file)) return undefined;
  const names = new Set(tools.map(({ name }) => name));
  const lines = readFileSync(file, "utf8").split("\n");
  const checks = lines
    .filter((line) => line !== "")
    .map((line) => checkSchema.parse(JSON.parse(line)));
  for (const { id, needs } of checks) {
    const unknown = needs.flat().find((name) => !names.has(name));
    if (unknown !== undefined) throw new Error(`Check ${id} names an unknown tool: ${unknown}`);
  }
  return new Map(checks.map(({ id, needs }) => [id, needs]));
}

function checkRequest(request: CorpusRequest, checks: Checks): CorpusRequest | undefined {
  const checked = checks.get(request.id);
  if (checked === undefined) throw new Error(`No check of ${request.id}`);
  const needs = mergeNeeds(request.kind, request.needs, checked);
  return needs === undefined ? undefined : { ...request, needs, checked: true };
}

/** Rewrites the requests of one group and counts them. */
function checkGroup({ id: group, split, requests }: CorpusAgent, checks: Checks): GroupSummary {
  const kinds: Record<string, Count> = {};
  const kept: CorpusRequest[] = [];
  const dropped: string[] = [];
  for (const request of requests) {
    const merged = checkRequest(request, checks);
    if (merged === undefined) dropped.push(request.id);
    else kept.push(merged);
    const agreed = merged === undefined ? 0 : 1;
    kinds[request.kind] = addCounts(kinds[request.kind], { requests: 1, agreed });
  }
  const lines = kept.map((request) => `${JSON.stringify(request)}\n`).join("");
  writeFileSync(new URL(`requests/${group}.jsonl`, folder), lines);
  return { group, split, kinds, dropped };
}

function addCounts(first: Count | undefined, second: Count): Count {
  if (first === undefined) return second;
  return {
    requests: first.requests + second.requests,
    agreed: first.agreed + second.agreed,
  };
}

/** Adds the counts of all groups up, per kind and in total. */
function summarise(groups: readonly GroupSummary[]): Readonly<Record<string, unknown>> {
  const kinds: Record<string, Count> = {};
  let total: Count = { requests: 0, agreed: 0 };
  for (const [kind, count] of groups.flatMap((group) => Object.entries(group.kinds))) {
    kinds[kind] = addCounts(kinds[kind], count);
    total = addCounts(total, count);
  }
  const rate = Number((total.agreed / Math.max(total.requests, 1)).toFixed(3));
  return { total, rate, kinds, groups };
}

function readGroupSummaries(): ReadonlyMap<string, GroupSummary> {
  if (!existsSync(summaryFile)) return new Map();
  const { groups } = summarySchema.parse(JSON.parse(readFileSync(summaryFile, "utf8")));
  return new Map(groups.map((group) => [group.group, group]));
}

function main(): void {
  const summaries = new Map(readGroupSummaries());
  for (const agent of readCorpus()) {
    if (agent.requests.every(({ checked }) => checked === true)) continue;
    const checks = readChecks(agent);
    if (checks !== undefined) summaries.set(agent.id, checkGroup(agent, checks));
  }
  const groups = [...summaries.values()].toSorted((a, b) => a.group.localeCompare(b.group));
  const summary = summarise(groups);
  writeFileSync(summaryFile, `${JSON.stringify(summary, undefined, 2)}\n`);
  console.log(JSON.stringify({ ...summary, groups: undefined }));
  for (const { group, kinds, dropped } of groups) {
    const count = Object.values(kinds).reduce(addCounts);
    console.log(`${group}: ${count.agreed} of ${count.requests}; dropped ${dropped.join(" ")}`);
  }
}

main();
