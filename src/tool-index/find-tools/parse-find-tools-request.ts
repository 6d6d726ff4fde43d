/** Checks a request to the finder, and words each error so that a model can correct itself. */

import { findNearestNames } from "../../core/nearest-names.js";
import { quoteName, quoteNames } from "../../core/quote-name.js";
import { toJson } from "../../core/json.js";
import { cutText } from "../../core/text.js";
import type { ToolDescription } from "../../core/types.js";
import { findByName } from "./find-by-name.js";
import { findToolsLimits, listGroups } from "./find-tools-schema.js";

/** A request to the finder, checked. */
export interface FindToolsRequest {
  readonly query: string | null;
  /** As the model wrote them. */
  readonly names: readonly string[];
  readonly group: string | null;
  /** Matches wanted, from 1 to 20. */
  readonly limit: number;
}

/** A name that no tool has, and the names most like it. */
export interface MissedName {
  readonly name: string;
  readonly nearest: readonly string[];
}

/** One thing that is wrong with a request. */
export interface FindToolsError {
  /** `query`, `names[2]`, `""` for the request as a whole. */
  readonly path: string;
  readonly message: string;
  /**
   * Set where the JSON Schema cannot say it: `nothing-to-find` (no query, names or group),
   * `unknown-names` (no name fits, and nothing else is asked), `unknown-group` (too many groups to
   * list them in the schema).
   */
  readonly extraCheck?: "nothing-to-find" | "unknown-names" | "unknown-group" | undefined;
}

/** The result of {@link parseFindToolsRequest}. */
export type ParsedFindToolsRequest =
  | {
      readonly ok: true;
      readonly request: FindToolsRequest;
      /** Names of the tools that `names` mean, in the order asked, each once. */
      readonly found: readonly string[];
      readonly missed: readonly MissedName[];
    }
  | { readonly ok: false; readonly errors: readonly FindToolsError[] };

/** Options of {@link parseFindToolsRequest}. */
export interface ParseFindToolsOptions {
  /** Names of tools that the model sees already: asking for one of them is no error. */
  readonly visible?: readonly string[] | undefined;
  /**
   * The limit where the request has none.
   * @default 5
   */
  readonly limit?: number | undefined;
}

const fields = ["query", "names", "group", "limit"] as const;
type Field = (typeof fields)[number];

const show = (value: unknown): string => cutText(toJson(value) ?? typeof value, 60);

/** Length in code points, as JSON Schema counts it; what is far too long is not counted out. */
function countChars(text: string, most: number): number {
  return text.length > 2 * most ? text.length : Array.from(text).length;
}

function suggest(name: string, names: readonly string[]): string {
  const [nearest] = findNearestNames(name, names, 1);
  return nearest === undefined ? "" : ` The nearest is ${quoteName(nearest)}.`;
}

/** The own enumerable fields of a plain object, `__proto__` included; `null` if it is none. */
function readFields(input: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  return new Map(Object.entries(input));
}

function checkText(path: string, value: unknown, most: number): readonly FindToolsError[] {
  const expected = `Expected text of 1 to ${most} characters`;
  if (typeof value !== "string") return [{ path, message: `${expected}, got ${show(value)}.` }];
  const chars = countChars(value, most);
  return chars >= 1 && chars <= most ? [] : [{ path, message: `${expected}, got ${chars}.` }];
}

function checkQuery(value: unknown): readonly FindToolsError[] {
  const errors = checkText("query", value, findToolsLimits.queryChars);
  if (errors.length > 0 || (typeof value === "string" && /\S/u.test(value))) return errors;
  return [{ path: "query", message: "Expected words, got blanks only." }];
}

function checkNames(value: unknown): readonly FindToolsError[] {
  const { names: most, nameChars } = findToolsLimits;
  if (!Array.isArray(value) || value.length < 1 || value.length > most) {
    const got = Array.isArray(value) ? `${value.length}` : show(value);
    return [{ path: "names", message: `Expected a list of 1 to ${most} names, got ${got}.` }];
  }
  return Array.from(value as readonly unknown[]).flatMap((name, index) =>
    checkText(`names[${index}]`, name, nameChars),
  );
}

function checkGroup(value: unknown, groups: readonly string[]): readonly FindToolsError[] {
  if (typeof value === "string" && groups.includes(value)) return [];
  const isOpen = groups.length > findToolsLimits.listedGroups;
  const given = typeof value === "string" ? quoteName(value) : show(value);
  const message = `No group is called ${given}.${suggest(String(value), groups)}`;
  const isExtra = isOpen && typeof value === "string" && value !== "";
  return [{ path: "group", message, extraCheck: isExtra ? "unknown-group" : undefined }];
}

function checkLimit(value: unknown): readonly FindToolsError[] {
  const isValid =
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= findToolsLimits.matches;
  if (isValid) return [];
  const message = `Expected an integer from 1 to ${findToolsLimits.matches}, got ${show(value)}.`;
  return [{ path: "limit", message }];
}

function checkFields(
  given: ReadonlyMap<string, unknown>,
  groups: readonly string[],
): readonly FindToolsError[] {
  const known = groups.length > 0 ? fields : fields.filter((field) => field !== "group");
  const checks: Readonly<Record<Field, (value: unknown) => readonly FindToolsError[]>> = {
    query: checkQuery,
    names: checkNames,
    group: (value) => checkGroup(value, groups),
    limit: checkLimit,
  };
  const unknown = [...given.keys()].filter((key) => !known.some((field) => field === key));
  return [
    ...unknown.map((key) => ({
      path: cutText(key, 60),
      message: `No such field.${suggest(key, known)}`,
    })),
    ...known.flatMap((field) => (given.has(field) ? checks[field](given.get(field)) : [])),
  ];
}

function findMissed(
  names: readonly string[],
  catalog: readonly ToolDescription[],
  visible: readonly string[],
): readonly MissedName[] {
  const seen = visible.map((name) => ({ name }));
  const all = [...catalog.map(({ name }) => name), ...visible];
  return names
    .filter((name) => findByName(name, catalog).length + findByName(name, seen).length === 0)
    .map((name) => ({ name, nearest: findNearestNames(name, all, 3) }));
}

function nameError({ name, nearest }: MissedName, index: number): FindToolsError {
  const hint = nearest.length === 0 ? "" : ` The nearest: ${quoteNames(nearest)}.`;
  return {
    path: `names[${index}]`,
    message: `No tool is called ${quoteName(name)}.${hint}`,
    extraCheck: "unknown-names",
  };
}

const nothingToFind: FindToolsError = {
  path: "",
  message: "Expected `query`, `names` or `group`.",
  extraCheck: "nothing-to-find",
};

/**
 * Checks a request to the finder against the hidden catalog, as `findToolsSchema` describes it and
 * beyond.
 *
 * Names are found as they are, in another case or spelling, and with or without a prefix. If some
 * names fit and others do not, the others are `missed`; if none fits and nothing else is asked,
 * that is an error. Never throws.
 *
 * @param catalog the tools that can be found: those that are hidden.
 * @param input what the model sent.
 * @example
 * const parsed = parseFindToolsRequest(hidden, { query: "open an issue", group: "github" });
 */
export function parseFindToolsRequest(
  catalog: readonly ToolDescription[],
  input: unknown,
  options: ParseFindToolsOptions = {},
): ParsedFindToolsRequest {
  const given = readFields(input);
  if (given === null) {
    return {
      ok: false,
      errors: [{ path: "", message: `Expected an object, got ${show(input)}.` }],
    };
  }
  const errors = checkFields(given, listGroups(catalog));
  if (errors.length > 0) return { ok: false, errors };
  const request: FindToolsRequest = {
    query: (given.get("query") as string | undefined) ?? null,
    names: (given.get("names") as readonly string[] | undefined) ?? [],
    group: (given.get("group") as string | undefined) ?? null,
    limit:
      (given.get("limit") as number | undefined) ?? options.limit ?? findToolsLimits.defaultMatches,
  };
  return resolveRequest(request, catalog, options.visible ?? []);
}

function resolveRequest(
  request: FindToolsRequest,
  catalog: readonly ToolDescription[],
  visible: readonly string[],
): ParsedFindToolsRequest {
  const { query, names, group } = request;
  const asksMore = query !== null || group !== null;
  if (names.length === 0 && !asksMore) return { ok: false, errors: [nothingToFind] };
  const missed = findMissed(names, catalog, visible);
  if (missed.length > 0 && missed.length === names.length && !asksMore) {
    return { ok: false, errors: missed.map(nameError) };
  }
  const found = names.flatMap((name) => findByName(name, catalog).map((tool) => tool.name));
  return { ok: true, request, found: [...new Set(found)], missed };
}
