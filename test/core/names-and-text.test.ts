import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameMatcher } from "../../src/core/glob.js";
import { cleanText, cutText, stripInvisible } from "../../src/core/text.js";

describe("nameMatcher", () => {
  it.each([
    ["fs_*", "fs_read", true],
    ["fs_*", "fs_", true],
    ["fs_*", "xfs_read", false],
    ["*_read", "fs_read", true],
    ["*", "anything\nat all", true],
    ["a.b", "a.b", true],
    ["a.b", "axb", false],
    ["a.*", "axb", false],
    ["a?", "ab", false],
    ["[ab]*", "a", false],
    ["[ab]*", "[ab]c", true],
    ["a/b-*", "a/b-c", true],
    ["A", "a", false],
  ])("%j on %j is %s", (glob, name, expected) => {
    expect(nameMatcher([glob])(name)).toBe(expected);
  });

  it.each([
    ["*a*", "bab", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a**b", "ab", true],
    ["*ab*ab", "ab", false],
    ["*ab*ab", "xab-ab", true],
    ["a*b*c", "a-c-b", false],
    ["*", "", true],
  ])("with several parts: %j on %j is %s", (glob, name, expected) => {
    expect(nameMatcher([glob])(name)).toBe(expected);
  });

  it("agrees with a naive matcher", () => {
    const naive = (glob: string, name: string): boolean => {
      if (glob === "") return name === "";
      if (glob[0] !== "*") return glob[0] === name[0] && naive(glob.slice(1), name.slice(1));
      return naive(glob.slice(1), name) || (name !== "" && naive(glob, name.slice(1)));
    };
    const text = (alphabet: readonly string[]) =>
      fc.array(fc.constantFrom(...alphabet), { maxLength: 8 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text(["a", "b", "*"]), text(["a", "b"]), (glob, name) => {
        expect(nameMatcher([glob])(name)).toBe(naive(glob, name));
      }),
    );
  });

  it("takes no longer for many stars", () => {
    const start = performance.now();
    expect(nameMatcher([`${"*a".repeat(12)}*b`])("a".repeat(60))).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("matches every name by itself, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        expect(nameMatcher([name])(name)).toBe(true);
      }),
    );
  });
});

describe("cutText", () => {
  it("keeps the head, never half a surrogate pair", () => {
    expect(cutText("abc", 3)).toBe("abc");
    expect(cutText("abcd", 3)).toBe("abc");
    expect(cutText("ab😀", 3)).toBe("ab");
    expect(cutText("😀", 1)).toBe("");
  });
});

describe("stripInvisible", () => {
  it.each(["\u200B", "\u200D", "\u2060", "\uFEFF", "\u202E", "\u00AD", "\u{E0041}", "\u180E"])(
    "removes %j",
    (mark) => {
      expect(stripInvisible(`a${mark}b`)).toBe("ab");
    },
  );

  it("keeps spaces, newlines and every script", () => {
    expect(stripInvisible("a b\n查天气 é")).toBe("a b\n查天气 é");
  });
});

describe("cleanText", () => {
  it.each([
    ["half \ud83d", "half \ufffd"],
    ["\udc00x", "\ufffdx"],
    ["whole 😀", "whole 😀"],
    ["joined \ud83d\u200d\ude00", "joined 😀"],
  ])("makes %j well-formed", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});
