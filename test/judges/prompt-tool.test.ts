import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeLimitsSchema } from "../../src/core/limits.js";
import { toPromptTool } from "../../src/judges/prompt-tool.js";

describe("toPromptTool", () => {
  it("caps name, description and schema, and strips what is invisible", () => {
    const limits = judgeLimitsSchema.parse({ descriptionChars: 5, schemaChars: 6 });
    const tool = {
      name: `n\u200B${"x".repeat(300)}`,
      description: "d\u200Bescription",
      parameters: { type: "object" },
    };
    expect(toPromptTool(tool, limits)).toEqual({
      name: `n${"x".repeat(255)}`,
      description: "descr",
      parameters: '{"type',
    });
  });

  it("leaves out a schema that cannot be read", () => {
    const parameters = {
      get type(): never {
        throw new Error("no");
      },
    };
    const limits = judgeLimitsSchema.parse({});
    expect(toPromptTool({ name: "a", parameters }, limits)).toStrictEqual({
      name: "a",
      description: "",
    });
  });

  const limits = judgeLimitsSchema.parse({});
  /** The JSON of a schema as a prompt shows it; text where it was cut. */
  const show = (parameters: Record<string, unknown>, schemaChars = 4000): string =>
    toPromptTool({ name: "a", parameters }, { ...limits, schemaChars }).parameters ?? "";

  it("shows a schema with references as it is", () => {
    const child = { $ref: "#/$defs/node" };
    const schema = { $defs: { node: { properties: { child } } }, $ref: "#/$defs/node" };
    expect(JSON.parse(show(schema))).toEqual(schema);
  });

  it("shows a schema that contains itself once", () => {
    const node: Record<string, unknown> = { type: "object" };
    node["properties"] = { city: { type: "string" }, child: node };
    const text = show(node);
    expect(text).toContain('"city"');
    expect(text).toContain('"child"');
    expect(text.length).toBeLessThan(200);
  });

  it("names the properties behind the cut: references, 30 levels, a billion paths", () => {
    const described = (description: string) => ({ type: "string", description });
    const long = "word ".repeat(1000);
    let deep: Record<string, unknown> = { properties: { leaf: {} } };
    let wide: Record<string, unknown> = { properties: { leaf: {} } };
    for (let level = 0; level < 30; level += 1) {
      deep = { properties: { [`level_${level}`]: { ...deep, description: long } } };
      wide = { properties: { a: wide, b: wide } };
    }
    const referring = {
      $defs: { address: { properties: { street: described(long), city: {} } } },
      properties: { to: { $ref: "#/$defs/address" }, from: {} },
    };
    expect(show(referring)).toMatch(/… properties: "to" "from" "city"$/);
    expect(show(deep)).toContain('"level_0"');
    expect(show({ properties: { ...(wide["properties"] as object), last: {} } })).toContain(
      '"last"',
    );
    for (const text of [show(referring), show(deep), show(wide)]) expect(text).toHaveLength(4000);
  });

  it("keeps within its limit, well-formed, whatever the schema", () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.string({ unit: "binary" }) }),
        fc.integer({ min: 1, max: 80 }),
        (schema, max) => {
          const text = show(schema, max);
          expect(text.length).toBeLessThanOrEqual(max);
          expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
