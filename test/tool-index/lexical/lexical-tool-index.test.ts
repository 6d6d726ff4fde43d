import { describe, expect, it } from "vitest";
import {
  createLexicalToolIndex,
  InvalidOptionsError,
  isToolIndex,
  metadataFilter,
} from "toolsieve";
import type { ToolDescription } from "toolsieve";
import { describeToolIndexContract } from "toolsieve/testing";

describeToolIndexContract("the lexical index", {
  createIndex: createLexicalToolIndex,
  runner: { describe, it },
});

const catalog: readonly ToolDescription[] = [
  { name: "mcp__github__create_issue", description: "Opens a new issue in a repository." },
  { name: "getCurrentWeather", description: "Tells the weather of a city.", group: "weather" },
  { name: "create_calendar_event", description: "Adds an event to the calendar." },
  { name: "refund", description: "Gives money back for an order." },
  { name: "sendmail", description: "Sends a message to an address." },
  { name: "查询订单", description: "查询订单的状态" },
  { name: "天気を調べる", description: "都市の天気予報を調べます" },
  { name: "날씨", description: "도시의 날씨를 알려준다" },
  { name: "the", description: "a the of" },
  {
    name: "set_thermostat",
    description: "Sets a device.",
    parameters: {
      properties: { unit: { enum: ["fahrenheit"] }, room: { description: "Which bedroom." } },
    },
  },
  {
    name: "walk_tree",
    description: "Walks.",
    parameters: {
      $defs: { node: { properties: { offspring: { $ref: "#/$defs/node" } } } },
      $ref: "#/$defs/node",
    },
  },
];

async function search(query: string, tools = catalog, request = {}) {
  const index = createLexicalToolIndex();
  await index.indexTools("s", tools);
  return index.search({ sessionId: "s", query, ...request });
}

describe("createLexicalToolIndex", () => {
  it.each([
    ["the whole name", "mcp__github__create_issue", "mcp__github__create_issue"],
    ["the whole name in another case", "MCP__GITHUB__CREATE_ISSUE", "mcp__github__create_issue"],
    ["the part behind the namespace", "create_issue", "mcp__github__create_issue"],
    [
      "a name within a sentence",
      "please call `create_issue` for this order",
      "mcp__github__create_issue",
    ],
    ["the words of a camel-case name", "current weather", "getCurrentWeather"],
    ["a part of a name in one word", "mail", "sendmail"],
    ["a misspelt name", "refunnd", "refund"],
    ["another ending", "creating events in calendars", "create_calendar_event"],
    ["a synonym", "forecast for Paris", "getCurrentWeather"],
    ["the last of several clauses", "Hello there. My order came broken, then refund it", "refund"],
    ["a value of a parameter", "in Fahrenheit", "set_thermostat"],
    ["a description of a parameter", "the bedroom", "set_thermostat"],
    ["a property behind a reference with a cycle", "offspring", "walk_tree"],
    ["Chinese", "我的订单在哪里？", "查询订单"],
    ["Japanese", "明日の天気は？", "天気を調べる"],
    ["Korean", "오늘 날씨는 어때", "날씨"],
    ["an accent", "créate an évent", "create_calendar_event"],
  ])("finds a tool by %s", async (_, query, name) => {
    const { matches } = await search(query);
    expect(matches[0]?.name).toBe(name);
  });

  it("scores 1 for the name itself, above 0.9 for a name that is mentioned, less for words", async () => {
    const best = async (query: string) => (await search(query)).matches[0]?.score ?? 0;
    await expect(best("getcurrentweather")).resolves.toBe(1);
    const mentioned = await best("use getCurrentWeather now");
    expect(mentioned).toBeGreaterThan(0.9);
    expect(mentioned).toBeLessThanOrEqual(1);
    await expect(best("weather of a city")).resolves.toBeLessThan(0.9);
  });

  it("takes a plain word for a word, not for a name", async () => {
    const { matches } = await search("create_issue about a refund");
    expect(matches[0]?.name).toBe("mcp__github__create_issue");
  });

  it.each([["the of a"], ["what is it that you do?"], [""], ["?!"]])(
    "says that %j holds stop words only",
    async (query) => {
      await expect(search(query)).resolves.toEqual({
        matches: [],
        total: 0,
        note: "stop-words-only",
      });
    },
  );

  it("finds a tool whose name is a stop word", async () => {
    const { matches } = await search("the");
    expect(matches.map(({ name }) => name)).toEqual(["the"]);
  });

  it("finds nothing, without a note, where no word fits", async () => {
    await expect(search("zzyzx")).resolves.toEqual({ matches: [], total: 0 });
  });

  it("says when a filter or a group leaves no tool", async () => {
    const note = "filter-matches-nothing";
    await expect(search("weather", catalog, { group: "none" })).resolves.toMatchObject({ note });
    const filter = metadataFilter.eq("team", "none");
    await expect(search("weather", catalog, { filter })).resolves.toMatchObject({ note });
  });

  it("gives topK matches where the search does not say how many", async () => {
    const index = createLexicalToolIndex({ topK: 2 });
    await index.indexTools(
      "s",
      Array.from({ length: 9 }, (_, at) => ({ name: `weather_${at}` })),
    );
    const one = await index.search({ sessionId: "s", query: "weather" });
    expect([one.matches.length, one.total]).toEqual([2, 9]);
    const more = await index.search({ sessionId: "s", query: "weather", maxResults: 5 });
    expect(more.matches).toHaveLength(5);
  });

  it("leaves out matches under minScore", async () => {
    const query = "weather of a city, and the calendar";
    const index = createLexicalToolIndex({ minScore: 0.3 });
    await index.indexTools("s", catalog);
    const { matches, total } = await index.search({ sessionId: "s", query });
    expect(matches.every(({ score }) => score >= 0.3)).toBe(true);
    expect(total).toBe(matches.length);
    expect(total).toBeLessThan((await search(query)).total);
  });

  it("keeps ties in catalog order", async () => {
    const tools = ["b", "a", "c"].map((name) => ({ name, description: "Tells the weather." }));
    const { matches } = await search("weather", tools);
    expect(matches.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  });

  it("is not moved by a change of the caller's object", async () => {
    const tool = { name: "get_weather", description: "Tells the weather." };
    const index = createLexicalToolIndex();
    await index.indexTools("s", [tool]);
    tool.name = "other";
    const { matches } = await index.search({ sessionId: "s", query: "weather" });
    expect(matches[0]?.name).toBe("get_weather");
  });

  it.each([
    [{ topK: 0 }],
    [{ topK: 1.5 }],
    [{ minScore: 2 }],
    [{ minScore: Number.NaN }],
    [{ unknown: 1 }],
  ])("refuses the options %j", (options) => {
    expect(() => createLexicalToolIndex(options as object)).toThrow(InvalidOptionsError);
  });
});

describe("isToolIndex", () => {
  it.each([
    [createLexicalToolIndex(), true],
    [{ ...createLexicalToolIndex() }, true],
    [{ kind: "tool-index" }, false],
    [null, false],
    ["tool-index", false],
  ])("tells an index from %o", (value, expected) => {
    expect(isToolIndex(value)).toBe(expected);
  });
});

describe("the lexical index in a busy process", () => {
  it("gives way to other work while it reads and sorts thousands of tools", async () => {
    const words = Array.from({ length: 2000 }, (_, at) => `word${(at * 7919) % 2000}`);
    const tools = Array.from({ length: 3000 }, (_, at) => ({
      name: `tool_${at}`,
      description: words.slice(at % 1900, (at % 1900) + 40).join(" "),
    }));
    let turns = 0;
    let isDone = false;
    const takeTurns = (): void => {
      turns += 1;
      if (!isDone) setImmediate(takeTurns);
    };
    takeTurns();
    const index = createLexicalToolIndex();
    await index.indexTools("s", tools);
    await index.search({ sessionId: "s", query: "word7" });
    isDone = true;
    // In one piece, other work gets a turn or two.
    expect(turns).toBeGreaterThan(10);
  });

  it("stops indexing when the signal aborts, and keeps what was there", async () => {
    const tools = Array.from({ length: 3000 }, (_, at) => ({
      name: `tool_${at}`,
      description: `number ${at} of many tools that take a while to read `.repeat(20),
    }));
    const index = createLexicalToolIndex();
    await index.indexTools("s", [{ name: "get_weather" }]);
    const controller = new AbortController();
    const indexing = index.indexTools("s", tools, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(indexing).rejects.toThrow("enough");
    await expect(index.inspect?.("s")).resolves.toMatchObject({ total: 1 });
  });
});
