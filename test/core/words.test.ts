import { describe, expect, it, vi } from "vitest";
import { splitWords, stem } from "../../src/core/words.js";

describe("splitWords", () => {
  it.each([
    ["getHTTPResponse2", ["get", "http", "response", "2"]],
    ["user_id", ["user", "id"]],
    ["math.sum", ["math", "sum"]],
    ["XMLParser", ["xml", "parser"]],
    ["Send it to Bob's mail, please!", ["send", "it", "to", "bob", "s", "mail", "please"]],
    ["prix à Paris", ["prix", "à", "paris"]],
    ["ＡＰＩ キー", ["api", "キー"]],
    ["", []],
  ])("ends a word at case, punctuation and digits: %s", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });
});

describe("splitWords, in scripts without spaces", () => {
  it.each([
    ["Chinese", "查询订单状态", ["查询", "订单", "状态"]],
    ["Chinese in a name", "get天气预报v2", ["get", "天气", "预报", "v", "2"]],
    ["Japanese", "天気を調べる", ["天気", "調べる"]],
    ["Thai", "ค้นหาเอกสาร", ["ค้นหา", "เอกสาร"]],
  ])("finds the words of %s", (_, text, words) => {
    expect(splitWords(text)).toEqual(expect.arrayContaining(words));
  });

  it("keeps a run whole on a host without a segmenter", async () => {
    vi.resetModules();
    vi.stubGlobal("Intl", {});
    const { splitWords } = await import("../../src/core/words.js");
    expect(splitWords("查询订单状态 now")).toEqual(["查询订单状态", "now"]);
    vi.unstubAllGlobals();
  });
});

describe("stem", () => {
  it.each([
    ["calculate", "calculator"],
    ["calculation", "calculations"],
    ["locate", "location"],
    ["schedule", "scheduling"],
    ["city", "cities"],
    ["search", "searches"],
    ["adjust", "adjustment"],
    ["run", "running"],
    ["delete", "deletion"],
  ])("gives %s and %s one stem", (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it.each([
    ["bus", "bus"],
    ["class", "class"],
    ["analysis", "analysis"],
  ])("takes no plural where there is none: %s", (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it("leaves words under four letters alone", () => {
    expect(["is", "gas", "red", "a"].map(stem)).toEqual(["is", "gas", "red", "a"]);
  });
});
