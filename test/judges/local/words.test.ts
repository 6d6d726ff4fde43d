import { describe, expect, it } from "vitest";
import { splitWords, stem } from "../../../src/judges/local/words.js";

describe("splitWords", () => {
  it.each([
    ["getHTTPResponse2", ["get", "http", "response", "2"]],
    ["user_id", ["user", "id"]],
    ["math.sum", ["math", "sum"]],
    ["XMLParser", ["xml", "parser"]],
    ["Send it to Bob's mail, please!", ["send", "it", "to", "bob", "s", "mail", "please"]],
    ["prix à Paris", ["prix", "à", "paris"]],
    ["", []],
  ])("ends a word at case, punctuation and digits: %s", (text, words) => {
    expect(splitWords(text)).toEqual(words);
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
