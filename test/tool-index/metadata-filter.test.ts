import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { metadataFilter as f, InvalidOptionsError } from "toolsieve";
import type { MetadataFilter } from "toolsieve";
import { matchesFilter } from "../../src/tool-index/metadata-filter.js";

const metadata = { team: "money", tags: ["a", "b"], level: 2, none: null };

describe("metadataFilter", () => {
  it.each<[string, MetadataFilter, boolean]>([
    ["an equal value", f.eq("team", "money"), true],
    ["another value", f.eq("team", "sky"), false],
    ["another type", f.eq("level", "2"), false],
    ["null", f.eq("none", null), true],
    ["an absent key", f.eq("absent", null), false],
    ["an entry of a list", f.eq("tags", "b"), true],
    ["one of several values", f.in("level", [1, 2]), true],
    ["none of several values", f.in("level", []), false],
    ["an inherited property", f.eq("constructor", Object), false],
    ["all of several", f.and(f.eq("team", "money"), f.eq("level", 2)), true],
    ["all of none", f.and(), true],
    ["one of several", f.or(f.eq("team", "sky"), f.eq("level", 2)), true],
    ["one of none", f.or(), false],
    ["the opposite", f.not(f.eq("team", "sky")), true],
  ])("meets %s", (_, filter, expected) => {
    expect(matchesFilter(metadata, filter)).toBe(expected);
    expect(matchesFilter(metadata, JSON.parse(JSON.stringify(filter)) as MetadataFilter)).toBe(
      expected,
    );
  });

  it("meets nothing where there is no metadata", () => {
    expect(matchesFilter(undefined, f.eq("team", "money"))).toBe(false);
  });

  it("refuses what is no filter", () => {
    expect(() => f.not({} as never)).toThrow(InvalidOptionsError);
    expect(() => f.and(f.or({ op: "like" } as never))).toThrow(InvalidOptionsError);
    expect(() => f.eq(3 as never, 3)).toThrow(InvalidOptionsError);
  });

  it("refuses a filter that is nested without end", () => {
    const filter: Record<string, unknown> = { op: "not" };
    filter["filter"] = filter;
    expect(() => f.not(filter as never)).toThrow(InvalidOptionsError);
  });

  it("keeps De Morgan's laws", () => {
    const leaf = fc.record({
      key: fc.constantFrom("team", "level"),
      value: fc.constantFrom("money", 2),
    });
    fc.assert(
      fc.property(fc.array(leaf), (leaves) => {
        const filters = leaves.map(({ key, value }) => f.eq(key, value));
        const negated = filters.map((one) => f.not(one));
        expect(matchesFilter(metadata, f.not(f.and(...filters)))).toBe(
          matchesFilter(metadata, f.or(...negated)),
        );
      }),
    );
  });
});
