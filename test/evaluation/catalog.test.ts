import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildCaseCatalog,
  isNearDuplicate,
  parseCatalog,
  type Catalog,
} from "../../src/evaluation/catalog.js";
import type { LabelledCase } from "../../src/evaluation/cases.js";

const labelled = (changes: Partial<LabelledCase> = {}): LabelledCase => ({
  id: "1",
  unit: "1",
  set: "",
  labels: "applicable",
  messages: [{ role: "user", text: "x" }],
  candidates: null,
  needed: ["tool_1"],
  ...changes,
});
const catalogOf = (count: number): Catalog =>
  new Map(
    Array.from({ length: count }, (_, index) => [
      `tool_${index}`,
      { name: `tool_${index}`, description: `Does thing ${index}` },
    ]),
  );
const names = (built: ReturnType<typeof buildCaseCatalog>): readonly string[] =>
  built?.tools.map(({ name }) => name) ?? [];

describe("parseCatalog", () => {
  it("looks up by id and presents the name", () => {
    const text = '{"id":"find#2","name":"find","parameters":{"type":"object"}}\n{"name":"ls"}';
    expect([...parseCatalog(text)]).toEqual([
      ["find#2", { name: "find", parameters: { type: "object" } }],
      ["ls", { name: "ls" }],
    ]);
  });

  it("names the line of a tool without a name", () => {
    expect(() => parseCatalog('{"name":"a"}\n{"id":"b"}')).toThrow(
      "Line 2: field `name` missing or wrong.",
    );
  });
});

describe("buildCaseCatalog", () => {
  it("pads to the size with distinct tools, marks the needed ones, and hides their place", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), fc.string(), (size, id) => {
        const built = buildCaseCatalog(
          labelled({ id, needed: ["tool_1", "tool_5"] }),
          catalogOf(100),
          {
            size,
            seed: 1,
          },
        );
        expect(new Set(names(built)).size).toBe(size);
        const needed = names(built).filter((_, index) => built?.needed?.[index]);
        expect(needed.toSorted()).toEqual(["tool_1", "tool_5"]);
      }),
    );
    const places = Array.from({ length: 20 }, (_, index) =>
      buildCaseCatalog(labelled({ id: String(index) }), catalogOf(100), {
        size: 64,
        seed: 1,
      })?.needed?.indexOf(true),
    );
    expect(new Set(places).size).toBeGreaterThan(5);
  });

  it("is fixed by seed and case id", () => {
    const build = (id: string, seed: number): readonly string[] =>
      names(buildCaseCatalog(labelled({ id }), catalogOf(100), { size: 10, seed }));
    expect(build("1", 1)).toEqual(build("1", 1));
    expect(build("1", 1)).not.toEqual(build("1", 2));
    expect(build("1", 1)).not.toEqual(build("2", 1));
  });

  it("keeps the case's own candidates when it pads", () => {
    const built = buildCaseCatalog(labelled({ candidates: ["tool_1", "tool_7"] }), catalogOf(50), {
      size: 8,
      seed: 1,
    });
    expect(names(built)).toHaveLength(8);
    expect(names(built)).toEqual(expect.arrayContaining(["tool_1", "tool_7"]));
  });

  it.each([
    {
      title: "no tool applies: a distractor might",
      changes: { needed: [], candidates: ["tool_2"] },
    },
    {
      title: "a conversation that names its candidates",
      changes: { labels: "called" as const, candidates: ["tool_1"] },
    },
    { title: "it is not known what is needed", changes: { needed: null, candidates: ["tool_2"] } },
  ])("adds nothing where $title", ({ changes }) => {
    const built = buildCaseCatalog(labelled(changes), catalogOf(50), { size: 8, seed: 1 });
    expect(names(built)).toEqual(changes.candidates);
  });

  it("takes no distractor that could stand in for a needed tool, nor one of a name already there", () => {
    const catalog: Catalog = new Map([
      ["get_weather", { name: "get_weather", description: "Current weather of a city" }],
      ["getWeather#1", { name: "getWeather", description: "Other words entirely" }],
      ["forecast", { name: "forecast", description: "Current weather of a city." }],
      ["mail", { name: "mail", description: "Sends a letter" }],
      ["mail#1", { name: "mail", description: "Reads the inbox" }],
    ]);
    const built = buildCaseCatalog(labelled({ needed: ["get_weather"] }), catalog, {
      size: 5,
      seed: 1,
    });
    expect(names(built).toSorted()).toEqual(["get_weather", "mail"]);
  });

  it.each([
    { title: "no candidates", changes: { candidates: [], needed: [] } },
    { title: "a needed tool that is not on offer", changes: { candidates: ["tool_2"] } },
  ])("has nothing to measure with $title", ({ changes }) => {
    expect(buildCaseCatalog(labelled(changes), catalogOf(9), { size: 8, seed: 1 })).toBeNull();
  });

  it("names the case and the tool that the catalog lacks", () => {
    expect(() =>
      buildCaseCatalog(labelled({ needed: ["gone"] }), catalogOf(3), { size: 8, seed: 1 }),
    ).toThrow('Case "1" names the tool "gone", which the catalog does not hold.');
  });

  it("judges the whole catalog where the case names none and no size is set", () => {
    expect(
      names(buildCaseCatalog(labelled(), catalogOf(70), { size: null, seed: 1 })),
    ).toHaveLength(70);
  });
});

it.each([
  ["names but for case and punctuation", { name: "a.b_c" }, { name: "ABC" }, true],
  [
    "nearly all words",
    { name: "a", description: "Books a table at a restaurant" },
    { name: "b", description: "books a table, at a Restaurant!" },
    true,
  ],
  [
    "some words",
    { name: "a", description: "Books a table" },
    { name: "b", description: "Books a flight" },
    false,
  ],
  [
    "four words of five",
    { name: "a", description: "a b c d" },
    { name: "b", description: "a b c d e" },
    true,
  ],
  [
    "three words of four",
    { name: "a", description: "a b c" },
    { name: "b", description: "a b c d" },
    false,
  ],
  ["no description at all", { name: "a" }, { name: "b" }, false],
] as const)("near duplicates: %s", (_, a, b, expected) => {
  expect(isNearDuplicate(a, b)).toBe(expected);
});
