/**
 * Conditions on the metadata of tools: plain JSON objects, so that they travel to a store or
 * another process.
 */

import * as z from "zod";
import { read } from "../core/read.js";
import type { MetadataFilter, ToolDescription } from "../core/types.js";
import { InvalidOptionsError } from "../errors.js";

const expectation = "a filter built with `metadataFilter`";
const maxDepth = 32;

function isFilter(value: unknown, depth: number): boolean {
  if (depth > maxDepth) return false;
  const key = read(value, "key");
  const filters = read(value, "filters");
  switch (read(value, "op")) {
    case "eq":
      return typeof key === "string";
    case "in":
      return typeof key === "string" && Array.isArray(read(value, "values"));
    case "and":
    case "or":
      return Array.isArray(filters) && filters.every((filter) => isFilter(filter, depth + 1));
    case "not":
      return isFilter(read(value, "filter"), depth + 1);
    default:
      return false;
  }
}

/** An option that is a metadata filter, at most 32 levels deep. */
export const metadataFilterSchema: z.ZodType<MetadataFilter, MetadataFilter> =
  z.custom<MetadataFilter>((value) => isFilter(value, 1), expectation);

function check(filter: MetadataFilter): MetadataFilter {
  if (isFilter(filter, 1)) return filter;
  throw new InvalidOptionsError(
    `Expected a metadata filter to be of strings and ${expectation}, up to ${maxDepth} levels deep.`,
  );
}

/**
 * Builds conditions on the metadata of tools. `and()` without conditions holds for every tool,
 * `or()` for none. Values are compared as JSON scalars; a list in the metadata matches if one of
 * its entries does.
 *
 * @example
 * const filter = metadataFilter.and(
 *   metadataFilter.eq("team", "billing"),
 *   metadataFilter.not(metadataFilter.in("risk", ["high"])),
 * );
 * await index.search({ sessionId: "s-1", query: "refund", filter });
 */
export const metadataFilter = {
  /** The value of a key is this one. */
  eq: (key: string, value: unknown): MetadataFilter => check({ op: "eq", key, value }),
  /** The value of a key is one of these. */
  in: (key: string, values: readonly unknown[]): MetadataFilter => check({ op: "in", key, values }),
  /** All conditions hold. */
  and: (...filters: readonly MetadataFilter[]): MetadataFilter => check({ op: "and", filters }),
  /** At least one condition holds. */
  or: (...filters: readonly MetadataFilter[]): MetadataFilter => check({ op: "or", filters }),
  /** The condition does not hold. */
  not: (filter: MetadataFilter): MetadataFilter => check({ op: "not", filter }),
} as const;

function holdsValue(metadata: unknown, key: string, wanted: readonly unknown[]): boolean {
  if (typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, key))
    return false;
  const value = read(metadata, key);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.some((one) => wanted.includes(one));
}

/** True if the metadata of a tool meets a filter. */
export function matchesFilter(metadata: unknown, filter: MetadataFilter): boolean {
  const holds = (one: MetadataFilter): boolean => matchesFilter(metadata, one);
  if (filter.op === "eq") return holdsValue(metadata, filter.key, [filter.value]);
  if (filter.op === "in") return holdsValue(metadata, filter.key, filter.values);
  if (filter.op === "not") return !holds(filter.filter);
  return filter.op === "and" ? filter.filters.every(holds) : filter.filters.some(holds);
}

/** True if a tool is of the group and meets the filter, where these are given. */
export function isWanted(
  tool: ToolDescription,
  {
    group,
    filter,
  }: { readonly group?: string | undefined; readonly filter?: MetadataFilter | undefined },
): boolean {
  if (group !== undefined && tool.group !== group) return false;
  return filter === undefined || matchesFilter(tool.metadata, filter);
}
