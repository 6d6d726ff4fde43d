import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLexicalToolIndex, createToolSessions, InvalidOptionsError } from "toolsieve";
import type { ToolIndex, ToolDescription } from "toolsieve";
import { createShortlist } from "../../src/tool-index/shortlist.js";

const catalog: readonly ToolDescription[] = Array.from({ length: 300 }, (_, at) => ({
  name: `tool_${at}`,
  description: at % 3 === 0 ? "Tells the weather." : "Moves a file.",
}));
const signal = new AbortController().signal;

function create(index: ToolIndex = createLexicalToolIndex(), options = {}) {
  return createShortlist({ sessions: createToolSessions({ index }), ...options });
}

const failing = (search: ToolIndex["search"]): ToolIndex => ({
  ...createLexicalToolIndex(),
  search,
});

describe("createShortlist", () => {
  it("keeps the best matches, at most size of them", async () => {
    const shortlist = create(undefined, { size: 20 });
    const request = { sessionId: "s", candidates: catalog, searchText: "weather", signal };
    const { isListed, reason } = await shortlist(request);
    expect(reason).toBe("shortlisted");
    expect(isListed).toHaveLength(300);
    expect(isListed.filter(Boolean)).toHaveLength(20);
    expect(isListed.every((is, at) => !is || at % 3 === 0)).toBe(true);
  });

  it("lists both of two tools with one name", async () => {
    const twice = [...catalog, { name: "tool_0", description: "Tells the weather." }];
    const { isListed } = await create(undefined, { size: 280 })({
      sessionId: "s",
      candidates: twice,
      searchText: "weather",
      signal,
    });
    expect([isListed[0], isListed[300]]).toEqual([true, true]);
  });

  it.each([
    ["small", "a small catalog", createLexicalToolIndex(), catalog.slice(0, 256), "weather"],
    ["no-search-text", "nothing to search with", createLexicalToolIndex(), catalog, null],
    ["no-match", "nothing found", createLexicalToolIndex(), catalog, "hello there"],
    [
      "error",
      "an index that fails",
      failing(() => Promise.reject(new Error("down"))),
      catalog,
      "weather",
    ],
    [
      "timeout",
      "an index that hangs",
      failing(() => new Promise(() => undefined)),
      catalog,
      "weather",
    ],
  ] as const)(
    "keeps everything, reason %s: %s",
    async (reason, _, index, candidates, searchText) => {
      const shortlist = create(index, { timeoutMs: 300 });
      const result = await shortlist({ sessionId: "s", candidates, searchText, signal });
      expect(result).toEqual({ isListed: candidates.map(() => true), reason });
    },
  );

  it("has the index ready for the next turn, even if the first could not wait for it", async () => {
    const inner = createLexicalToolIndex();
    let indexed = 0;
    const slow: ToolIndex = {
      ...inner,
      async indexTools(sessionId, tools, options) {
        await sleep(100, undefined, { signal: options?.signal });
        await inner.indexTools(sessionId, tools, options);
        indexed += 1;
      },
    };
    const shortlist = create(slow, { timeoutMs: 20 });
    const request = { sessionId: "s", candidates: catalog, searchText: "weather", signal };
    await expect(shortlist(request)).resolves.toMatchObject({ reason: "timeout" });
    await sleep(200);
    await expect(shortlist(request)).resolves.toMatchObject({ reason: "shortlisted" });
    expect(indexed).toBe(1);
  });

  it("rejects when the caller cancels", async () => {
    const controller = new AbortController();
    const shortlist = create(failing(() => new Promise(() => undefined)));
    const request = { sessionId: "s", candidates: catalog, searchText: "weather" };
    const pending = shortlist({ ...request, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
  });

  it.each([{ size: 0 }, { over: -1 }, { sessions: {} }, { other: 1 }])("refuses %j", (options) => {
    expect(() => create(undefined, options)).toThrow(InvalidOptionsError);
  });
});
