import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../../../src/core/types.js";
import { parseFindToolsRequest } from "../../../src/tool-index/find-tools/parse-find-tools-request.js";

const catalog: readonly ToolDescription[] = [
  { name: "github__create_issue", description: "Opens an issue.", group: "github" },
  { name: "search_files", description: "Searches files.", group: "files" },
  { name: "readFile", description: "Reads a file.", group: "files" },
  { name: "__proto__", description: "Odd.", group: "files" },
  { name: "x".repeat(128), description: "Long.", group: "files" },
  { name: "查天气", description: "Weather.", group: "files" },
  { name: 'say "hi"', description: "Quotes.", group: "files" },
];

describe("parseFindToolsRequest", () => {
  it.each([
    ["exact", "search_files", ["search_files"]],
    ["another case", "SEARCH_FILES", ["search_files"]],
    ["another spelling", "searchFiles", ["search_files"]],
    ["another spelling of camel case", "read-file", ["readFile"]],
    ["without its prefix", "create_issue", ["github__create_issue"]],
    ["with a foreign prefix", "functions.search_files", ["search_files"]],
    ["a member of Object.prototype", "__proto__", ["__proto__"]],
    ["128 characters", "x".repeat(128), ["x".repeat(128)]],
    ["another script", "查天气", ["查天气"]],
    ["quotes", 'say "hi"', ['say "hi"']],
  ])("finds a name: %s", (_title, name, found) => {
    expect(parseFindToolsRequest(catalog, { names: [name] })).toMatchObject({ ok: true, found });
  });

  it("does not find a name inside a word", () => {
    expect(parseFindToolsRequest(catalog, { names: ["issue"], query: "q" })).toMatchObject({
      ok: true,
      found: ["github__create_issue"],
    });
    expect(parseFindToolsRequest(catalog, { names: ["sue"], query: "q" })).toMatchObject({
      ok: true,
      found: [],
      missed: [{ name: "sue" }],
    });
  });

  it("names partial misses one by one, with the nearest names", () => {
    expect(
      parseFindToolsRequest(catalog, { names: ["search_files", "serch_flies", "zzz"] }),
    ).toMatchObject({
      ok: true,
      found: ["search_files"],
      missed: [
        { name: "serch_flies", nearest: ["search_files"] },
        { name: "zzz", nearest: [] },
      ],
    });
  });

  it("does not call a visible tool missing", () => {
    expect(
      parseFindToolsRequest(catalog, { names: ["Refund"] }, { visible: ["refund"] }),
    ).toMatchObject({ ok: true, found: [], missed: [] });
  });

  it.each([
    [
      { names: ["serch_files"] },
      "names[0]",
      'No tool is called "serch_files". The nearest: "search_files", "readFile".',
    ],
    [
      { query: "x", group: "gihub" },
      "group",
      'No group is called "gihub". The nearest is "github".',
    ],
    [{ name: ["x"] }, "name", 'No such field. The nearest is "names".'],
    [{ query: 5 }, "query", "Expected text of 1 to 1000 characters, got 5."],
    [{ query: "  " }, "query", "Expected words, got blanks only."],
    [{ names: ["a", 7] }, "names[1]", "Expected text of 1 to 256 characters, got 7."],
    [{ names: [] }, "names", "Expected a list of 1 to 20 names, got 0."],
    [{ query: "x", limit: 21 }, "limit", "Expected an integer from 1 to 20, got 21."],
    [{ limit: 3 }, "", "Expected `query`, `names` or `group`."],
    [[], "", "Expected an object, got []."],
    [null, "", "Expected an object, got null."],
  ])("refuses %j with the path and what would be right", (input, path, message) => {
    const parsed = parseFindToolsRequest(catalog, input);
    expect(parsed.ok ? [] : parsed.errors).toEqual([expect.objectContaining({ path, message })]);
  });

  it("takes the limit of the request, else the one given, else 5", () => {
    const limits = [
      parseFindToolsRequest(catalog, { query: "x", limit: 20 }, { limit: 9 }),
      parseFindToolsRequest(catalog, { query: "x" }, { limit: 9 }),
      parseFindToolsRequest(catalog, { query: "x" }),
    ].map((parsed) => (parsed.ok ? parsed.request.limit : null));
    expect(limits).toEqual([20, 9, 5]);
  });
});
