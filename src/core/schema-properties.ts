/**
 * Lists what a JSON Schema says about a tool's arguments: names, descriptions and values,
 * references followed, in bounded size.
 */

import { read } from "./read.js";

/** One property of a schema, wherever it is nested. */
export interface SchemaProperty {
  readonly name: string;
  /** `""` if there is none. */
  readonly description: string;
  /** The texts that the property may hold, of `enum` and `const`. */
  readonly values: readonly string[];
}

export interface SchemaPropertyOptions {
  /** @default 200 */
  readonly maxProperties?: number | undefined;
  /** Schemas looked at, properties and what combines them alike. @default 2000 */
  readonly maxSchemas?: number | undefined;
}

/** Keywords whose value is one schema or a list of schemas for the same place. */
const combiners = [
  "allOf",
  "anyOf",
  "oneOf",
  "items",
  "prefixItems",
  "additionalProperties",
  "if",
  "then",
  "else",
] as const;

const maxValues = 50;

/** The keys of an object; none for anything else, and for a proxy that refuses. */
function listKeys(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function decodePointer(token: string): string {
  const plain = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/**
 * The schema that a local reference points to (RFC 6901, as a fragment); `undefined` for any other
 * reference.
 */
function resolveReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  return reference
    .split("/")
    .slice(1)
    .map(decodePointer)
    .reduce<unknown>((value, token) => read(value, token), root);
}

/**
 * What stands in the place of a schema: itself, what it refers to, what it combines; property
 * schemas are not among them.
 */
function expandSchema(root: unknown, schema: unknown): readonly unknown[] {
  const target = resolveReference(root, read(schema, "$ref"));
  return [target, ...combiners.flatMap((keyword) => toList(read(schema, keyword)))];
}

function readValues(schema: unknown): readonly string[] {
  const listed = [schema, ...toList(read(schema, "items"))].flatMap((one) => [
    ...toList(read(one, "enum")).slice(0, maxValues),
    read(one, "const"),
  ]);
  return listed.filter((value) => typeof value === "string").slice(0, maxValues);
}

function toProperty(name: string, schema: unknown): SchemaProperty {
  const description = read(schema, "description");
  return {
    name,
    description: typeof description === "string" ? description : "",
    values: readValues(schema),
  };
}

/**
 * Lists the properties of a schema, the outer ones first. Local references (`$ref`, `$defs`) are
 * followed; a schema that contains itself is read once; getters and proxies that throw count as
 * absent.
 *
 * @example
 * listSchemaProperties({ type: "object", properties: { city: { type: "string", description: "Where
 * to." } } });
 * // [{ name: "city", description: "Where to.", values: [] }]
 */
export function listSchemaProperties(
  root: unknown,
  { maxProperties = 200, maxSchemas = 2000 }: SchemaPropertyOptions = {},
): readonly SchemaProperty[] {
  const found: SchemaProperty[] = [];
  const queue: unknown[] = [root];
  const seen = new Set<unknown>();
  for (const schema of queue) {
    if (found.length >= maxProperties || seen.size >= maxSchemas) break;
    if (typeof schema !== "object" || schema === null || seen.has(schema)) continue;
    seen.add(schema);
    const properties = read(schema, "properties");
    const names = listKeys(properties).slice(0, maxProperties - found.length);
    found.push(...names.map((name) => toProperty(name, read(properties, name))));
    queue.push(
      ...expandSchema(root, schema).slice(0, maxSchemas),
      ...names.map((name) => read(properties, name)),
    );
  }
  return found;
}
