import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, toJson, writeJson } from "../../src/core/json.js";

/** An object with two ways down at each of 30 levels: a billion paths. */
function manyPaths(): object {
  let node: object = { leaf: true };
  for (let level = 0; level < 30; level += 1)
    node = { left: node, right: node, [`key${level}`]: 1 };
  return node;
}

function cyclic(): Record<string, unknown> {
  const value: Record<string, unknown> = { properties: { child: {} } };
  value["self"] = value;
  return value;
}

describe("toJson", () => {
  it.each([
    [{ b: 1, a: [true, null] }, '{"b":1,"a":[true,null]}'],
    ["half \ud83d", '"half \ufffd"'],
    [{ "\udc00key": 1 }, '{"\ufffdkey":1}'],
    ["a backslash and text: \\ud83d", '"a backslash and text: \\\\ud83d"'],
    [1n, '"1"'],
    [undefined, null],
    [() => 1, null],
  ])("writes %o as %j", (value, json) => {
    expect(toJson(value)).toBe(json);
  });

  it("says null for a getter that throws", () => {
    const value = {
      get a(): never {
        throw new Error("no");
      },
    };
    expect(toJson(value)).toBeNull();
  });

  it("names what contains itself, and keeps the rest", () => {
    expect(toJson(cyclic())).toBe('{"properties":{"child":{}},"self":"[Circular]"}');
  });

  it("finishes on a structure with a billion paths", () => {
    expect(toJson(manyPaths())?.length).toBeLessThan(2_000_000);
    expect(canonicalJson(manyPaths()).length).toBeLessThan(2_000_000);
  });
});

describe("writeJson", () => {
  it("says whether the text is the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = writeJson(value);
        expect(json?.isExact === false || json?.text === JSON.stringify(value)).toBe(true);
      }),
    );
  });

  it.each([[cyclic()], [manyPaths()], [{ a: "\ud83d" }], [{ a: 1n }]])(
    "is not exact where something was replaced or cut",
    (value) => {
      expect(writeJson(value)?.isExact).toBe(false);
    },
  );
});
