import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listSchemaProperties } from "../../src/core/schema-properties.js";

const names = (schema: unknown): readonly string[] =>
  listSchemaProperties(schema).map(({ name }) => name);

function containingItself(): object {
  const schema: Record<string, unknown> = { type: "object" };
  schema["properties"] = { self: schema, other: { type: "string" } };
  return schema;
}

function nested(levels: number): object {
  return levels === 0
    ? { type: "string" }
    : { type: "object", properties: { [`level${levels}`]: nested(levels - 1) } };
}

describe("listSchemaProperties", () => {
  it("tells names, descriptions and values", () => {
    const schema = {
      properties: {
        unit: { description: "Of the answer.", enum: ["celsius", "fahrenheit", 3, null] },
        tags: { type: "array", items: { enum: ["new"] } },
        kind: { const: "only" },
      },
    };
    expect(listSchemaProperties(schema)).toEqual([
      { name: "unit", description: "Of the answer.", values: ["celsius", "fahrenheit"] },
      { name: "tags", description: "", values: ["new"] },
      { name: "kind", description: "", values: ["only"] },
    ]);
  });

  it.each([
    [
      "a reference with a cycle",
      {
        $defs: { node: { properties: { child: { $ref: "#/$defs/node" } } } },
        $ref: "#/$defs/node",
      },
      ["child"],
    ],
    ["a reference to the root", { properties: { next: { $ref: "#" } } }, ["next"]],
    [
      "an escaped reference",
      { definitions: { "a/b c": { properties: { x: {} } } }, $ref: "#/definitions/a~1b%20c" },
      ["x"],
    ],
    ["a reference to itself", { $ref: "#" }, []],
    ["a reference elsewhere", { $ref: "https://example.com/schema" }, []],
    ["a reference to nothing", { $ref: "#/$defs/absent", $defs: {} }, []],
    ["alternatives", { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, ["a", "b"]],
    [
      "an array of objects",
      { properties: { rows: { items: { properties: { cell: {} } } } } },
      ["rows", "cell"],
    ],
    ["an object that contains itself", containingItself(), ["self", "other"]],
    [
      "names of Object.prototype",
      { properties: { constructor: {}, toString: { properties: { valueOf: {} } } } },
      ["constructor", "toString", "valueOf"],
    ],
  ])("reads %s", (_, schema, expected) => {
    expect(names(schema)).toEqual(expected);
  });

  it("lists the outer properties first, down to thirty levels", () => {
    expect(names(nested(30))).toEqual(Array.from({ length: 30 }, (_, at) => `level${30 - at}`));
  });

  it.each([[undefined], [null], ["text"], [[]], [{ properties: "none" }], [{ $ref: 3 }]])(
    "finds nothing in %j",
    (schema) => {
      expect(names(schema)).toEqual([]);
    },
  );

  it("counts what throws as absent", () => {
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
        ownKeys() {
          throw new Error("no");
        },
      },
    );
    expect(names(throwing)).toEqual([]);
    expect(names({ properties: throwing })).toEqual([]);
    expect(names({ properties: { good: throwing } })).toEqual(["good"]);
  });

  it("stays within its bounds, however the schema branches", () => {
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, {}])),
    };
    expect(names(wide)).toHaveLength(200);
    const node: Record<string, unknown> = {};
    node["properties"] = {
      a: { allOf: [node, { $ref: "#" }] },
      b: { anyOf: Array.from({ length: 5000 }, () => ({ $ref: "#" })) },
    };
    expect(names(node)).toEqual(["a", "b"]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        expect(Array.isArray(listSchemaProperties({ properties: value, items: value }))).toBe(true);
      }),
    );
  });
});
