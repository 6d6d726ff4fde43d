import fc from "fast-check";
import { describe, expect, it } from "vitest";
import stringWidth from "string-width";
import { cutToColumns, makePrintable, formatJson, layOutTable } from "../../src/cli/terminal.js";

const steering = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe("printable", () => {
  it.each([
    ["an escape sequence", "\u001B[2Jx"],
    ["its one-character form", "\u009B31mx"],
    ["a title", "\u001B]0;owned\u0007x"],
    ["line ends", "a\r\nb\u2028c\u0085"],
    ["a direction override", "a\u202Eb"],
    ["a zero-width space", "a\u200Bb"],
    ["half a surrogate pair", "a\uD800b"],
  ])("leaves nothing of %s that steers a terminal", (_, text) => {
    expect(makePrintable(text)).not.toMatch(steering);
    expect(makePrintable(text)).toContain("\uFFFD");
  });

  it("leaves nothing of any text that steers a terminal, and does not touch plain text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => !steering.test(makePrintable(text))),
    );
    expect(makePrintable("Ünïcode 退款 🙂 a_b-c")).toBe("Ünïcode 退款 🙂 a_b-c");
  });
});

it("prints JSON that parses to the same and steers nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
      const json = formatJson({ texts });
      expect(json.replaceAll("\n", "")).not.toMatch(steering);
      expect(JSON.parse(json)).toEqual({ texts });
    }),
  );
});

describe("fit", () => {
  it.each([
    ["short", 8, "short"],
    ["exactly8", 8, "exactly8"],
    ["much_too_long", 8, "much_to…"],
    ["退款退款退款", 8, "退款退…"],
  ])("cuts %j to %i columns", (text, columns, expected) => {
    expect(cutToColumns(text, columns)).toBe(expected);
  });
});

it("lines columns up by what is seen, wide characters included", () => {
  const [title, first, second] = layOutTable(
    [{ title: "tool" }, { title: "p", align: "right" }],
    [
      ["退款", "0.5"],
      ["a", "12.25"],
    ],
  );
  expect([title, first, second].map((line) => stringWidth(line ?? ""))).toEqual([11, 11, 11]);
  expect(first).toBe("退款    0.5");
});
