import { describe, expect, it } from "vitest";
import { createHybridToolIndex, createLexicalToolIndex, InvalidOptionsError } from "toolsieve";
import type { ToolIndex, ToolSearchResult } from "toolsieve";
import { describeToolIndexContract } from "toolsieve/testing";

describeToolIndexContract("a hybrid of two lexical indexes", {
  createIndex: () => createHybridToolIndex(createLexicalToolIndex(), createLexicalToolIndex()),
  runner: { describe, it },
});

/** An index with a fixed answer. */
function answering(result: ToolSearchResult | Error): ToolIndex {
  return {
    kind: "tool-index",
    indexTools: async () => undefined,
    indexTool: async () => undefined,
    clear: async () => undefined,
    search: async ({ maxResults }) => {
      if (result instanceof Error) throw result;
      return { ...result, matches: result.matches.slice(0, maxResults) };
    },
  };
}

const ranked = (...names: readonly string[]): ToolSearchResult => ({
  matches: names.map((name, at) => ({ name, score: 1 - at / 10 })),
  total: names.length,
});

async function search(first: ToolIndex, second: ToolIndex, maxResults?: number) {
  const index = createHybridToolIndex(first, second);
  return index.search({ sessionId: "s", query: "q", maxResults });
}

describe("createHybridToolIndex", () => {
  it("puts first what both rank high, whatever their scores", async () => {
    const { matches, total } = await search(
      answering(ranked("a", "b", "c")),
      answering(ranked("d", "b", "e")),
    );
    expect(matches.map(({ name }) => name)).toEqual(["b", "a", "d", "c", "e"]);
    expect(total).toBe(5);
  });

  it("scores 1 for the first of both", async () => {
    const { matches } = await search(answering(ranked("a", "b")), answering(ranked("a", "c")));
    expect(matches[0]).toMatchObject({ name: "a", score: 1 });
    expect(matches[1]?.score).toBeLessThan(0.5);
  });

  it("tells what one of the two says about applicability, and a note where nothing is found", async () => {
    const judged = { ...ranked("a"), applicable: 0.9 };
    await expect(search(answering(ranked("a")), answering(judged))).resolves.toMatchObject({
      applicable: 0.9,
    });
    const none: ToolSearchResult = { matches: [], total: 0, note: "stop-words-only" };
    const found = await search(answering(none), answering(ranked("a")));
    expect("note" in found).toBe(false);
    await expect(search(answering(none), answering(ranked()))).resolves.toEqual(none);
  });

  it("asks both for enough to fuse, and answers as many as wanted", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `t${at}`);
    const { matches } = await search(
      answering(ranked(...names)),
      answering(ranked(...names.toReversed())),
      3,
    );
    expect(matches).toHaveLength(3);
  });

  it("rejects when one of the two fails", async () => {
    await expect(search(answering(ranked("a")), answering(new Error("down")))).rejects.toThrow(
      "down",
    );
  });

  it("refuses what is no pair of indexes", () => {
    const index = createLexicalToolIndex();
    expect(() => createHybridToolIndex(index, index)).toThrow(InvalidOptionsError);
    expect(() => createHybridToolIndex(index, {} as ToolIndex)).toThrow(InvalidOptionsError);
    expect(() => createHybridToolIndex(index, createLexicalToolIndex(), { depth: 0 })).toThrow(
      InvalidOptionsError,
    );
  });
});
