import { describe, expect, it } from "vitest";
import { mergeNeeds } from "../../../training/corpus/merge-needs.js";

describe("mergeNeeds", () => {
  it("unites the equivalents of needs that share a tool, in any order", () => {
    const merged = mergeNeeds("multi", [["a"], ["b", "c"]], [["c", "d"], ["a"]]);
    expect(merged).toEqual([["a"], ["b", "c", "d"]]);
  });

  it("agrees on a request that no tool serves", () => {
    expect(mergeNeeds("none", [], [])).toEqual([]);
  });

  it("finds the one way to pair needs that overlap", () => {
    const merged = mergeNeeds("multi", [["a", "b"], ["a"]], [["a"], ["b"]]);
    expect(merged).toEqual([["a", "b"], ["a"]]);
  });

  it.each([
    ["no shared tool", "direct", [["a"]], [["b"]]],
    ["one tool for two needs", "multi", [["a"], ["a"]], [["a"], ["b"]]],
    ["another number of needs", "multi", [["a"], ["b"]], [["a"]]],
    ["a need against none", "none", [], [["a"]]],
    ["a lookup against nothing", "prerequisite", [], [["a"]]],
    ["a foreign need beside lookups", "prerequisite", [["c"]], [["a"], ["b"]]],
  ] as const)("disagrees on %s", (_, kind, written, checked) => {
    expect(mergeNeeds(kind, written, checked)).toBeUndefined();
  });

  it.each(["prerequisite", "inner-step"] as const)(
    "keeps what both found if one reader of a %s counts more lookups",
    (kind) => {
      expect(mergeNeeds(kind, [["find"], ["send"]], [["send", "post"]])).toEqual([
        ["send", "post"],
      ]);
      expect(mergeNeeds(kind, [["send"]], [["find"], ["send"]])).toEqual([["send"]]);
    },
  );
});
