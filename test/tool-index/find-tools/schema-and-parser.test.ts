import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../../../src/core/types.js";
import { findToolsSchema } from "../../../src/tool-index/find-tools/find-tools-schema.js";
import { parseFindToolsRequest } from "../../../src/tool-index/find-tools/parse-find-tools-request.js";

const hostileNames = [
  "__proto__",
  "constructor",
  "toString",
  "a.b",
  "a_b",
  'quo"te',
  "new\nline",
  "查天气",
  "x".repeat(128),
  "\ud83d",
  "👩‍👩‍👧",
];

function catalogOf(names: readonly string[], groups: readonly string[]): ToolDescription[] {
  return names.map((name, index) => ({
    name,
    description: `Does ${index}.`,
    group: groups.length === 0 ? undefined : groups[index % groups.length],
  })) as ToolDescription[];
}

const manyGroups = Array.from({ length: 70 }, (_, index) => `group-${index}`);
const catalogs: readonly (readonly [string, readonly ToolDescription[]])[] = [
  ["no group", catalogOf(hostileNames, [])],
  ["one group", catalogOf(hostileNames, ["github"])],
  ["hostile groups", catalogOf(hostileNames, ["__proto__", 'g"1', "查", "x".repeat(128)])],
  ["more groups than the schema lists", catalogOf(manyGroups, manyGroups)],
  ["nothing hidden", []],
];

function compile(catalog: readonly ToolDescription[]): (input: unknown) => boolean {
  const ajv = new Ajv2020({ strict: true, allErrors: false });
  return ajv.compile(findToolsSchema(catalog));
}

const text = fc.oneof(
  fc.constantFrom("", " ", "\t\n", "issue", "x".repeat(1000), "x".repeat(1001), "👩".repeat(256)),
  fc.constantFrom("👩".repeat(257), "👩".repeat(1000), "👩".repeat(1001), ...hostileNames),
  fc.string({ unit: "binary", maxLength: 12 }),
);

const groupOf = (catalog: readonly ToolDescription[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom(...catalog.map(({ group }) => group ?? "none"), "none"), text);

function requests(catalog: readonly ToolDescription[]): fc.Arbitrary<Record<string, unknown>> {
  const names = fc.oneof(fc.constantFrom(...catalog.map(({ name }) => name), "nobody"), text);
  return fc.record(
    {
      query: text,
      names: fc.array(names, { maxLength: 22 }),
      group: groupOf(catalog),
      limit: fc.oneof(fc.integer({ min: -1, max: 22 }), fc.double()),
    },
    { requiredKeys: [] },
  );
}

/** Structural mutations: another type somewhere, a field more, a field renamed, the whole thing replaced. */
function mutations(request: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(null, [], {}, [null], ["a", 1], [[]], true, "5", 1.5, 1e21),
  );
  const key = fc.constantFrom("query", "names", "group", "limit", "Query", "__proto__", "name", "");
  const changed = fc.tuple(request, key, junk).map(([base, field, value]) => {
    const entries = [...Object.entries(base).filter(([name]) => name !== field), [field, value]];
    return JSON.parse(
      `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item) ?? "null"}`).join(",")}}`,
    ) as unknown;
  });
  return fc.oneof({ weight: 4, arbitrary: changed }, { weight: 1, arbitrary: junk });
}

/** True unless all errors are checks that no schema can make. */
function isValidBySchema(catalog: readonly ToolDescription[], input: unknown): boolean {
  const parsed = parseFindToolsRequest(catalog, input);
  return parsed.ok || parsed.errors.every(({ extraCheck }) => extraCheck !== undefined);
}

describe.each(catalogs)("schema and parser of a catalog with %s", (_title, catalog) => {
  const validate = compile(catalog);
  const agree = (input: unknown): void => {
    // An empty request fails the schema too; the parser words it as the check that it also is.
    const isEmpty =
      typeof input === "object" && input !== null && !Array.isArray(input)
        ? Object.keys(input).length === 0
        : false;
    expect(isValidBySchema(catalog, input) && !isEmpty).toBe(validate(input));
  };

  it("give the same verdict as Ajv on generated requests", () => {
    fc.assert(fc.property(requests(catalog), agree), { numRuns: 1000 });
  });

  it("give the same verdict as Ajv on structural mutations", () => {
    fc.assert(fc.property(mutations(requests(catalog)), agree), { numRuns: 1000 });
  });

  it("never throw and always say a path and a message", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (input) => {
        const parsed = parseFindToolsRequest(catalog, input);
        if (parsed.ok) return;
        expect(parsed.errors.length).toBeGreaterThan(0);
        for (const { message } of parsed.errors) expect(message).toMatch(/\S/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe("findToolsSchema", () => {
  it("lists the live groups, sorted, each once", () => {
    expect(findToolsSchema(catalogOf(["a", "b", "c"], ["zeta", "alpha"]))).toMatchObject({
      properties: { group: { enum: ["alpha", "zeta"] } },
      additionalProperties: false,
    });
  });

  it("makes the only group a constant, and has no group where there is none", () => {
    expect(findToolsSchema(catalogOf(["a"], ["only"]))).toMatchObject({
      properties: { group: { const: "only" } },
    });
    expect(findToolsSchema(catalogOf(["a"], [])).properties).not.toHaveProperty("group");
  });

  it("keeps combinations out of its top, which providers refuse", () => {
    const keys = Object.keys(findToolsSchema(catalogOf(["a"], ["g"])));
    expect(keys.filter((key) => ["anyOf", "oneOf", "allOf", "not", "enum"].includes(key))).toEqual(
      [],
    );
  });

  it("grows with its groups, not with its tools", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `tool_${index}`);
    expect(JSON.stringify(findToolsSchema(catalogOf(names, ["g"]))).length).toBeLessThan(1200);
  });
});
