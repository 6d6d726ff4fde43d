import { describe, expect, it } from "vitest";
import { column, featureCount, type Feature } from "../../../src/judges/local/feature-names.js";
import { compareTools } from "../../../src/judges/local/standing.js";
import type { ToolProfile } from "../../../src/judges/local/tool-profile.js";

function profile(name: readonly number[], parameters: readonly number[] = []): ToolProfile {
  const none = new Int32Array();
  return {
    name: Int32Array.from(name),
    lead: none,
    parameters: Int32Array.from(parameters),
    words: none,
    counts: new Float32Array(),
    length: 1,
    vector: new Float32Array(2),
    nameVector: new Float32Array(2),
    hints: [],
    pairs: none,
    trigrams: none,
    known: 8,
  };
}

/** Compares tools of which some features are given, and returns a reader of the result. */
function compare(
  tools: readonly ToolProfile[],
  values: readonly Partial<Record<Feature, number>>[],
): (tool: number, feature: Feature) => number {
  const rows = new Float32Array(tools.length * featureCount);
  values.forEach((given, tool) => {
    for (const [feature, value] of Object.entries(given)) {
      rows[tool * featureCount + column[feature as Feature]] = value;
    }
  });
  for (const _ of compareTools(rows, tools));
  return (tool, feature) => rows[tool * featureCount + column[feature]] ?? Number.NaN;
}

describe("compareTools", () => {
  const plain = [profile([1]), profile([2]), profile([3])];

  it("measures every tool against the best", () => {
    const read = compare(plain, [{ bm25: 5 }, { bm25: 3 }, { bm25: 1 }]);
    expect([0, 1, 2].map((tool) => read(tool, "bm25Margin"))).toEqual([0, -2, -4]);
    expect(read(0, "bm25Standing")).toBeGreaterThan(read(1, "bm25Standing"));
    expect(read(0, "consensusRank")).toBe(0);
  });

  it("measures nobody against a tool that echoes the request", () => {
    const honest = [{ bm25: 5 }, { bm25: 3 }];
    const alone = compare(plain.slice(0, 2), honest);
    const beside = compare(plain, [...honest, { bm25: 50, echoCount: 4 }]);
    for (const feature of [
      "bm25Margin",
      "bm25Standing",
      "consensusMargin",
      "consensusRank",
    ] as const) {
      expect([0, 1].map((tool) => beside(tool, feature))).toEqual(
        [0, 1].map((tool) => alone(tool, feature)),
      );
    }
  });

  it("compares echoes with one another where there is nothing else", () => {
    const read = compare(plain, [
      { bm25: 5, echoCount: 9 },
      { bm25: 3, echoCount: 9 },
      { bm25: 1, echoCount: 9 },
    ]);
    expect(read(1, "bm25Margin")).toBe(-2);
  });

  it("sees a tool that is named after what the best one asks for", () => {
    const [book, getUser, other] = [profile([1], [7]), profile([7]), profile([3])];
    const read = compare([book, getUser, other], [{ bm25: 9 }, { bm25: 1 }, { bm25: 1 }]);
    expect(read(1, "leaderNeeds")).toBe(1);
    expect(read(2, "leaderNeeds")).toBe(0);
  });
});
